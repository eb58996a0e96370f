/* publication: the last allreduce of each communicator on the board (doc/design.md, section 5,
 * rules 1 to 5). */
#ifndef FTC_BOARD_PUBLICATION_H
#define FTC_BOARD_PUBLICATION_H

#include "board.h"
#include "engine/message.h"

/* A call that a rank is in or was in. */
struct ftc_board_call {
    _Alignas(64) _Atomic uint32_t version; /* odd while it is being written */
    _Atomic uint32_t seq;                  /* its operation */
    _Atomic uint64_t word[FTC_NOTE_WORDS]; /* a struct ftc_note */
};

/* What a rank has published of one communicator: its last calls, as many as its messages to another
 * that does not listen may be of, how far it has got, and its last result with the bytes of the
 * value. */
struct ftc_board_entry {
    struct ftc_board_call
        call[FTC_BOARD_ENTRY_CALLS];       /* that of operation seq: seq % their number */
    _Alignas(64) _Atomic uint32_t version; /* odd while it is being written */
    _Atomic uint32_t seq;
    _Atomic uint64_t communicator_id; /* 0: unused */
    _Atomic uint64_t joined;          /* operation << 32 | attempt that its owner is in */
    _Atomic uint64_t recorded;        /* any member's: see shim/reporting/record.c */
    _Atomic uint32_t attempt;
    _Atomic uint32_t verdict; /* enum ftc_verdict */
    _Atomic uint32_t bytes;
    _Atomic uint32_t failed_count;
    _Atomic uint32_t is_freed; /* its owner needs nothing more of the communicator */
    unsigned char data[];      /* failed ranks (int32_t each), then the value */
};
_Static_assert(sizeof(struct ftc_board_entry) == FTC_BOARD_ENTRY_BYTES, "head of an entry");

/* A copy of what somebody else published. */
struct ftc_publication {
    struct ftc_result result;
    struct ftc_failure_info failed;
    unsigned char *value; /* room for the largest value; the caller's */
    size_t value_bytes;   /* of the result */
    bool varies;          /* a shorter value is one, too; the caller's */
};

/* Bytes of a board entry for values of up to @value_bytes. */
uint32_t ftc_publication_stride(size_t value_bytes);

/* Returns the entry that is looked at as number @probe for a communicator, from 0 on: four of the
 * first 32, four of the first 128, and so on, then all in turn. So communicators that are made and
 * freed use few entries, and with many that live each is found soon. */
uint32_t ftc_publication_place(const struct ftc_board *board, uint64_t communicator_id,
                               uint32_t probe);

/* After so many each entry was looked at. */
uint32_t ftc_publication_probes(const struct ftc_board *board);

/* Takes the caller's own entry @entry for a communicator in which nothing is published yet: the
 * first that can be had in the order of ftc_publication_place(). */
void ftc_publication_open(const struct ftc_board *board, uint32_t self, uint32_t entry,
                          uint64_t communicator_id);

/* The caller has freed the communicator of its entry, which is as it was, for those who have not.
 */
void ftc_publication_free(const struct ftc_board *board, uint32_t self, uint32_t entry);

/* Whether any rank of this host that lives has used the communicator, and has not freed it: it may
 * still need what others have published. */
bool ftc_publication_is_needed(const struct ftc_board *board, uint64_t communicator_id);

/* Identity of the communicator that has taken an entry; 0: none. */
uint64_t ftc_publication_owner(const struct ftc_board *board, uint32_t self, uint32_t entry);

/* In *@entry that of @rank for the communicator; false: it does not take part yet. */
bool ftc_publication_find(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                          uint32_t *entry);

/* Tells that the caller has joined @attempt of operation @seq: it will not return with the result
 * of an earlier attempt. */
void ftc_publish_attempt(const struct ftc_board *board, uint32_t self, uint32_t entry, uint32_t seq,
                         uint32_t attempt);

/* Whether @rank is in operation @seq, and in which attempt. */
bool ftc_published_attempt(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                           uint32_t seq, uint32_t *attempt);

/* The last operation of the communicator that @rank has joined; false: none. */
bool ftc_published_joined(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                          uint32_t *seq);

/* Tells what the caller calls in operation @seq. */
void ftc_publish_call(const struct ftc_board *board, uint32_t self, uint32_t entry, uint32_t seq,
                      const struct ftc_note *note);

/* Copies what @rank has told that it calls, or called, in operation @seq; false: it has not got as
 * far, is FTC_BOARD_ENTRY_CALLS operations ahead, or that is just changing. */
bool ftc_published_call(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                        uint32_t seq, struct ftc_note *note);

/* Publishes @result of operation @seq in entry @entry of the caller, @self. */
void ftc_publish(const struct ftc_board *board, uint32_t self, uint32_t entry, uint32_t seq,
                 const struct ftc_result *result, size_t value_bytes);

/* Copies what @rank published for operation @seq with values of @value_bytes; false if it has not,
 * or if it was dead by the time the copy was complete (rule 5). */
bool ftc_published(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                   uint32_t seq, size_t value_bytes, struct ftc_publication *copy);

/* The word `recorded' of what @rank, dead or alive, publishes of a communicator; NULL if it has
 * never used that. */
_Atomic uint64_t *ftc_publication_recorded(const struct ftc_board *board, uint32_t rank,
                                           uint64_t communicator_id);

#endif
