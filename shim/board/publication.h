/* publication: the last allreduce of each communicator, on the board (doc/design.md, section 5,
 * rules 1 to 5). */
#ifndef FTC_BOARD_PUBLICATION_H
#define FTC_BOARD_PUBLICATION_H

#include "board.h"
#include "engine/message.h"

/* Note of a call that a rank is or was in. */
struct ftc_board_call {
    _Alignas(64) _Atomic uint32_t version; /* odd while the call is being written */
    _Atomic uint32_t seq;                  /* number of its operation */
    _Atomic uint64_t word[FTC_NOTE_WORDS]; /* a struct ftc_note */
};

/* Publications of a rank for one communicator: notes of its last calls, the attempt that it is in,
 * and its last result with the value. There are as many notes as a ring has messages at most,
 * because so many messages of the rank may be on their way to a peer. */
struct ftc_board_entry {
    struct ftc_board_call
        call[FTC_BOARD_ENTRY_CALLS];       /* index: operation % FTC_BOARD_ENTRY_CALLS */
    _Alignas(64) _Atomic uint32_t version; /* odd while the result is being written */
    _Atomic uint32_t seq;                  /* operation of the result */
    _Atomic uint64_t communicator_id;      /* 0: unused */
    _Atomic uint64_t joined;               /* operation << 32 | attempt that the rank joined last */
    _Atomic uint64_t recorded;             /* word of reporting/record.c; any member may write it */
    _Atomic uint32_t attempt;
    _Atomic uint32_t verdict; /* enum ftc_verdict */
    _Atomic uint32_t bytes;
    _Atomic uint32_t failed_count;
    _Atomic uint32_t is_freed; /* the rank has freed the communicator */
    unsigned char data[];      /* failed ranks (int32_t each), then the value */
};
_Static_assert(sizeof(struct ftc_board_entry) == FTC_BOARD_ENTRY_BYTES, "head of an entry");

/* Copy of a result that another rank has published. */
struct ftc_publication {
    struct ftc_result result;
    struct ftc_failure_info failed;
    unsigned char *value; /* buffer for the largest value, set and owned by the caller */
    size_t value_bytes;   /* size of the value */
    bool varies;          /* set by the caller: accept a value that is shorter than expected */
};

/* Returns the size of a board entry for values of up to @value_bytes. */
uint32_t ftc_publication_stride(size_t value_bytes);

/* Returns the entry to try as number @probe, from 0 on, for a communicator: four of the first 32,
 * four of the first 128, and so on, then all in turn. Thus communicators that are made and freed
 * use few entries, and each of many living communicators is found soon. */
uint32_t ftc_publication_place(const struct ftc_board *board, uint64_t communicator_id,
                               uint32_t probe);

/* Returns the number of probes after which each entry has been tried. */
uint32_t ftc_publication_probes(const struct ftc_board *board);

/* Opens entry @entry of the calling rank for a communicator, without a publication. The caller
 * takes the first usable entry in the order of ftc_publication_place(). */
void ftc_publication_open(const struct ftc_board *board, uint32_t self, uint32_t entry,
                          uint64_t communicator_id);

/* Notes that the calling rank has freed the communicator of its entry. The publications stay, for
 * the ranks that have not freed it. */
void ftc_publication_free(const struct ftc_board *board, uint32_t self, uint32_t entry);

/* Returns whether any living rank of this host that is still in MPI has used the communicator and
 * has not freed it. Such a rank may still need what others have published. */
bool ftc_publication_is_needed(const struct ftc_board *board, uint64_t communicator_id);

/* Returns the identity of the communicator that has the entry, or 0 if none has. */
uint64_t ftc_publication_owner(const struct ftc_board *board, uint32_t self, uint32_t entry);

/* Finds the entry of @rank for the communicator. Returns false if @rank has not used it yet. */
bool ftc_publication_find(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                          uint32_t *entry);

/* Shows that the calling rank has joined @attempt of operation @seq. It will not return with the
 * result of an earlier attempt. */
void ftc_publish_attempt(const struct ftc_board *board, uint32_t self, uint32_t entry, uint32_t seq,
                         uint32_t attempt);

/* Returns whether @rank is in operation @seq or was in it last. *@attempt is then its attempt. */
bool ftc_published_attempt(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                           uint32_t seq, uint32_t *attempt);

/* Finds the last operation of the communicator that @rank has joined. Returns false if there is
 * none. */
bool ftc_published_joined(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                          uint32_t *seq);

/* Shows the note of the call that the calling rank makes in operation @seq. */
void ftc_publish_call(const struct ftc_board *board, uint32_t self, uint32_t entry, uint32_t seq,
                      const struct ftc_note *note);

/* Copies the note of the call that @rank makes or made in operation @seq. Returns false if @rank
 * has not reached it, is FTC_BOARD_ENTRY_CALLS operations beyond it, or is just writing there. */
bool ftc_published_call(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                        uint32_t seq, struct ftc_note *note);

/* Publishes @result of operation @seq in entry @entry of the calling rank. */
void ftc_publish(const struct ftc_board *board, uint32_t self, uint32_t entry, uint32_t seq,
                 const struct ftc_result *result, size_t value_bytes);

/* Copies the result that @rank published for operation @seq, whose values have @value_bytes.
 * Returns false if there is none, or if @rank was dead when the copy was complete (rule 5). */
bool ftc_published(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                   uint32_t seq, size_t value_bytes, struct ftc_publication *copy);

/* Returns the address of @recorded in the entry of @rank, dead or alive, for a communicator.
 * Returns NULL if @rank has never used the communicator. */
_Atomic uint64_t *ftc_publication_recorded(const struct ftc_board *board, uint32_t rank,
                                           uint64_t communicator_id);

#endif
