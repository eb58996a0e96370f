#include "aside.h"

#include "board/rank_state.h"
#include "gap.h"
#include "library.h"
#include "system/quiet_thread.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

enum state { RUNNING, OVER, LEFT };

struct ftc_aside {
    void (*function)(void *);
    void *argument;
    _Atomic int state;
    uint32_t deaths; /* that there were when it began */
};

static _Thread_local struct ftc_aside *own;

_Atomic bool ftc_aside_is_any_left;

static void *run(void *argument)
{
    struct ftc_aside *a = argument;

    own = a;
    a->function(a->argument);
    own = NULL;
    if (atomic_exchange(&a->state, OVER) == LEFT)
        free(a);
    return NULL;
}

struct ftc_aside *ftc_aside_begin(void (*function)(void *argument), void *argument)
{
    struct ftc_aside *a = calloc(1, sizeof *a);
    pthread_t thread;

    if (!a)
        return NULL;
    a->function = function;
    a->argument = argument;
    a->deaths = ftc_board_deaths(&ftc_library.board);
    if (ftc_guest_thread(&thread, run, a) != 0) {
        free(a);
        return NULL;
    }
    pthread_detach(thread);
    return a;
}

bool ftc_aside_is_over(const struct ftc_aside *a)
{
    return atomic_load(&a->state) == OVER;
}

static bool is_left(const struct ftc_aside *a)
{
    return atomic_load(&a->state) == LEFT;
}

static void sleep_for_good(void)
{
    pause();
}

void ftc_aside_poll(void)
{
    if (own && is_left(own))
        ftc_gap_await(sleep_for_good);
}

bool ftc_aside_is_here(void)
{
    return own;
}

bool ftc_aside_has_seen_death(void)
{
    return own && ftc_board_deaths(&ftc_library.board) != own->deaths;
}

bool ftc_aside_close(struct ftc_aside *a)
{
    bool is_over = atomic_exchange(&a->state, LEFT) == OVER;

    if (is_over)
        free(a);
    else
        ftc_aside_is_any_left = true;
    return is_over;
}
