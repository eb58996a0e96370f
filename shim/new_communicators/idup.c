#include "idup.h"

#include "board/directory.h"
#include "board/publication.h"
#include "board/rank_state.h"
#include "communicator/error_handler.h"
#include "communicator/group.h"
#include "communicator/lineage.h"
#include "communicator/places.h"
#include "context.h"
#include "create.h"
#include "detour.h"
#include "job_end.h"
#include "leavable.h"
#include "mpi/inside.h"
#include "native_part.h"
#include "program/error.h"
#include "program/native_call.h"
#include "program/request.h"
#include "progress/queue.h"
#include "progress/thread.h"
#include "report/report.h"
#include "roll.h"
#include "union.h"
#include "value/datatype.h"

#include <stdlib.h>

/* The survivors' communicator, in the making. */
struct making {
    struct ftc_between between; /* of one group all are in front */
    bool is_between;
    _Atomic bool is_lone; /* this rank, in a step that others make with more of its side */
    MPI_Comm made;
    int rv;
};

struct idup {
    struct ftc_request request; /* must be first */
    struct ftc_creation x;      /* with the program's communicator, which it may free */
    struct ftc_call call;
    struct ftc_roll roll;
    bool is_between; /* two groups, in sides; of the one in front are the first so many ranks */
    int first;
    struct ftc_sides_of sides;
    uint64_t lineage; /* of what is made, and other things that it has of that communicator: */
    MPI_Errhandler handler;
    struct ftc_union telling; /* of what roll.h says */
    bool has_to_tell;         /* it is ready to begin */

    MPI_Comm copy; /* native MPI's, also when it is not complete; MPI_COMM_NULL: none, or in vain */
    MPI_Comm made; /* of the survivors, instead of it */
    MPI_Comm given; /* to the program at once */
    int rv;         /* of native MPI; of its parts the class */

    struct ftc_detour *detour; /* on which one of the two is being made */
    struct making *making;     /* the second */
    bool is_copying;           /* the first; with threads it needs no detour */
    MPI_Request native;        /* of the first */
    uint64_t hopeless_since_ns;

    struct idup *next; /* in to_do */
};

/* Those that this rank has to go on with, a native part of which is before it, in the order in
 * which they came. */
static struct idup *to_do, **to_do_end = &to_do;
static int in_hand; /* those of them that a thread goes on with now, and may put off again */
static pthread_mutex_t to_do_lock = PTHREAD_MUTEX_INITIALIZER; /* within it no other is taken */

static _Atomic int open; /* whose request is not complete */
static _Atomic int lone;

static void put_off(struct idup *d)
{
    pthread_mutex_lock(&to_do_lock);
    d->next = NULL;
    *to_do_end = d;
    to_do_end = &d->next;
    pthread_mutex_unlock(&to_do_lock);
}

static struct idup *take_first(void)
{
    struct idup *first;

    pthread_mutex_lock(&to_do_lock);
    first = to_do;
    if (first) {
        to_do = first->next;
        in_hand++;
    }
    if (!to_do)
        to_do_end = &to_do;
    pthread_mutex_unlock(&to_do_lock);
    return first;
}

static void let_go(void)
{
    pthread_mutex_lock(&to_do_lock);
    in_hand--;
    pthread_mutex_unlock(&to_do_lock);
}

static bool is_any_left(void)
{
    bool is;

    pthread_mutex_lock(&to_do_lock);
    is = to_do != NULL || in_hand > 0;
    pthread_mutex_unlock(&to_do_lock);
    return is;
}

/* ---- what the survivors tell each other ---- */

static bool begin(struct ftc_queued *p)
{
    struct idup *d = (struct idup *)p;
    struct ftc_drive_request request;

    ftc_union_request(&d->telling, &request);
    if (ftc_drive_begin(d->roll.comm, &request))
        return true;
    d->call.result = ftc_union_take(&d->telling, FTC_DRIVE_NO_MEMORY);
    return false;
}

static bool end(struct ftc_queued *p)
{
    struct idup *d = (struct idup *)p;

    d->call.result = ftc_union_take(&d->telling, ftc_drive_end(d->roll.comm));
    return d->call.result != MPI_SUCCESS || ftc_union_is_over(&d->telling);
}

static bool is_dead_from(const struct ftc_roll *roll, int begin, int end)
{
    for (int rank = begin; rank < end; rank++)
        if (!roll->dead[rank])
            return false;
    return true;
}

/* Of an intercommunicator. */
static bool is_side_dead(const struct idup *d)
{
    return d->is_between &&
           (is_dead_from(&d->roll, 0, d->first) || is_dead_from(&d->roll, d->first, d->roll.size));
}

