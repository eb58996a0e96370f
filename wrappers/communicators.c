/* Wrappers of calls that make a communicator, and of those that free one. A wrapper states only its
 * difference from native MPI. */
#include "communicator/error_handler.h"
#include "communicator/group.h"
#include "communicator/lineage.h"
#include "communicator/spares.h"
#include "communicator/virtual_topology.h"
#include "entries.h"
#include "job_end.h"
#include "library.h"
#include "lifecycle/outside.h"
#include "mpi/polls.h"
#include "new_communicators/abandonable.h"
#include "new_communicators/create.h"
#include "new_communicators/from_groups.h"
#include "new_communicators/native_messages.h"
#include "program/native_call.h"
#include "program/native_yield.h"
#include "progress/empty_request.h"
#include "value/datatype.h"

#include <string.h>

/* Carries out x by @pmpi_call of native MPI, which all members of x.comm have to make. */
#define NATIVE(pmpi_call)                                                                          \
    (ftc_lineage_expect(x.newcomm),                                                                \
     FTC_NATIVE_CALL(x.kind, x.comm, FTC_ALL_MEMBERS, x.return_address, pmpi_call))

/* As above, but a call that only the ranks of x.group have to make. */
#define NATIVE_GROUP(pmpi_call)                                                                    \
    (ftc_lineage_expect(x.newcomm),                                                                \
     ftc_native_call_enter_group(x.kind, x.group, x.return_address),                               \
     ftc_native_call_leave_with(pmpi_call))

/* As above, but a call of the groups of two leaders. */
#define NATIVE_LEADERS(pmpi_call)                                                                  \
    (ftc_lineage_expect(x.newcomm),                                                                \
     ftc_native_call_enter_leaders(x.comm, x.bridge->local_leader, x.bridge->peer,                 \
                                   x.bridge->remote_leader, x.return_address),                     \
     ftc_native_call_leave_with(pmpi_call))

/* As above, but a call of two groups that name each other. */
#define NATIVE_TWO_GROUPS(pmpi_call)                                                               \
    (ftc_lineage_expect(x.newcomm), enter_two_groups(&x), ftc_native_call_leave_with(pmpi_call))

static void enter_two_groups(const struct ftc_creation *x)
{
    MPI_Group needed = MPI_GROUP_NULL;

    if (ftc_library.state == FTC_LIBRARY_ACTIVE)
        needed = ftc_from_groups_needed(x->group, x->groups);
    ftc_native_call_enter_group(x->kind, needed, x->return_address);
    if (needed != MPI_GROUP_NULL)
        PMPI_Group_free(&needed);
}

/* Returns the code of x: @create carries it out for the survivors, or else @native does. */
#define MADE_BY(create, native) (create(&x) ? x.result : (native))
#define MADE(native)            MADE_BY(ftc_new_communicator_create, native)

/* Gives *@newcomm, made of @comm with the error code @rv, its lineage and its error handler.
 * Returns @rv. */
static int made_from(MPI_Comm comm, const MPI_Comm *newcomm, int rv)
{
    return ftc_error_handler_from(comm, newcomm, ftc_lineage_from(comm, newcomm, rv));
}

static int copied_from(MPI_Comm comm, const MPI_Comm *newcomm, int rv)
{
    int made = made_from(comm, newcomm, rv);

    if (ftc_library.state == FTC_LIBRARY_ACTIVE && made == MPI_SUCCESS)
        ftc_lineage_note_copy(newcomm);
    return made;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    struct ftc_creation x = {
        .kind = FTC_CALL_COMM_DUP,
        .comm = comm,
        .newcomm = newcomm,
        .return_address = __builtin_return_address(0),
    };

    return copied_from(comm, newcomm, MADE(NATIVE(PMPI_Comm_dup(comm, newcomm))));
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    struct ftc_creation x = {
        .kind = FTC_CALL_COMM_DUP_WITH_INFO,
        .comm = comm,
        .newcomm = newcomm,
        .info = info,
        .return_address = __builtin_return_address(0),
    };

    return copied_from(comm, newcomm, MADE(NATIVE(PMPI_Comm_dup_with_info(comm, info, newcomm))));
}

