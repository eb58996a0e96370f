/* Wrappers of calls on files. */
#include "entries.h"
#include "files/file.h"
#include "program/native_call.h"

/* Defines a call of one rank. */
#define OWN_CALL(name, parameters, arguments)                                                      \
    int MPI_File_##name parameters                                                                 \
    {                                                                                              \
        fh = ftc_file_in_use(fh);                                                                  \
        return PMPI_File_##name arguments;                                                         \
    }

#define NO_REQUEST (&(MPI_Request){MPI_REQUEST_NULL})

/* Defines a call of one rank that reads or writes. If it @is_refused, it returns the error rv and
 * leaves no request in *@request. */
#define ONE_RANK(name, is_refused, request, parameters, arguments)                                 \
    int MPI_File_##name parameters                                                                 \
    {                                                                                              \
        int rv = MPI_SUCCESS;                                                                      \
                                                                                                   \
        if (is_refused) {                                                                          \
            *(request) = MPI_REQUEST_NULL;                                                         \
            return rv;                                                                             \
        }                                                                                          \
        fh = ftc_file_in_use(fh);                                                                  \
        return PMPI_File_##name arguments;                                                         \
    }

#define OWN_TRANSFER(name, request, parameters, arguments)                                         \
    ONE_RANK(name, ftc_file_has_no_view(fh, __builtin_return_address(0), &rv), request,            \
             parameters, arguments)