/* Whether the survivors make another one. */
static bool goes_on(struct idup *d)
{
    if (d->call.result != MPI_SUCCESS)
        return false;
    ftc_roll_hear(&d->roll);
    if (d->roll.is_again && d->roll.is_exhausted)
        d->call.result = ftc_error_exhausted(&d->call);
    else if (!d->roll.is_again && d->rv != MPI_SUCCESS)
        d->call.result = ftc_error_native(&d->call, d->rv);
    else if (d->roll.is_again && is_side_dead(d))
        d->call.result = ftc_error_dead_group(&d->call);
    return d->roll.is_again && d->call.result == MPI_SUCCESS;
}

static void over(struct ftc_queued *p)
{
    struct idup *d = (struct idup *)p;

    if (goes_on(d)) {
        p->comm = d->roll.comm;
        put_off(d);
        return;
    }
    ftc_request_become_over(p);
}

/* With threads who asks for a request may have a lock of MPI's that the owner of the library's
 * needs. */
static bool lock_library(void)
{
    if (ftc_library.threaded)
        return ftc_library_trylock();
    ftc_library_lock();
    return true;
}

static void tell_now(struct idup *d)
{
    d->has_to_tell = !lock_library();
    if (d->has_to_tell) {
        put_off(d);
        return;
    }
    ftc_queue_add(&d->request.pending);
    ftc_thread_wake();
    ftc_library_unlock();
}

static void tell(struct idup *d, enum ftc_native_end how)
{
    ftc_roll_tell(&d->roll, how);
    d->telling = (struct ftc_union){.call = &d->call,
                                    .comm = d->roll.comm,
                                    .table = d->roll.told,
                                    .size = ftc_roll_told_bytes(&d->roll)};
    tell_now(d);
}

/* ---- native parts: without the lock, each on a detour ---- */

/* Nobody is told when it is complete: so at once. */
static void give_all(const struct idup *d)
{
    ftc_lineage_give(d->copy, d->lineage);
    ftc_lineage_note_copy(&d->copy);
    if (d->handler == MPI_ERRORS_ARE_FATAL)
        ftc_error_handler_note(d->copy, MPI_ERRORS_ARE_FATAL);
    if (ftc_is_comm(d->x.comm) && !ftc_places_inherit(d->x.comm, d->copy))
        ftc_job_end_no_memory("another communicator");
    ftc_spares_share(d->roll.spares, d->copy);
}

static void begin_natively(struct idup *d)
{
    d->rv = d->x.kind == FTC_CALL_COMM_IDUP_WITH_INFO
                ? PMPI_Comm_idup_with_info(d->x.comm, d->x.info, &d->copy, &d->native)
                : PMPI_Comm_idup(d->x.comm, &d->copy, &d->native);
    if (d->rv == MPI_SUCCESS && d->copy != MPI_COMM_NULL)
        give_all(d);
}

static void copy(void *argument)
{
    struct idup *d = argument;

    begin_natively(d);
    if (d->rv == MPI_SUCCESS && d->copy != MPI_COMM_NULL)
        d->rv = PMPI_Wait(&d->native, MPI_STATUS_IGNORE);
}

static void make_between(struct making *m)
{
    int rv = ftc_native_gather_sides(&m->between), size = 0;

    if (rv == MPI_SUCCESS)
        PMPI_Comm_size(m->between.own, &size);
    m->is_lone = size == 1;
    lone += m->is_lone;
    m->rv = ftc_native_bridge_sides(&m->between, rv, &m->made);
}

static void make(void *argument)
{
    struct making *m = argument;

    if (m->is_between)
        make_between(m);
    else
        m->rv =
            PMPI_Comm_create_group(MPI_COMM_WORLD, m->between.members, m->between.tag, &m->made);
}

static void free_comm(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_NULL && !ftc_spares_give_back(comm))
        PMPI_Comm_free(comm);
}

/* A communicator of one rank is made without a poll: nothing that it needs may be in use. What else
 * is as lone as this one uses nothing between its polls. */
static bool has_to_wait(const struct idup *d)
{
    if (d->detour)
        return d->making && d->making->is_lone && ftc_detour_awaited() > lone;
    return d->roll.size - d->roll.dead_count == 1 && ftc_detour_awaited() > 0;
}