/* Carries out the nonblocking call @x at once if all members know that one of them is dead. Returns
 * false if native MPI has to carry it out. */
static bool is_done_here(struct ftc_creation *x, MPI_Request *request)
{
    if (!request || !ftc_new_communicator_create_if_dead(x))
        return false;
    *request = MPI_REQUEST_NULL;
    if (x->result == MPI_SUCCESS)
        x->result = copied_from(x->comm, x->newcomm, ftc_completed_request(request));
    return true;
}

/* Gives *@newcomm, which native MPI makes of @comm with the error code @rv, all that it inherits.
 * That is done at once, because nothing shows when the communicator is complete. Returns @rv. */
static int with_places(MPI_Comm comm, const MPI_Comm *newcomm, int rv)
{
    if (rv == MPI_SUCCESS && newcomm && *newcomm != MPI_COMM_NULL &&
        !ftc_virtual_topology_inherit(comm, *newcomm))
        ftc_job_end_no_memory("another communicator");
    return copied_from(comm, newcomm, rv);
}

/* Begins a nonblocking copy. Native MPI does not wait in it: the call is counted, but not
 * marked. */
static int begin_copy(struct ftc_creation *x, MPI_Request *request)
{
    int rv;

    if (is_done_here(x, request))
        return x->result;
    ftc_native_call_count(x->kind, x->comm, FTC_ALL_MEMBERS, x->return_address);
    ftc_lineage_expect(x->newcomm);
    rv = x->kind == FTC_CALL_COMM_IDUP
             ? PMPI_Comm_idup(x->comm, x->newcomm, request)
             : PMPI_Comm_idup_with_info(x->comm, x->info, x->newcomm, request);
    return with_places(x->comm, x->newcomm, rv);
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    struct ftc_creation x = {
        .kind = FTC_CALL_COMM_IDUP,
        .comm = comm,
        .newcomm = newcomm,
        .return_address = __builtin_return_address(0),
    };

    return begin_copy(&x, request);
}

int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request)
{
    struct ftc_creation x = {
        .kind = FTC_CALL_COMM_IDUP_WITH_INFO,
        .comm = comm,
        .newcomm = newcomm,
        .info = info,
        .return_address = __builtin_return_address(0),
    };

    return begin_copy(&x, request);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
    struct ftc_creation x = {
        .kind = FTC_CALL_COMM_CREATE,
        .comm = comm,
        .newcomm = newcomm,
        .group = group,
        .return_address = __builtin_return_address(0),
    };

    return ftc_lineage_from(comm, newcomm, MADE(NATIVE(PMPI_Comm_create(comm, group, newcomm))));
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
    struct ftc_creation x = {
        .kind = FTC_CALL_COMM_CREATE_GROUP,
        .comm = comm,
        .newcomm = newcomm,
        .group = group,
        .tag = tag,
        .return_address = __builtin_return_address(0),
    };

    return ftc_lineage_in_group(
        comm, group, tag, newcomm,
        MADE(NATIVE_GROUP(PMPI_Comm_create_group(comm, group, tag, newcomm))));
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
    struct ftc_creation x = {
        .kind = FTC_CALL_COMM_SPLIT,
        .comm = comm,
        .newcomm = newcomm,
        .color = color,
        .key = key,
        .return_address = __builtin_return_address(0),
    };

    return made_from(comm, newcomm, MADE(NATIVE(PMPI_Comm_split(comm, color, key, newcomm))));
}

int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)
{
    struct ftc_creation x = {
        .kind = FTC_CALL_COMM_SPLIT_TYPE,
        .comm = comm,
        .newcomm = newcomm,
        .type = split_type,
        .key = key,
        .info = info,
        .return_address = __builtin_return_address(0),
    };

    return made_from(comm, newcomm,
                     MADE(NATIVE(PMPI_Comm_split_type(comm, split_type, key, info, newcomm))));
}

/* Notes the error handler of *@made, which native MPI has made of groups alone with the error code
 * @rv: the one that the call was given. Returns @rv. */
