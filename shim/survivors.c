#include "survivors.h"

#include "broadcast.h"
#include "comm.h"
#include "drive.h"
#include "error.h"
#include "mismatch.h"
#include "native.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

/* Of the native part, among the tags of calls of MPI_Comm_create_group on one communicator: no
 * other message of MPICH has them. A program would have to call it with this very tag, in another
 * thread. */
enum { TAG = 0x7f7c011 };

/* Those without whom the call cannot be carried out; ranks are theirs. */
struct roll {
    struct ftc_comm *comm; /* for the library's operations among them */
    MPI_Group group;
    bool is_own; /* @comm lives as long as the call */
    int size;
    unsigned char *dead; /* by rank: not 0 if the survivors know */
    int dead_count;
};

/* What a rank says in a split. */
struct choice {
    int32_t is_there, color, key;
};

/* ---- arguments: native MPI finds what is wrong with them before it waits for anybody ---- */

static bool is_subset(MPI_Group group, MPI_Comm comm)
{
    MPI_Group all, rest;
    int outside;

    PMPI_Comm_group(comm, &all);
    PMPI_Group_difference(group, all, &rest);
    PMPI_Group_size(rest, &outside);
    PMPI_Group_free(&all);
    if (rest != MPI_GROUP_EMPTY)
        PMPI_Group_free(&rest);
    return outside == 0;
}

/* Errors of a call on a group go to the handler of MPI_COMM_SELF or MPI_COMM_WORLD, which is not
 * the one that the call in question has. */
static bool is_group(MPI_Group group)
{
    static const MPI_Comm base[] = {MPI_COMM_SELF, MPI_COMM_WORLD};
    MPI_Errhandler handler[2];
    int size, rv;

    if (group == MPI_GROUP_NULL)
        return false;
    for (int i = 0; i < 2; i++) {
        PMPI_Comm_get_errhandler(base[i], &handler[i]);
        PMPI_Comm_set_errhandler(base[i], MPI_ERRORS_RETURN);
    }
    rv = PMPI_Group_size(group, &size);
    for (int i = 0; i < 2; i++) {
        PMPI_Comm_set_errhandler(base[i], handler[i]);
        PMPI_Errhandler_free(&handler[i]);
    }
    return rv == MPI_SUCCESS;
}

static bool is_member(MPI_Group group)
{
    int rank = MPI_UNDEFINED;

    PMPI_Group_rank(group, &rank);
    return rank != MPI_UNDEFINED;
}

static bool is_valid_tag(int tag)
{
    int *highest, found = 0;

    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &found);
    return found && tag >= 0 && tag <= *highest;
}

static bool is_intra(MPI_Comm comm)
{
    int inter = 1;

    return PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && !inter;
}

static bool arguments_are_valid(const struct ftc_creation *x)
{
    if (x->comm == MPI_COMM_NULL || !x->newcomm || !is_intra(x->comm))
        return false;
    switch (x->kind) {
    case FTC_CALL_COMM_CREATE:
        return is_group(x->group) && is_subset(x->group, x->comm);
    case FTC_CALL_COMM_CREATE_GROUP:
        return is_group(x->group) && is_subset(x->group, x->comm) && is_member(x->group) &&
               is_valid_tag(x->tag);
    case FTC_CALL_COMM_SPLIT:
        return x->color >= 0 || x->color == MPI_UNDEFINED;
    default:
        return true;
    }
}

/* ---- what the survivors tell each other ---- */

static void combine_bytes(void *context, void *into, const void *from)
{
    const size_t *bytes = context;
    const unsigned char *source = from;
    unsigned char *target = into;

    for (size_t i = 0; i < *bytes; i++)
        target[i] |= source[i];
}

static uint32_t signature_of(enum ftc_call_kind kind, size_t bytes)
{
    uint64_t h = ((uint64_t)kind * 0x9e3779b97f4a7c15ull ^ bytes) * 0xff51afd7ed558ccdull;

    return (uint32_t)(h >> 32) | 1; /* never FTC_SIGNATURE_NONE */
}

/* Replaces @table by the union of all survivors' tables. */
static int unite_piece(const struct ftc_call *call, struct ftc_comm *c, unsigned char *table,
                       size_t bytes)
{
    struct ftc_drive_request request = {
        .kind = FTC_OP_ALLREDUCE,
        .value_bytes = bytes,
        .contribution = table,
        .combine = combine_bytes,
        .context = &bytes,
        .signature = signature_of(call->kind, bytes),
    };
    enum ftc_drive_outcome outcome;
    int mismatched = -1, rv = MPI_SUCCESS;

    ftc_mismatch_enter(call, c, request.signature);
    outcome = ftc_drive(c, &request, &mismatched);
    ftc_mismatch_leave();
    if (outcome == FTC_DRIVE_NO_MEMORY)
        return ftc_error_no_memory();
    if (outcome == FTC_DRIVE_MISMATCH)
        return ftc_error_mismatch(call, c, mismatched);
    if (c->op.result.verdict == FTC_VERDICT_EXCESS)
        rv = ftc_error_excess(call, c);
    else
        memcpy(table, c->op.result.value, bytes);
    ftc_comm_exclude(c, c->op.result.failed);
    return rv;
}

