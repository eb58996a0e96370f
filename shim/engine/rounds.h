/* rounds: the steps of a rank in a call whose blocks take rounds, and when it may write where other
 * ranks read (doc/design.md, section 12).
 *
 * A state machine without I/O. A rank writes a part of its block where all others can read it, and
 * votes. The result of the vote names the ranks that have written, and says whether any rank has
 * data left. Then the rank takes the parts of these ranks:
 *
 *     region -> write -> vote -> take -+-> read -> leave -> over
 *                ^                    |
 *                '---- data left -----'
 *
 * The parts of successive rounds stand in two halves of the memory in turn. A rank that votes in
 * round k + 1 has taken the parts of round k. So the half of round k is free after that vote, and
 * round k + 2 writes there. A block that fits into all of the memory is written in round 0 and
 * stays there: the other ranks read it after the last round. So a rank that has left a call uses
 * its memory again only after all of them have read.
 *
 * Lengths are in bytes; the simulator has a unit of its own.
 */
#ifndef FTC_ENGINE_ROUNDS_H
#define FTC_ENGINE_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

enum ftc_rounds_step {
    FTC_ROUNDS_REGION, /* gets memory for the call, once ftc_rounds_is_free() */
    FTC_ROUNDS_WRITE,  /* writes the next part of the own block */
    FTC_ROUNDS_VOTE,   /* carries out an operation of the engine */
    FTC_ROUNDS_TAKE,   /* takes what others have written in the round */
    FTC_ROUNDS_READ,   /* reads blocks that have stayed where their owners wrote them */
    FTC_ROUNDS_LEAVE,  /* shows FTC_ROUNDS_HAS_READ */
    FTC_ROUNDS_OVER,
};

/* Memory of each rank: @whole_bytes for a block that fits, else two halves of @part_bytes. */
struct ftc_rounds_limits {
    uint64_t whole_bytes, part_bytes;
};

/* Progress of a rank in a call. At its beginning zero, except for the length of the own block. */
struct ftc_rounds_progress {
    enum ftc_rounds_step step;
    uint32_t round;
    uint64_t bytes, written; /* of the own block */
    bool is_again;           /* another round follows, by the last vote */
};

/* Goes on to the step after p->step. FTC_ROUNDS_VOTE must be ended by ftc_rounds_hear() instead. */
void ftc_rounds_next(struct ftc_rounds_progress *p);

/* Takes the result of the vote: the rank with most data left has @left bytes. */
void ftc_rounds_hear(struct ftc_rounds_progress *p, uint64_t left);

/* Goes on to the end of a call, which may have failed: to FTC_ROUNDS_LEAVE, if there is anything to
 * leave. Must not be called while the rank takes or reads. */
void ftc_rounds_end(struct ftc_rounds_progress *p);

/* ---- the own block ---- */

static inline bool ftc_rounds_is_in_parts(const struct ftc_rounds_limits *limits, uint64_t bytes)
{
    return bytes > limits->whole_bytes;
}

static inline uint64_t ftc_rounds_left(const struct ftc_rounds_progress *p)
{
    return p->bytes - p->written;
}

/* Part of a block that a round carries. */
struct ftc_rounds_piece {
    uint64_t from; /* offset in the block */
    uint64_t bytes, left;
};

/* Returns the next part, which counts as written from then on. */
struct ftc_rounds_piece ftc_rounds_write(struct ftc_rounds_progress *p,
                                         const struct ftc_rounds_limits *limits);

/* Returns which of the two halves, and of the two heads that describe them, a round has. */
static inline int ftc_rounds_half(uint32_t round)
{
    return (int)(round % 2);
}

/* Offset in the memory of a rank, and the most bytes that can be there. */
struct ftc_rounds_area {
    uint64_t at, most_bytes;
};

struct ftc_rounds_area ftc_rounds_area(const struct ftc_rounds_limits *limits, uint32_t round);

/* ---- the blocks of other ranks ---- */

/* State of another rank's block at this rank; zero at the beginning. */
struct ftc_rounds_source {
    bool is_whole;
    bool stays; /* can be read where it is until its reader leaves */
};

/* Returns whether a part of the block is to be taken in this round. @has_written: its owner has
 * written, by the vote. */
bool ftc_rounds_wants(const struct ftc_rounds_source *s, bool has_written);

/* Records that the part was taken. The block has @left bytes after it. */
void ftc_rounds_got(const struct ftc_rounds_progress *p, struct ftc_rounds_source *s,
                    uint64_t left);

/* ---- memory ---- */

/* Bit in the word that a rank shows in a call: it has read. */
enum { FTC_ROUNDS_HAS_READ = 1 << 30 };

/* Memory of a rank, for one call at a time; zero at the beginning. */
struct ftc_rounds_region {
    bool is_taken, is_left;
    uint32_t *reader; /* ranks that may still read after the region was left */
    int readers;
};

/* Functions by which a rank observes the readers of a region that it has left. */
struct ftc_rounds_world {
    /* Returns whether @reader shows itself in the call, and sets *@shown to the word that it shows.
     * A rank that has voted in a call showed itself before, and does until it has read. */
    bool (*shows)(void *context, uint32_t reader, uint32_t *shown);
    bool (*is_dead)(void *context, uint32_t reader);
};

/* Leaves a region. @reader must stay until the region is free. */
void ftc_rounds_leave(struct ftc_rounds_region *region, uint32_t *reader, int readers);

/* Returns whether a call may take a region. Forgets readers that have read. */
bool ftc_rounds_is_free(struct ftc_rounds_region *region, const struct ftc_rounds_world *world,
                        void *context);

#endif