static int handled_by(MPI_Errhandler errhandler, const MPI_Comm *made, int rv)
{
    if (rv == MPI_SUCCESS && made && *made != MPI_COMM_NULL)
        ftc_error_handler_note(*made, errhandler);
    return rv;
}

int MPI_Comm_create_from_group(MPI_Group group, const char *stringtag, MPI_Info info,
                               MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
    struct ftc_creation x = {
        .kind = FTC_CALL_COMM_CREATE_FROM_GROUP,
        .comm = MPI_COMM_WORLD,
        .newcomm = newcomm,
        .group = group,
        .tag = ftc_from_groups_tag(stringtag),
        .stringtag = stringtag,
        .info = info,
        .errhandler = errhandler,
        .return_address = __builtin_return_address(0),
    };
    int rv;

    ftc_outside_say_sessions();
    rv = MADE_BY(ftc_from_group_create,
                 handled_by(errhandler, newcomm,
                            NATIVE_GROUP(PMPI_Comm_create_from_group(group, stringtag, info,
                                                                     errhandler, newcomm))));
    return ftc_lineage_in_group(MPI_COMM_WORLD, group, x.tag, newcomm, rv);
}

/* Gives a lineage to *@made, which has no parent because two groups have made it together. Groups
 * with one thread make all intercommunicators of the same members in one order, which identifies
 * the call. With more threads both groups must have told each other which call it was (@lineage,
 * else 0). Returns @rv. */
static int note_intercomm(const MPI_Comm *made, uint64_t lineage, int rv)
{
    MPI_Group both;

    if (ftc_library.state != FTC_LIBRARY_ACTIVE || rv != MPI_SUCCESS || !made ||
        *made == MPI_COMM_NULL)
        return rv;
    ftc_lineage_give(*made, lineage);
    if (lineage != 0 || ftc_library.threaded)
        return rv;
    both = ftc_group_of_both_in_order(*made);
    if (both == MPI_GROUP_NULL)
        return rv;
    ftc_lineage_in_group(MPI_COMM_WORLD, both, 0, made, rv);
    PMPI_Group_free(&both);
    return rv;
}

int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                         int remote_leader, int tag, MPI_Comm *newintercomm)
{
    struct ftc_bridge bridge = {local_leader, peer_comm, remote_leader};
    struct ftc_creation x = {
        .kind = FTC_CALL_INTERCOMM_CREATE,
        .comm = local_comm,
        .newcomm = newintercomm,
        .tag = tag,
        .bridge = &bridge,
        .return_address = __builtin_return_address(0),
    };

    int rv = MADE(NATIVE_LEADERS(PMPI_Intercomm_create(local_comm, local_leader, peer_comm,
                                                       remote_leader, tag, newintercomm)));

    return ftc_error_handler_from(local_comm, newintercomm,
                                  note_intercomm(newintercomm, x.lineage, rv));
}

int MPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader,
                                     MPI_Group remote_group, int remote_leader,
                                     const char *stringtag, MPI_Info info,
                                     MPI_Errhandler errhandler, MPI_Comm *newintercomm)
{
    struct ftc_two_groups groups = {local_leader, remote_group, remote_leader};
    struct ftc_creation x = {
        .kind = FTC_CALL_INTERCOMM_CREATE_FROM_GROUPS,
        .comm = MPI_COMM_WORLD,
        .newcomm = newintercomm,
        .group = local_group,
        .tag = ftc_from_groups_tag(stringtag),
        .stringtag = stringtag,
        .info = info,
        .groups = &groups,
        .errhandler = errhandler,
        .return_address = __builtin_return_address(0),
    };
    int rv;

    ftc_outside_say_sessions();
    rv = MADE_BY(ftc_from_groups_create,
                 handled_by(errhandler, newintercomm,
                            NATIVE_TWO_GROUPS(PMPI_Intercomm_create_from_groups(
                                local_group, local_leader, remote_group, remote_leader, stringtag,
                                info, errhandler, newintercomm))));
    return note_intercomm(newintercomm, x.lineage, rv);
}

