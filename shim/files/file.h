/* file: collective calls on a file after one of its members has died (setting communicators). The
 * members of a file are the ranks that opened it.
 *
 * MPICH's MPI-IO keeps a copy of the communicator of MPI_File_open for each file. After a failure,
 * a file is opened on a communicator of the survivors (new_communicators/create.h). A file that was
 * open when a member died keeps its communicator, and a native collective call on it would wait for
 * the dead member. The library therefore takes these steps:
 *
 * 1. The members meet in an operation of the library, which counts them.
 * 2. If all are alive, native MPI carries out the call. A rank that would wait there for a member
 *    that died after step 1 abandons the call (new_communicators/abandonable.h).
 * 3. The members meet again and count the ranks on which the native call has returned. If a member
 *    died during the call, the call may have returned on some ranks and been abandoned on others.
 * 4. If a rank is missing in step 1 or 3, each rank does its part alone, even if the native call
 *    has returned there. Data that a dead aggregator held for the file are lost, and writing the
 *    same data twice does no harm.
 *
 * A rank may read or write its part of a collective call alone, because MPI's rules for the result
 * are the same. After step 4 all later calls are done this way, and wait for no rank.
 *
 * A call with a request must not wait for other ranks. It therefore cannot count them, and a rank
 * could not take back a transfer that it has begun. Each rank always does its part of such a call
 * alone.
 *
 * MPI-IO waits for all members before it sets a view, a size or the like, and in split calls. With
 * a dead member, each survivor opens its own handle for these calls (own_handle.h). From then on
 * that handle replaces the program's handle in all calls.
 *
 * A shared file pointer belongs to all members. With a dead member, calls that use it return an
 * error of class MPIX_ERR_PROC_FAILED on all survivors. The program has to open the file again. */
#ifndef FTC_FILES_FILE_H
#define FTC_FILES_FILE_H

#include "call/call.h"

/* Arguments of a call that reads or writes at the calling rank's own offset or position. */
struct ftc_transfer {
    enum ftc_call_kind kind; /* FILE_READ_ALL, FILE_READ_AT_ALL, FILE_WRITE_ALL, FILE_WRITE_AT_ALL;
                              * with a request FILE_IREAD_ALL and so on */
    MPI_File file;
    MPI_Offset offset; /* file offset; only for the kinds with AT */
    void *buffer;      /* not changed by a write */
    MPI_Count count;
    bool is_wide; /* large-count form */
    MPI_Datatype datatype;
    MPI_Status *status; /* unused with a request */
    const void *return_address;
    int result; /* MPI error code, if the library carried out the call */
};

/* Arguments of a call that changes a property of the file or of its handle. */
struct ftc_change {
    enum ftc_call_kind kind; /* FILE_SET_VIEW, FILE_SET_SIZE, FILE_PREALLOCATE, FILE_SET_ATOMICITY,
                              * FILE_SET_INFO */
    MPI_File file;
    MPI_Offset offset;            /* displacement of a view, or size */
    MPI_Datatype etype, filetype; /* arguments of a view, like representation */
    const char *representation;
    MPI_Info info; /* hints, also those of a view */
    int flag;      /* atomicity */
    const void *return_address;
    int result;
};

/* The functions that return bool return false if native MPI must carry out the call: without the
 * setting, for a file of one rank, and for a file that the library has not seen being opened. */

/* Opens a file. Stores its handle in *@file and the error code in *@rv. Also returns false for
 * arguments that native MPI rejects. */
bool ftc_file_open(MPI_Comm comm, const char *name, int amode, MPI_Info info, MPI_File *file,
                   const void *return_address, int *rv);

bool ftc_file_transfer(struct ftc_transfer *transfer);

/* Begins a transfer with a @request. Waits for no other rank. */
bool ftc_file_begin(struct ftc_transfer *transfer, MPI_Request *request);

/* Changes a property. With a dead member, each survivor changes its own handle. A size is changed
 * by one survivor, and the others wait for it. */
bool ftc_file_change(struct ftc_change *x);

/* Collective call that native MPI carries out with all members. If it @is_done_alone, native MPI
 * can also carry it out on each rank's own handle: the first half of a split call. */
struct ftc_refusable {
    enum ftc_call_kind kind;
    bool is_done_alone;
    const void *return_address;
};

/* Returns true, and raises the error *@rv, if the call cannot be carried out because a member of
 * *@file is dead. Otherwise stores the handle for the native call in *@file. Waits for the other
 * members. */
bool ftc_file_refuses(const struct ftc_refusable *x, MPI_File *file, int *rv);

/* Returns true, and raises the error *@rv, if a view of @file could not be set. For calls of one
 * rank that read or write. Waits for no rank. */
bool ftc_file_has_no_view(MPI_File file, const void *return_address, int *rv);

/* As above, but also returns true if own handles have replaced @file. For calls of one rank that
 * use the shared file pointer. */
bool ftc_file_has_no_pointer(enum ftc_call_kind kind, MPI_File file, const void *return_address,
                             int *rv);

/* Completes MPI_File_sync() on @file, which has returned @rv. Returns @rv, or an error if a member
 * of a copied communicator has died for which no error was returned yet. Waits for the other
 * members. */
int ftc_file_synced(MPI_File file, const void *return_address, int rv);

/* Returns the handle that a call of one rank must use in place of @handle. */
MPI_File ftc_file_in_use(MPI_File handle);

/* Closes *@file. With a dead member, MPI's descriptor and communicator of the file remain until the
 * process ends. Before this function returns, all written data are handed to the file system, and a
 * file with MPI_MODE_DELETE_ON_CLOSE is deleted. It may then return an error as ftc_file_synced()
 * does. */
bool ftc_file_close(MPI_File *file, const void *return_address, int *rv);

#endif