/* In pieces for which the board has room. */
static int unite(const struct ftc_call *call, struct ftc_comm *c, void *table, size_t bytes)
{
    size_t room = ftc_broadcast_value_bytes((size_t)ftc_library.settings.max_bytes), piece;
    int rv = MPI_SUCCESS;

    ftc_library_lock();
    for (size_t done = 0; done < bytes && rv == MPI_SUCCESS; done += piece) {
        piece = bytes - done < room ? bytes - done : room;
        rv = unite_piece(call, c, (unsigned char *)table + done, piece);
    }
    ftc_library_unlock();
    return rv;
}

static void strike_off(struct roll *roll)
{
    roll->dead_count = 0;
    for (int rank = 0; rank < roll->size; rank++) {
        if (ftc_comm_member(roll->comm, rank) < 0)
            roll->dead[rank] = 1;
        roll->dead_count += roll->dead[rank];
    }
}

/* The dead of whom one survivor knows, and those whom the operation itself has met. */
static int agree_on_the_dead(const struct ftc_call *call, struct roll *roll)
{
    struct ftc_comm *c = roll->comm;
    int rv;

    for (int rank = 0; rank < roll->size; rank++)
        roll->dead[rank] = ftc_board_state(&ftc_library.board, c->slot[rank]) == FTC_RANK_FAILED;
    rv = unite(call, c, roll->dead, (size_t)roll->size);
    if (rv == MPI_SUCCESS)
        strike_off(roll);
    return rv;
}

/* ---- the roll ---- */

static bool open_roll(const struct ftc_creation *x, struct roll *roll)
{
    roll->is_own = x->kind == FTC_CALL_COMM_CREATE_GROUP;
    ftc_library_lock();
    roll->comm = roll->is_own ? ftc_comm_for_call(x->group, x->tag) : ftc_comm_get(x->comm);
    ftc_library_unlock();
    if (!roll->comm)
        return false;
    roll->size = roll->comm->size;
    if (roll->is_own)
        roll->group = x->group;
    else
        PMPI_Comm_group(x->comm, &roll->group);
    roll->dead = roll->comm->pass == FTC_PASS_NONE ? calloc((size_t)roll->size, 1) : NULL;
    return roll->dead != NULL;
}

static void close_roll(struct roll *roll)
{
    if (roll->comm && roll->is_own) {
        ftc_library_lock();
        ftc_comm_release(roll->comm);
        ftc_library_unlock();
    }
    if (roll->group != MPI_GROUP_NULL && !roll->is_own)
        PMPI_Group_free(&roll->group);
    free(roll->dead);
}

/* ---- who is in the new communicator ---- */

/* @group without the dead, in its order. */
static int without_the_dead(const struct roll *roll, MPI_Group group, MPI_Group *living)
{
    int *rank = malloc((size_t)roll->size * sizeof *rank), count = 0, rv;
    MPI_Group dead;

    if (!rank)
        return ftc_error_no_memory();
    for (int i = 0; i < roll->size; i++)
        if (roll->dead[i])
            rank[count++] = i;
    rv = PMPI_Group_incl(roll->group, count, rank, &dead);
    free(rank);
    if (rv != MPI_SUCCESS)
        return rv;
    rv = PMPI_Group_difference(group, dead, living);
    PMPI_Group_free(&dead);
    return rv;
}

static int color_of(const struct ftc_creation *x)
{
    if (x->kind == FTC_CALL_COMM_SPLIT)
        return x->color;
    /* All ranks are on one host. Of other types MPI lets a part be none at all. */
    return x->type == MPI_COMM_TYPE_SHARED ? 0 : MPI_UNDEFINED;
}

/* Those of @color by key, of equal keys by rank: so an insertion that keeps the order. */
static int ranks_of_color(const struct choice *choice, const struct roll *roll, int color,
                          int *rank)
{
    int count = 0;

    for (int i = 0; i < roll->size; i++) {
        int at = count;

        if (!choice[i].is_there || roll->dead[i] || choice[i].color != color)
            continue;
        for (; at > 0 && choice[rank[at - 1]].key > choice[i].key; at--)
            rank[at] = rank[at - 1];
        rank[at] = i;
        count++;
    }
    return count;
}