/* Gives a lineage to *@made, which MPI_Intercomm_merge() has made of an intercommunicator without
 * one. Its ranks wait for each other in each such call. Ranks with one thread thus make all these
 * calls in one order. Returns @rv. */
static int merged_of_unseen(const MPI_Comm *made, int rv)
{
    MPI_Group group;

    if (ftc_library.threaded || rv != MPI_SUCCESS || !made || *made == MPI_COMM_NULL)
        return rv;
    PMPI_Comm_group(*made, &group);
    ftc_lineage_in_group(MPI_COMM_WORLD, group, 0, made, rv);
    PMPI_Group_free(&group);
    return rv;
}

static int merged(MPI_Comm intercomm, const MPI_Comm *made, int rv)
{
    if (ftc_library.state != FTC_LIBRARY_ACTIVE || rv != MPI_SUCCESS ||
        !ftc_is_comm(intercomm)) /* MPICH 5.0 also returns MPI_SUCCESS after it has called
                                  * an error handler */
        return rv;
    return ftc_lineage_of(intercomm) ? ftc_lineage_from(intercomm, made, rv)
                                     : merged_of_unseen(made, rv);
}

int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintracomm)
{
    struct ftc_creation x = {
        .kind = FTC_CALL_INTERCOMM_MERGE,
        .comm = intercomm,
        .newcomm = newintracomm,
        .high = high,
        .return_address = __builtin_return_address(0),
    };

    return merged(intercomm, newintracomm,
                  MADE(NATIVE(PMPI_Intercomm_merge(intercomm, high, newintracomm))));
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)
{
    int rv = PMPI_Comm_set_errhandler(comm, errhandler);

    if (rv == MPI_SUCCESS)
        ftc_error_handler_note(comm, errhandler);
    return rv;
}

int MPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void *attribute_val)
{
    ftc_spares_note_change(comm);
    return PMPI_Comm_set_attr(comm, comm_keyval, attribute_val);
}

int MPI_Attr_put(MPI_Comm comm, int keyval, void *attribute_val)
{
    ftc_spares_note_change(comm);
    return PMPI_Attr_put(comm, keyval, attribute_val);
}

int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
    ftc_spares_note_change(comm);
    return PMPI_Comm_set_info(comm, info);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    ftc_native_call_look_back();
    return ftc_new_communicator_free(comm, PMPI_Comm_free, __builtin_return_address(0));
}

int MPI_Comm_disconnect(MPI_Comm *comm)
{
    return FTC_NATIVE_CALL(
        FTC_CALL_COMM_DISCONNECT, comm ? *comm : MPI_COMM_NULL, FTC_ALL_MEMBERS,
        __builtin_return_address(0),
        ftc_new_communicator_free(comm, PMPI_Comm_disconnect, __builtin_return_address(0)));
}

/* Interposes on the function of libucp by which MPICH polls wherever it waits. Other devices:
 * shim/mpi/polls.h. */
unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*native)(void *);
    unsigned events;

    if (!native) {
        void *found = ftc_loaded_next("ucp_worker_progress");

        memcpy(&native, &found, sizeof native);
    }
    ftc_abandonable_poll_worker(worker);
    events = native(worker);
    ftc_polls_note(events != 0);
    if (events == 0)
        ftc_native_yield();
    return events;
}

/* Interposes on the function of libucp by which MPICH sends. */
ftc_ucx_send ucp_tag_send_nbx;

void *ucp_tag_send_nbx(void *ep, const void *buffer, size_t bytes, uint64_t tag,
                       const struct ftc_ucx_options *options)
{
    static ftc_ucx_send *native;
    void *request;

    if (!native) {
        void *found = ftc_loaded_next("ucp_tag_send_nbx");

        memcpy(&native, &found, sizeof native);
    }
    request = ftc_native_messages_send(native, ep, buffer, bytes, tag, options);
    if ((uintptr_t)request >= (uintptr_t)-FTC_UCX_ERRORS && ftc_abandonable_cannot_send())
        return NULL; /* stands for a complete send */
    return request;
}
