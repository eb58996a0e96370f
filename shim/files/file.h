/* file: collective calls on a file some members of which are dead (setting communicators).
 *
 * MPICH's MPI-IO keeps a communicator for each file: that of MPI_File_open, copied. After a failure
 * a file is opened with one of the survivors (new_communicators/create.h). Of a file that was open
 * when a member died the communicator stays, and a collective call on it waits for the dead. So:
 *
 * 1. The members meet in an operation of the library's own, which counts them.
 * 2. Are all there, native MPI carries the call out. A rank that would wait there for somebody who
 *    has died since 1 abandons the call (new_communicators/abandonable.h).
 * 3. They meet again, and count those who have come through: one of them may have died since, for
 *    whom another has left.
 * 4. Else each does its part alone, whether it has come through or not: what an aggregator had for
 *    the file when it died is in nobody's hands any more. To write the same again does no harm.
 *
 * What each rank reads or writes in a collective call it may as well read or write alone: MPI's
 * rules for the result are the same. After step 4 all do so at once, and wait for no rank.
 *
 * A call with a request must not wait for other ranks, so that it cannot meet them, and no rank
 * could take back what it has begun. Each rank does its part of these alone from the beginning.
 *
 * MPI-IO waits for all members before it sets a view, a size or the like, and in split calls. With
 * a dead member each of the living opens a handle of its own for these (own_handle.h). From then on
 * that handle takes the place of the program's in all calls.
 *
 * A shared file pointer belongs to all members. With a dead one, calls that use it return an error
 * on all, of class MPIX_ERR_PROC_FAILED, and the program opens the file again. */
#ifndef FTC_FILES_FILE_H
#define FTC_FILES_FILE_H

#include "call/call.h"

/* One of the calls that read or write at an offset of the caller's own. */
struct ftc_transfer {
    enum ftc_call_kind kind; /* FILE_READ_ALL, FILE_READ_AT_ALL, FILE_WRITE_ALL, FILE_WRITE_AT_ALL;
                              * with a request FILE_IREAD_ALL and so on */
    MPI_File file;
    MPI_Offset offset; /* of those AT */
    void *buffer;      /* which those that write do not change */
    MPI_Count count;
    bool is_wide; /* the large-count form */
    MPI_Datatype datatype;
    MPI_Status *status; /* of calls without a request */
    const void *return_address;
    int result; /* MPI error code, if the call was carried out here */
};

/* A call that changes what the file or the handle has. */
struct ftc_change {
    enum ftc_call_kind kind; /* FILE_SET_VIEW, FILE_SET_SIZE, FILE_PREALLOCATE, FILE_SET_ATOMICITY,
                              * FILE_SET_INFO */
    MPI_File file;
    MPI_Offset offset;            /* displacement of a view, or size */
    MPI_Datatype etype, filetype; /* this and the next of a view */
    const char *representation;
    MPI_Info info; /* of a view, or the hints */
    int flag;      /* atomicity */
    const void *return_address;
    int result;
};

/* All of the following are false if native MPI is to carry the call out: without the setting, for
 * files of one rank, and for those that the library has not seen being opened. */

/* Leaves the file in *@file and the error code in *@rv. Also false for arguments that native MPI
 * rejects. */
bool ftc_file_open(MPI_Comm comm, const char *name, int amode, MPI_Info info, MPI_File *file,
                   const void *return_address, int *rv);

bool ftc_file_transfer(struct ftc_transfer *transfer);

/* Begins a transfer that has a @request. Waits for no other rank. */
bool ftc_file_begin(struct ftc_transfer *transfer, MPI_Request *request);

/* With a dead member each of the living changes its own handle; the size is changed by one of them,
 * and the others wait. */
bool ftc_file_change(struct ftc_change *x);

/* A collective call that native MPI carries out with the other members, or with each rank's own
 * handle if it @is_done_alone: the first half of a split call is. */
struct ftc_refusable {
    enum ftc_call_kind kind;
    bool is_done_alone;
    const void *return_address;
};

/* True, with an error, if the call cannot be carried out because a member of *@file is dead.
 * Otherwise *@file is the handle for the native call. Waits for the others. */
bool ftc_file_refuses(const struct ftc_refusable *x, MPI_File *file, int *rv);

/* True, with an error, for a call of one rank that reads or writes, if the view of @file could not
 * be set; and for one with the shared file pointer, if handles of their own take the place of
 * @file. Waits for no rank. */
bool ftc_file_has_no_view(MPI_File file, const void *return_address, int *rv);
bool ftc_file_has_no_pointer(enum ftc_call_kind kind, MPI_File file, const void *return_address,
                             int *rv);

/* After MPI_File_sync() on @file with the error code @rv. Returns that, or an error if a member of
 * a copied communicator has died for which there was none yet. Waits for the others. */
int ftc_file_synced(MPI_File file, const void *return_address, int rv);

/* The handle for calls of one rank on @handle. */
MPI_File ftc_file_in_use(MPI_File handle);

/* With a dead member what MPI has of the file stays until the end of the process: a descriptor, and
 * the communicator. What was written has been handed to the file system before this returns, and
 * one that is to be deleted on close is. An error as by ftc_file_synced() comes after that. */
bool ftc_file_close(MPI_File *file, const void *return_address, int *rv);

#endif
