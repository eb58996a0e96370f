/* posted_way: how blocks that are posted come to others: through bulk memory, or in the messages of
 * the rounds' operations where ranks are on several hosts. */
#ifndef FTC_COLLECTIVES_POSTED_WAY_H
#define FTC_COLLECTIVES_POSTED_WAY_H

#include "posted.h"

struct ftc_posted_way {
    /* Memory for this rank's block of @bytes; NULL: there is none. */
    unsigned char *(*block)(struct ftc_posted *p, size_t bytes);
    void (*request)(struct ftc_posted *p, struct ftc_drive_request *request);
    /* After the operation: p->vote. */
    void (*hear)(struct ftc_posted *p);
    /* What the others have posted in this round. */
    void (*take)(struct ftc_posted *p);
    void (*close)(struct ftc_posted *p);
};

extern const struct ftc_posted_way ftc_posted_in_memory, ftc_posted_in_messages;

/* What one rank has posted in one round. */
struct ftc_posted_part {
    const unsigned char *data;
    size_t bytes, left; /* after it */
    uint32_t note;
    bool stays; /* where it is, until this rank has shown that it has read */
};

/* Takes the block from whoever makes it; p->has_memory or p->is_too_large tells if there is none.
 */
void ftc_posted_give(struct ftc_posted *p);

/* Private memory for the block. */
unsigned char *ftc_posted_own_block(struct ftc_posted *p, size_t bytes);

/* What this rank says in a round, behind the posting. */
uint32_t ftc_posted_flags(const struct ftc_posted *p);

/* Whether @rank has posted in this round, by p->vote, what is not known to be whole. */
bool ftc_posted_brings(const struct ftc_posted *p, int rank);

void ftc_posted_take(struct ftc_posted *p, int rank, const struct ftc_posted_part *part);

#endif