static int part_of_split(const struct ftc_creation *x, const struct ftc_call *call,
                         struct roll *roll, MPI_Group *part)
{
    struct choice *choice = calloc((size_t)roll->size, sizeof *choice);
    int *rank = malloc((size_t)roll->size * sizeof *rank), own = roll->comm->rank, rv;

    if (!choice || !rank) {
        rv = ftc_error_no_memory();
        goto out;
    }
    choice[own] = (struct choice){.is_there = 1, .color = color_of(x), .key = x->key};
    rv = unite(call, roll->comm, choice, (size_t)roll->size * sizeof *choice);
    if (rv != MPI_SUCCESS)
        goto out;
    strike_off(roll);
    if (choice[own].color == MPI_UNDEFINED)
        *part = MPI_GROUP_EMPTY;
    else
        rv = PMPI_Group_incl(roll->group, ranks_of_color(choice, roll, choice[own].color, rank),
                             rank, part);
out:
    free(choice);
    free(rank);
    return rv;
}

static int members_of(const struct ftc_creation *x, const struct ftc_call *call, struct roll *roll,
                      MPI_Group *members)
{
    switch (x->kind) {
    case FTC_CALL_COMM_SPLIT:
    case FTC_CALL_COMM_SPLIT_TYPE:
        return part_of_split(x, call, roll, members);
    case FTC_CALL_COMM_CREATE:
        return without_the_dead(roll, x->group, members);
    default:
        return without_the_dead(roll, roll->group, members);
    }
}

/* ---- the new communicator ---- */

/* As MPICH does it: MPI_Comm_create and MPI_Comm_create_group inherit nothing. */
static bool inherits_error_handler(enum ftc_call_kind kind)
{
    return kind != FTC_CALL_COMM_CREATE && kind != FTC_CALL_COMM_CREATE_GROUP;
}

static void inherit_error_handler(const struct ftc_creation *x)
{
    MPI_Errhandler handler;

    if (PMPI_Comm_get_errhandler(x->comm, &handler) != MPI_SUCCESS)
        return;
    PMPI_Comm_set_errhandler(*x->newcomm, handler);
    PMPI_Errhandler_free(&handler);
}

static int make(const struct ftc_creation *x, MPI_Group members)
{
    int tag = x->kind == FTC_CALL_COMM_CREATE_GROUP ? x->tag : TAG, rv;

    if (!is_member(members))
        return MPI_SUCCESS;
    rv = FTC_NATIVE_CALL(x->kind, x->comm, FTC_ALL_MEMBERS, x->return_address,
                         PMPI_Comm_create_group(x->comm, members, tag, x->newcomm));
    if (rv != MPI_SUCCESS)
        return rv;
    if (inherits_error_handler(x->kind))
        inherit_error_handler(x);
    if (x->kind == FTC_CALL_COMM_DUP_WITH_INFO && x->info != MPI_INFO_NULL)
        rv = PMPI_Comm_set_info(*x->newcomm, x->info);
    if (rv != MPI_SUCCESS)
        PMPI_Comm_free(x->newcomm);
    return rv;
}

static int create(const struct ftc_creation *x, const struct ftc_call *call, struct roll *roll)
{
    MPI_Group members = MPI_GROUP_EMPTY;
    int rv = members_of(x, call, roll, &members);

    if (rv == MPI_SUCCESS)
        rv = make(x, members);
    if (members != MPI_GROUP_EMPTY)
        PMPI_Group_free(&members);
    return rv;
}

static bool is_on(void)
{
    return ftc_library.state == FTC_LIBRARY_ACTIVE && !ftc_library.paused &&
           ftc_library.settings.communicators == FTC_COMMUNICATORS_SURVIVORS;
}

bool ftc_survivors_create(struct ftc_creation *x)
{
    struct ftc_call call = {.kind = x->kind,
                            .comm = x->comm,
                            .datatype = MPI_DATATYPE_NULL,
                            .op = MPI_OP_NULL,
                            .return_address = x->return_address};
    struct roll roll = {.group = MPI_GROUP_NULL};
    bool is_done = false;

    if (!is_on() || !arguments_are_valid(x))
        return false;
    if (open_roll(x, &roll)) {
        ftc_report_call(&call, FTC_PASS_NONE);
        x->result = agree_on_the_dead(&call, &roll);
        is_done = x->result != MPI_SUCCESS || roll.dead_count > 0;
    }
    if (is_done) {
        *x->newcomm = MPI_COMM_NULL;
        if (x->result == MPI_SUCCESS)
            x->result = create(x, &call, &roll);
        ftc_error_raise(&call);
    }
    close_roll(&roll);
    return is_done;
}