static int find_members(struct idup *d, struct ftc_between *b)
{
    MPI_Group front;
    int rv = ftc_roll_living(&d->roll, d->roll.group, &b->members);

    if (rv != MPI_SUCCESS || !d->is_between)
        return rv;
    rv = ftc_roll_living(&d->roll, d->sides.side[0], &front);
    if (rv != MPI_SUCCESS)
        return rv;
    PMPI_Group_size(front, &b->first);
    return PMPI_Group_free(&front);
}

static struct making *new_making(struct idup *d)
{
    struct making *m = calloc(1, sizeof *m);

    if (!m)
        return NULL;
    m->between.members = MPI_GROUP_NULL;
    m->between.tag = ftc_native_tag(d->roll.comm);
    m->between.is_second = d->sides.is_second;
    m->is_between = d->is_between;
    m->made = MPI_COMM_NULL;
    if (find_members(d, &m->between) == MPI_SUCCESS)
        return m;
    free(m);
    return NULL;
}

static void begin_another(struct idup *d)
{
    free_comm(&d->made);
    d->making = new_making(d);
    if (d->making)
        d->detour = ftc_detour_open(make, d->making, true);
    if (!d->detour)
        ftc_job_end_no_memory("another communicator"); /* the others make it */
    ftc_roll_watch(&d->roll, false);
}

static bool is_given_up(struct idup *d)
{
    return (ftc_roll_is_hopeless(&d->roll) || ftc_roll_has_exhausted(&d->roll)) &&
           ftc_leavable_has_had_time(&d->hopeless_since_ns);
}

/* Whether nobody can have got beyond MPICH's first message of the copy: a rank of this host has
 * died that had not begun it. */
static bool is_at_its_beginning(const struct idup *d)
{
    const struct ftc_board *board = &ftc_library.board;
    const struct ftc_comm *c = d->roll.comm;
    uint32_t entry;

    for (int rank = 0; d->is_copying && rank < c->size; rank++)
        if (ftc_board_is_dead(board, c->world[rank]) && ftc_board_is_here(board, c->world[rank]) &&
            !ftc_publication_find(board, c->world[rank], c->id, &entry))
            return true;
    return false;
}

/* What native MPI has of it stays there. */
static enum ftc_native_end leave(struct idup *d)
{
    enum ftc_native_end how =
        is_at_its_beginning(d) ? FTC_NATIVE_WAS_LEFT_AT_ONCE : FTC_NATIVE_WAS_LEFT;
    MPI_Comm parent = d->is_copying ? d->x.comm : MPI_COMM_WORLD;

    if (d->is_copying)
        d->copy = MPI_COMM_NULL;
    if (ftc_is_comm(parent))
        ftc_context_abandon(parent);
    return how;
}

/* What the copy would have had of the program's communicator, which may be gone. */
static void inherit_to(struct idup *d)
{
    ftc_error_handler_give(d->handler, d->made);
    ftc_lineage_give(d->made, d->lineage);
    ftc_lineage_note_copy(&d->made);
    d->rv = ftc_native_give_hints(d->x.info, d->made);
}

static void take_made(struct idup *d)
{
    d->made = d->making->made;
    d->rv = d->making->rv;
    if (d->rv == MPI_SUCCESS)
        inherit_to(d);
    PMPI_Group_free(&d->making->between.members);
    free(d->making);
}

/* What was left stays as it is: it may be on a stack that does. */
static void end_making(struct idup *d, bool is_over)
{
    if (!d->making)
        return;
    lone -= d->making->is_lone;
    if (is_over)
        take_made(d);
    d->making = NULL;
}

static void end_native_part(struct idup *d, enum ftc_native_end how)
{
    if (d->detour)
        end_making(d, ftc_detour_close(d->detour));
    if (d->rv != MPI_SUCCESS)
        PMPI_Error_class(d->rv, &d->rv); /* not within the lock, in which the error is raised */
    if (d->is_copying && d->rv != MPI_SUCCESS)
        d->copy = MPI_COMM_NULL; /* what MPICH 4.0 leaves of it cannot be freed */
    d->detour = NULL;
    d->is_copying = false;
    d->hopeless_since_ns = 0;
    tell(d, how);
}

static bool is_through(struct idup *d)
{
    int done = 0;

    if (d->detour)
        return ftc_detour_resume(d->detour);
    d->rv = PMPI_Test(&d->native, &done, MPI_STATUS_IGNORE);
    return done || d->rv != MPI_SUCCESS;
}

/* Without a native part: all copies are made ahead. */
static void take_spare(struct idup *d)
{
    free_comm(&d->made);
    d->made = ftc_native_part_take_spare(&d->roll);
    if (d->made != MPI_COMM_NULL)
        inherit_to(d);
    tell(d, d->made != MPI_COMM_NULL ? FTC_NATIVE_HAS_COMMUNICATOR : FTC_NATIVE_NOT_TRIED);
}