/* Defines a call of one rank with the shared file pointer. */
#define SHARED_CALL(kind, name, request, parameters, arguments)                                    \
    ONE_RANK(name,                                                                                 \
             ftc_file_has_no_pointer(FTC_CALL_FILE_##kind, fh, __builtin_return_address(0), &rv),  \
             request, parameters, arguments)

/* Defines a collective call that may be refused: it then returns an error. */
#define REFUSABLE(of_kind, alone, name, parameters, arguments)                                     \
    int MPI_File_##name parameters                                                                 \
    {                                                                                              \
        const struct ftc_refusable x = {                                                           \
            .kind = FTC_CALL_FILE_##of_kind,                                                       \
            .is_done_alone = alone,                                                                \
            .return_address = __builtin_return_address(0),                                         \
        };                                                                                         \
        int rv = MPI_SUCCESS;                                                                      \
                                                                                                   \
        if (ftc_file_refuses(&x, &fh, &rv))                                                        \
            return rv;                                                                             \
        ftc_native_call_enter_file(x.kind, fh, x.return_address);                                  \
        return ftc_native_call_leave_with(PMPI_File_##name arguments);                             \
    }

/* Defines the second half of a split call. The ranks do not meet in it. */
#define END_CALL(kind, name, parameters, arguments)                                                \
    int MPI_File_##name parameters                                                                 \
    {                                                                                              \
        fh = ftc_file_in_use(fh);                                                                  \
        ftc_native_call_enter_file(FTC_CALL_FILE_##kind, fh, __builtin_return_address(0));         \
        return ftc_native_call_leave_with(PMPI_File_##name arguments);                             \
    }

/* Defines a call that changes the file or its handle. @... are its arguments, as members of struct
 * ftc_change. */
#define CHANGE_CALL(of_kind, name, parameters, arguments, ...)                                     \
    int MPI_File_##name parameters                                                                 \
    {                                                                                              \
        struct ftc_change change = {                                                               \
            .kind = FTC_CALL_FILE_##of_kind,                                                       \
            .file = fh,                                                                            \
            .return_address = __builtin_return_address(0),                                         \
            __VA_ARGS__,                                                                           \
        };                                                                                         \
                                                                                                   \
        if (ftc_file_change(&change))                                                              \
            return change.result;                                                                  \
        ftc_native_call_enter_file(change.kind, fh, change.return_address);                        \
        return ftc_native_call_leave_with(PMPI_File_##name arguments);                             \
    }

int MPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh)
{
    const void *return_address = __builtin_return_address(0);
    int rv = MPI_SUCCESS;

    if (ftc_file_open(comm, filename, amode, info, fh, return_address, &rv))
        return rv;
    return FTC_NATIVE_CALL(FTC_CALL_FILE_OPEN, comm, FTC_ALL_MEMBERS, return_address,
                           PMPI_File_open(comm, filename, amode, info, fh));
}

int MPI_File_close(MPI_File *fh)
{
    const void *return_address = __builtin_return_address(0);
    int rv = MPI_SUCCESS;

    if (ftc_file_close(fh, return_address, &rv))
        return rv;
    ftc_native_call_enter_file(FTC_CALL_FILE_CLOSE, fh ? *fh : MPI_FILE_NULL, return_address);
    return ftc_native_call_leave_with(PMPI_File_close(fh));
}

/* Synchronises @fh besides the rank's own handle: data written before a death went through @fh. */
int MPI_File_sync(MPI_File fh)
{
    const void *return_address = __builtin_return_address(0);
    MPI_File own = ftc_file_in_use(fh);
    int rv;

    ftc_native_call_enter_file(FTC_CALL_FILE_SYNC, fh, return_address);
    rv = PMPI_File_sync(fh);
    if (own != fh && rv == MPI_SUCCESS)
        rv = PMPI_File_sync(own);
    ftc_native_call_leave();
    return ftc_file_synced(fh, return_address, rv);
}

/* Sets the error handler of both handles, because native MPI calls that of the handle that it is
 * given. */
int MPI_File_set_errhandler(MPI_File fh, MPI_Errhandler errhandler)
{
    MPI_File own = ftc_file_in_use(fh);
    int rv = PMPI_File_set_errhandler(fh, errhandler);

    return own == fh || rv != MPI_SUCCESS ? rv : PMPI_File_set_errhandler(own, errhandler);
}

/* Record of a transfer. @at is the offset, or 0 for calls that have none. */
#define TRANSFER_OF(of_kind, wide, at)                                                             \
    {                                                                                              \
        .kind = FTC_CALL_FILE_##of_kind, .file = fh, .offset = at,                                 \
        .buffer = (void *)(uintptr_t)buf, .count = count, .is_wide = wide, .datatype = datatype,   \
        .return_address = __builtin_return_address(0)                                              \
    }

#define TRANSFER(of_kind, wide, name, at, parameters, arguments)                                   \
    int MPI_File_##name parameters                                                                 \
    {                                                                                              \
        struct ftc_transfer transfer = TRANSFER_OF(of_kind, wide, at);                             \
                                                                                                   \
        transfer.status = status;                                                                  \
        if (ftc_file_transfer(&transfer))                                                          \
            return transfer.result;                                                                \
        ftc_native_call_enter_file(FTC_CALL_FILE_##of_kind, fh, transfer.return_address);          \
        return ftc_native_call_leave_with(PMPI_File_##name arguments);                             \
    }

/* Defines a transfer with a request. */
#define BEGIN(of_kind, wide, name, at, parameters, arguments)                                      \
    int MPI_File_##name parameters                                                                 \
    {                                                                                              \
        struct ftc_transfer transfer = TRANSFER_OF(of_kind, wide, at);                             \
                                                                                                   \
        if (ftc_file_begin(&transfer, request))                                                    \
            return transfer.result;                                                                \
        ftc_native_call_enter_file(FTC_CALL_FILE_##of_kind, fh, transfer.return_address);          \
        return ftc_native_call_leave_with(PMPI_File_##name arguments);                             \
    }

CHANGE_CALL(SET_VIEW, set_view,
            (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
             const char *datarep, MPI_Info info),
            (fh, disp, etype, filetype, datarep, info), .offset = disp, .etype = etype,
            .filetype = filetype, .representation = datarep, .info = info)
CHANGE_CALL(SET_SIZE, set_size, (MPI_File fh, MPI_Offset size), (fh, size), .offset = size)
CHANGE_CALL(PREALLOCATE, preallocate, (MPI_File fh, MPI_Offset size), (fh, size), .offset = size)
CHANGE_CALL(SET_INFO, set_info, (MPI_File fh, MPI_Info info), (fh, info), .info = info)
CHANGE_CALL(SET_ATOMICITY, set_atomicity, (MPI_File fh, int flag), (fh, flag), .flag = flag)
REFUSABLE(SEEK_SHARED, false, seek_shared, (MPI_File fh, MPI_Offset offset, int whence),
          (fh, offset, whence))

/* ---- calls that move data: the same for reading and writing, and for each type of count ---- */

#define HERE(...) (MPI_File fh, __VA_ARGS__)
#define AT(...)   (MPI_File fh, MPI_Offset offset, __VA_ARGS__)

/* Defines the calls that read, or those that write. @c is _c in the names of the large-count forms,
 * else empty. @... are the parameters that describe the elements. */
#define FORMS(kind, name, c, wide, ...)                                                            \
    TRANSFER(kind##_ALL, wide, name##_all##c, 0, HERE(__VA_ARGS__, MPI_Status *status),            \
             (fh, buf, count, datatype, status))                                                   \
    TRANSFER(kind##_AT_ALL, wide, name##_at_all##c, offset, AT(__VA_ARGS__, MPI_Status *status),   \
             (fh, offset, buf, count, datatype, status))                                           \
    BEGIN(I##kind##_ALL, wide, i##name##_all##c, 0, HERE(__VA_ARGS__, MPI_Request *request),       \
          (fh, buf, count, datatype, request))                                                     \
    BEGIN(I##kind##_AT_ALL, wide, i##name##_at_all##c, offset,                                     \
          AT(__VA_ARGS__, MPI_Request *request), (fh, offset, buf, count, datatype, request))      \
    REFUSABLE(kind##_ALL_BEGIN, true, name##_all_begin##c, HERE(__VA_ARGS__),                      \
              (fh, buf, count, datatype))                                                          \
    REFUSABLE(kind##_AT_ALL_BEGIN, true, name##_at_all_begin##c, AT(__VA_ARGS__),                  \
              (fh, offset, buf, count, datatype))                                                  \
    REFUSABLE(kind##_ORDERED, false, name##_ordered##c, HERE(__VA_ARGS__, MPI_Status *status),     \
              (fh, buf, count, datatype, status))                                                  \
    REFUSABLE(kind##_ORDERED_BEGIN, false, name##_ordered_begin##c, HERE(__VA_ARGS__),             \
              (fh, buf, count, datatype))                                                          \
    OWN_TRANSFER(name##c, NO_REQUEST, HERE(__VA_ARGS__, MPI_Status *status),                       \
                 (fh, buf, count, datatype, status))                                               \
    OWN_TRANSFER(name##_at##c, NO_REQUEST, AT(__VA_ARGS__, MPI_Status *status),                    \
                 (fh, offset, buf, count, datatype, status))                                       \
    OWN_TRANSFER(i##name##c, request, HERE(__VA_ARGS__, MPI_Request *request),                     \
                 (fh, buf, count, datatype, request))                                              \
    OWN_TRANSFER(i##name##_at##c, request, AT(__VA_ARGS__, MPI_Request *request),                  \
                 (fh, offset, buf, count, datatype, request))                                      \
    SHARED_CALL(kind##_SHARED, name##_shared##c, NO_REQUEST,                                       \
                HERE(__VA_ARGS__, MPI_Status *status), (fh, buf, count, datatype, status))         \
    SHARED_CALL(I##kind##_SHARED, i##name##_shared##c, request,                                    \
                HERE(__VA_ARGS__, MPI_Request *request), (fh, buf, count, datatype, request))

#define ENDS(kind, name, ...)                                                                      \
    END_CALL(kind##_ALL_END, name##_all_end, HERE(__VA_ARGS__, MPI_Status *status),                \
             (fh, buf, status))                                                                    \
    END_CALL(kind##_AT_ALL_END, name##_at_all_end, HERE(__VA_ARGS__, MPI_Status *status),          \
             (fh, buf, status))                                                                    \
    END_CALL(kind##_ORDERED_END, name##_ordered_end, HERE(__VA_ARGS__, MPI_Status *status),        \
             (fh, buf, status))

FORMS(READ, read, , false, void *buf, int count, MPI_Datatype datatype)
FORMS(READ, read, _c, true, void *buf, MPI_Count count, MPI_Datatype datatype)
FORMS(WRITE, write, , false, const void *buf, int count, MPI_Datatype datatype)
FORMS(WRITE, write, _c, true, const void *buf, MPI_Count count, MPI_Datatype datatype)
ENDS(READ, read, void *buf)
ENDS(WRITE, write, const void *buf)

/* ---- other calls of one rank ---- */

OWN_CALL(seek, (MPI_File fh, MPI_Offset offset, int whence), (fh, offset, whence))
OWN_CALL(get_position, (MPI_File fh, MPI_Offset *offset), (fh, offset))
OWN_CALL(get_byte_offset, (MPI_File fh, MPI_Offset offset, MPI_Offset *disp), (fh, offset, disp))
OWN_CALL(get_view,
         (MPI_File fh, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype,
          char *datarep),
         (fh, disp, etype, filetype, datarep))
OWN_CALL(get_type_extent, (MPI_File fh, MPI_Datatype datatype, MPI_Aint *extent),
         (fh, datatype, extent))
OWN_CALL(get_type_extent_c, (MPI_File fh, MPI_Datatype datatype, MPI_Count *extent),
         (fh, datatype, extent))
OWN_CALL(get_atomicity, (MPI_File fh, int *flag), (fh, flag))
OWN_CALL(get_info, (MPI_File fh, MPI_Info *info_used), (fh, info_used))
