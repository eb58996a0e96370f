/* creation: a call of the program that makes a communicator, or only that of a file, with its
 * arguments. */
#ifndef FTC_NEW_COMMUNICATORS_CREATION_H
#define FTC_NEW_COMMUNICATORS_CREATION_H

#include "call/call.h"

/* Arguments of the calls that make a topology, named as in MPI. */
struct ftc_arrangement {
    int ndims; /* CART_CREATE */
    const int *dims, *periods;
    const int *remain_dims; /* CART_SUB */
    int nnodes;             /* GRAPH_CREATE */
    const int *index, *edges;
    int indegree, outdegree; /* DIST_GRAPH_CREATE_ADJACENT */
    int n;                   /* DIST_GRAPH_CREATE */
    const int *sources, *degrees, *destinations;
    const int *source_weights, *weights; /* DIST_GRAPH_CREATE has only the second */
    MPI_Info info;
    int reorder;
};

/* Arguments of MPI_Intercomm_create(), besides the tag and the communicator of its own group. */
struct ftc_bridge {
    int local_leader;
    MPI_Comm peer; /* significant only at the leader, as is remote_leader */
    int remote_leader;
};

/* Arguments of MPI_Intercomm_create_from_groups(), besides its own group. */
struct ftc_two_groups {
    int local_leader;
    MPI_Group remote; /* significant only at the leader, as is remote_leader */
    int remote_leader;
};

/* Arguments of MPI_File_open(). */
struct ftc_opening {
    const char *name;
    int amode;
    MPI_Info info;
    MPI_File *file;
};

struct ftc_creation {
    enum ftc_call_kind kind; /* call of class COMMUNICATOR, or FILE_OPEN */
    MPI_Comm comm;
    MPI_Comm *newcomm; /* stays MPI_COMM_NULL in FILE_OPEN */
    MPI_Group group;   /* COMM_CREATE, COMM_CREATE_GROUP, COMM_CREATE_FROM_GROUP, and this rank's of
                        * INTERCOMM_CREATE_FROM_GROUPS */
    int tag;           /* COMM_CREATE_GROUP, INTERCOMM_CREATE; else the number of stringtag */
    const char *stringtag;     /* COMM_CREATE_FROM_GROUP, INTERCOMM_CREATE_FROM_GROUPS */
    MPI_Errhandler errhandler; /* calls from groups: for the result and for their own errors */
    int color, key;            /* COMM_SPLIT, COMM_SPLIT_TYPE: only the key */
    int type;                  /* COMM_SPLIT_TYPE */
    int high;                  /* INTERCOMM_MERGE, whose comm is an intercommunicator */
    MPI_Info info; /* COMM_DUP_WITH_INFO, COMM_IDUP_WITH_INFO, COMM_SPLIT_TYPE, calls from groups */
    const struct ftc_arrangement *arrangement; /* CART_CREATE ... DIST_GRAPH_CREATE_ADJACENT */
    const struct ftc_opening *opening;         /* FILE_OPEN */
    const struct ftc_two_groups *groups;       /* INTERCOMM_CREATE_FROM_GROUPS */
    const struct ftc_bridge *bridge; /* INTERCOMM_CREATE; INTERCOMM_CREATE_FROM_GROUPS once comm is
                                      * of its own group (from_groups.h) */
    uint64_t lineage;                /* number of the new intercommunicator, or 0 */
    bool is_inter;                   /* whether it makes an intercommunicator of two groups */
    const void *return_address;
    int result; /* MPI error code, if the library carried out the call */
};

/* Returns whether the call makes a communicator from groups alone, without a communicator. */
static inline bool ftc_creation_is_from_groups(enum ftc_call_kind kind)
{
    return kind == FTC_CALL_COMM_CREATE_FROM_GROUP || kind == FTC_CALL_INTERCOMM_CREATE_FROM_GROUPS;
}

static inline bool ftc_creation_has_group(enum ftc_call_kind kind)
{
    return kind == FTC_CALL_COMM_CREATE || kind == FTC_CALL_COMM_CREATE_GROUP ||
           ftc_creation_is_from_groups(kind);
}

/* Returns whether only the members of x->group call it. */
static inline bool ftc_creation_is_in_group(const struct ftc_creation *x)
{
    return x->kind == FTC_CALL_COMM_CREATE_GROUP ||
           (ftc_creation_is_from_groups(x->kind) && !x->bridge);
}

static inline bool ftc_creation_is_copy(enum ftc_call_kind kind)
{
    return kind == FTC_CALL_COMM_DUP || kind == FTC_CALL_COMM_DUP_WITH_INFO ||
           kind == FTC_CALL_COMM_IDUP || kind == FTC_CALL_COMM_IDUP_WITH_INFO;
}

static inline bool ftc_creation_is_topology(enum ftc_call_kind kind)
{
    switch (kind) {
    case FTC_CALL_CART_CREATE:
    case FTC_CALL_CART_SUB:
    case FTC_CALL_GRAPH_CREATE:
    case FTC_CALL_DIST_GRAPH_CREATE:
    case FTC_CALL_DIST_GRAPH_CREATE_ADJACENT:
        return true;
    default:
        return false;
    }
}

#endif