static void go_on_natively(struct idup *d)
{
    if (!d->detour && !d->is_copying && ftc_native_part_has_spare(d->x.kind, &d->roll)) {
        take_spare(d);
        return;
    }
    if (!d->detour && !d->is_copying)
        begin_another(d);
    if (is_through(d))
        end_native_part(d, FTC_NATIVE_HAS_COMMUNICATOR);
    else if (is_given_up(d))
        end_native_part(d, leave(d));
    else
        put_off(d);
}

static void go_on(struct idup *d)
{
    if (d->has_to_tell)
        tell_now(d);
    else if (has_to_wait(d))
        put_off(d);
    else
        go_on_natively(d);
}

static void turn_for_each(void)
{
    struct idup *d;

    for (int left = open; left > 0 && (d = take_first()); left--) {
        go_on(d);
        let_go();
    }
}

/* Whoever polls may have the lock. */
static void go_on_with_all(void)
{
    if (open == 0 || !ftc_library_trylock())
        return;
    ftc_queue_turn();
    ftc_library_unlock();
    turn_for_each();
}

/* With threads whoever polls has MPICH's lock, and what is on its way goes on by itself. What
 * another thread has in hand counts: it wakes nobody when it puts it off. */
static bool look_at_all(void)
{
    if (open == 0)
        return false;
    turn_for_each();
    return is_any_left();
}

/* ---- from the call to the end of its request ---- */

/* While nobody dies that is native MPI's and not written again: a program that is wrong by the
 * standard, but works natively, may have copied it, and given its place to something else. */
static void settle(struct ftc_request *r)
{
    struct idup *d = (struct idup *)r;
    MPI_Comm result = d->made != MPI_COMM_NULL ? d->made : d->copy;

    if (d->call.result != MPI_SUCCESS)
        result = MPI_COMM_NULL;
    if (result != d->given)
        *d->x.newcomm = result;
}

static void close_roll(struct idup *d)
{
    ftc_roll_close(&d->roll);
    if (d->roll.comm) {
        ftc_library_lock();
        ftc_comm_release(d->roll.comm);
        ftc_library_unlock();
    }
    ftc_sides_of_free(&d->sides);
    if (d->roll.group != MPI_GROUP_NULL)
        PMPI_Group_free(&d->roll.group);
}

/* The program has one of the two, or after an error none. */
static void close_idup(struct ftc_request *r)
{
    struct idup *d = (struct idup *)r;
    bool has_failed = d->call.result != MPI_SUCCESS;

    open--;
    if (d->detour)
        ftc_detour_close(d->detour);
    if (has_failed || d->made != MPI_COMM_NULL)
        free_comm(&d->copy);
    if (has_failed)
        free_comm(&d->made);
    if (d->x.info != MPI_INFO_NULL)
        PMPI_Info_free(&d->x.info);
    ftc_error_handler_drop(&d->handler);
    close_roll(d);
}

/* For the operations of this call alone: none of the program's is to wait for them, and calls on
 * the same communicator may follow before they begin. */
static struct ftc_comm *own_comm(const struct idup *d, MPI_Group group)
{
    uint64_t number = ftc_lineage_of_request(d->x.comm);
    struct ftc_comm *c = NULL, *of;

    ftc_library_lock();
    if (d->is_between) {
        c = ftc_comm_for_meeting(number, group);
    } else {
        of = ftc_comm_get(d->x.comm);
        if (of && of->pass == FTC_PASS_NONE)
            c = ftc_comm_for_request(number, of);
    }
    ftc_library_unlock();
    return c;
}

static MPI_Group group_of(const struct idup *d)
{
    MPI_Group both = MPI_GROUP_NULL;

    if (!d->is_between)
        return ftc_group_of(d->x.comm);
    PMPI_Group_union(d->sides.side[0], d->sides.side[1], &both);
    return both;
}

static bool open_roll(struct idup *d)
{
    struct ftc_spares *spares;
    MPI_Group group;
    struct ftc_comm *c;

    if (d->is_between) {
        ftc_sides_of_find(&d->sides, d->x.comm);
        PMPI_Group_size(d->sides.side[0], &d->first);
    }
    spares = d->is_between ? NULL : ftc_spares_of(d->x.comm);
    group = group_of(d);
    c = own_comm(d, group);
    if (c && c->pass == FTC_PASS_NONE && ftc_roll_open(&d->roll, c, group, spares))
        return true;
    d->roll = (struct ftc_roll){.comm = c, .group = group};
    close_roll(d);
    return false;
}

static bool is_possible(const struct ftc_creation *x, const MPI_Request *request)
{
    return request && x->newcomm && ftc_new_communicators_are_on() && ftc_is_comm(x->comm) &&
           ftc_lineage_of(x->comm) && ftc_inside_has(FTC_INSIDE_LEAVE) && ftc_request_possible();
}

static struct idup *new_idup(const struct ftc_creation *x)
{
    struct idup *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    *d = (struct idup){
        .request = {.lineage = ftc_lineage_number(ftc_lineage_of(x->comm)),
                    .settle = settle,
                    .close = close_idup,
                    .pending = {.call = &d->call, .begin = begin, .end = end}},
        .x = *x,
        .is_between = ftc_is_inter(x->comm),
        .sides = FTC_SIDES_OF_NONE,
        .call = {.kind = x->kind,
                 .comm = x->comm,
                 .datatype = MPI_DATATYPE_NULL,
                 .op = MPI_OP_NULL,
                 .return_address = x->return_address},
        .handler = MPI_ERRHANDLER_NULL,
        .copy = MPI_COMM_NULL,
        .made = MPI_COMM_NULL,
        .native = MPI_REQUEST_NULL,
    };
    d->x.info = MPI_INFO_NULL;
    if (!open_roll(d)) {
        free(d);
        return NULL;
    }
    d->request.pending.comm = d->roll.comm;
    open++;
    return d;
}

/* What another one has of the program's communicator, which it may free. */
static int inherit(const struct ftc_creation *x, struct idup *d)
{
    d->lineage = ftc_lineage_of_next(x->comm);
    d->handler = ftc_error_handler_take(x->comm);
    return x->kind == FTC_CALL_COMM_IDUP_WITH_INFO && x->info != MPI_INFO_NULL
               ? PMPI_Info_dup(x->info, &d->x.info)
               : MPI_SUCCESS;
}

/* Whether there is a copy now, or will be: else native MPI has found an error, and has called the
 * error handler (MPICH 5.0.2 then tells none). */
static bool begin_copy(struct idup *d)
{
    d->is_copying = true;
    if (d->detour)
        return !ftc_detour_resume(d->detour) || d->copy != MPI_COMM_NULL;
    begin_natively(d);
    return d->rv == MPI_SUCCESS && d->copy != MPI_COMM_NULL;
}

static bool open_copy(struct idup *d)
{
    if (!ftc_library.threaded)
        d->detour = ftc_detour_open(copy, d, false);
    return ftc_library.threaded || d->detour;
}

static void have_all_looked_at(void)
{
    if (ftc_library.threaded)
        ftc_thread_set_beside(look_at_all);
    else
        ftc_leavable_set_beside(go_on_with_all);
}

static int give_up(struct idup *d, int rv)
{
    close_idup(&d->request);
    free(d);
    return rv;
}

/* Which without threads has nothing to do with what is put off. */
static void wake_thread(void)
{
    if (!ftc_library.threaded)
        return;
    ftc_library_lock();
    ftc_thread_wake();
    ftc_library_unlock();
}

static int start(struct idup *d, MPI_Request *request)
{
    bool is_in_vain;
    int rv;

    ftc_roll_watch(&d->roll, false);
    is_in_vain = ftc_roll_has_lost(&d->roll) || ftc_roll_has_exhausted(&d->roll);
    if (!is_in_vain && !open_copy(d))
        return give_up(d, ftc_error_no_memory());
    if (!is_in_vain && !begin_copy(d))
        return give_up(d, d->rv);
    rv = ftc_request_make(&d->request, request);
    if (rv != MPI_SUCCESS)
        return rv;
    *d->x.newcomm = d->given = d->copy;
    d->request.pending.over = over;
    have_all_looked_at();
    if (is_in_vain)
        tell(d, FTC_NATIVE_NOT_TRIED);
    else
        put_off(d);
    wake_thread();
    return MPI_SUCCESS;
}

bool ftc_idup(struct ftc_creation *x, MPI_Request *request)
{
    struct ftc_call call;
    struct idup *d;

    ftc_native_call_look_back();
    d = is_possible(x, request) ? new_idup(x) : NULL;
    if (!d)
        return false;
    call = d->call;
    ftc_report_call(&call, FTC_PASS_NONE);
    x->result = inherit(x, d);
    x->result = x->result == MPI_SUCCESS ? start(d, request) : give_up(d, x->result);
    ftc_error_raise(&call);
    return true;
}
