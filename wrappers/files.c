/* Collective calls on files. */
#include "entries.h"
#include "files/file.h"
#include "program/native_call.h"

/* Calls of one rank. */
#define OWN_CALL(name, parameters, arguments)                                                      \
    int MPI_File_##name parameters                                                                 \
    {                                                                                              \
        fh = ftc_file_in_use(fh);                                                                  \
        return PMPI_File_##name arguments;                                                         \
    }

/* Likewise, with the shared file pointer. */
#define SHARED_CALL(kind, name, parameters, arguments)                                             \
    int MPI_File_##name parameters                                                                 \
    {                                                                                              \
        int rv = MPI_SUCCESS;                                                                      \
                                                                                                   \
        if (ftc_file_has_no_pointer(FTC_CALL_FILE_##kind, fh, __builtin_return_address(0), &rv))   \
            return rv;                                                                             \
        return PMPI_File_##name arguments;                                                         \
    }

/* A collective call that @refuses may return an error instead of. */
#define REFUSABLE(refuses, kind, name, parameters, arguments)                                      \
    int MPI_File_##name parameters                                                                 \
    {                                                                                              \
        const void *return_address = __builtin_return_address(0);                                  \
        int rv = MPI_SUCCESS;                                                                      \
                                                                                                   \
        if (refuses(FTC_CALL_FILE_##kind, &fh, return_address, &rv))                               \
            return rv;                                                                             \
        ftc_native_call_enter_file(FTC_CALL_FILE_##kind, fh, return_address);                      \
        return ftc_native_call_leave_with(PMPI_File_##name arguments);                             \
    }
#define ORDERED_CALL(...) REFUSABLE(ftc_file_refuses, __VA_ARGS__)
#define BEGIN_CALL(...)   REFUSABLE(ftc_file_refuses_split, __VA_ARGS__)

/* The second half of a split call does without the others. */
#define END_CALL(kind, name, parameters, arguments)                                                \
    int MPI_File_##name parameters                                                                 \
    {                                                                                              \
        fh = ftc_file_in_use(fh);                                                                  \
        ftc_native_call_enter_file(FTC_CALL_FILE_##kind, fh, __builtin_return_address(0));         \
        return ftc_native_call_leave_with(PMPI_File_##name arguments);                             \
    }

/* @...: what it is given, for struct ftc_change. */
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

/* What was written before a death has gone through @fh. */
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

/* Native MPI calls the handler of the handle that it is given. */
int MPI_File_set_errhandler(MPI_File fh, MPI_Errhandler errhandler)
{
    MPI_File own = ftc_file_in_use(fh);
    int rv = PMPI_File_set_errhandler(fh, errhandler);

    return own == fh || rv != MPI_SUCCESS ? rv : PMPI_File_set_errhandler(own, errhandler);
}

/* @at: the offset, or 0 for calls that have none. */
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

/* Likewise with a request. */
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
ORDERED_CALL(SEEK_SHARED, seek_shared, (MPI_File fh, MPI_Offset offset, int whence),
             (fh, offset, whence))

TRANSFER(READ_ALL, false, read_all, 0,
         (MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status),
         (fh, buf, count, datatype, status))
TRANSFER(READ_ALL, true, read_all_c, 0,
         (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
         (fh, buf, count, datatype, status))
BEGIN_CALL(READ_ALL_BEGIN, read_all_begin,
           (MPI_File fh, void *buf, int count, MPI_Datatype datatype), (fh, buf, count, datatype))
BEGIN_CALL(READ_ALL_BEGIN, read_all_begin_c,
           (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype),
           (fh, buf, count, datatype))
END_CALL(READ_ALL_END, read_all_end, (MPI_File fh, void *buf, MPI_Status *status),
         (fh, buf, status))
TRANSFER(READ_AT_ALL, false, read_at_all, offset,
         (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype,
          MPI_Status *status),
         (fh, offset, buf, count, datatype, status))
TRANSFER(READ_AT_ALL, true, read_at_all_c, offset,
         (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype,
          MPI_Status *status),
         (fh, offset, buf, count, datatype, status))
BEGIN_CALL(READ_AT_ALL_BEGIN, read_at_all_begin,
           (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype),
           (fh, offset, buf, count, datatype))
BEGIN_CALL(READ_AT_ALL_BEGIN, read_at_all_begin_c,
           (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype),
           (fh, offset, buf, count, datatype))
END_CALL(READ_AT_ALL_END, read_at_all_end, (MPI_File fh, void *buf, MPI_Status *status),
         (fh, buf, status))
TRANSFER(WRITE_ALL, false, write_all, 0,
         (MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status),
         (fh, buf, count, datatype, status))
TRANSFER(WRITE_ALL, true, write_all_c, 0,
         (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
         (fh, buf, count, datatype, status))
BEGIN_CALL(WRITE_ALL_BEGIN, write_all_begin,
           (MPI_File fh, const void *buf, int count, MPI_Datatype datatype),
           (fh, buf, count, datatype))
BEGIN_CALL(WRITE_ALL_BEGIN, write_all_begin_c,
           (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype),
           (fh, buf, count, datatype))
END_CALL(WRITE_ALL_END, write_all_end, (MPI_File fh, const void *buf, MPI_Status *status),
         (fh, buf, status))
TRANSFER(WRITE_AT_ALL, false, write_at_all, offset,
         (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype,
          MPI_Status *status),
         (fh, offset, buf, count, datatype, status))
TRANSFER(WRITE_AT_ALL, true, write_at_all_c, offset,
         (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype,
          MPI_Status *status),
         (fh, offset, buf, count, datatype, status))
BEGIN_CALL(WRITE_AT_ALL_BEGIN, write_at_all_begin,
           (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype),
           (fh, offset, buf, count, datatype))
BEGIN_CALL(WRITE_AT_ALL_BEGIN, write_at_all_begin_c,
           (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count,
            MPI_Datatype datatype),
           (fh, offset, buf, count, datatype))
END_CALL(WRITE_AT_ALL_END, write_at_all_end, (MPI_File fh, const void *buf, MPI_Status *status),
         (fh, buf, status))
ORDERED_CALL(READ_ORDERED, read_ordered,
             (MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status),
             (fh, buf, count, datatype, status))
ORDERED_CALL(READ_ORDERED, read_ordered_c,
             (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
             (fh, buf, count, datatype, status))
ORDERED_CALL(READ_ORDERED_BEGIN, read_ordered_begin,
             (MPI_File fh, void *buf, int count, MPI_Datatype datatype), (fh, buf, count, datatype))
ORDERED_CALL(READ_ORDERED_BEGIN, read_ordered_begin_c,
             (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype),
             (fh, buf, count, datatype))
END_CALL(READ_ORDERED_END, read_ordered_end, (MPI_File fh, void *buf, MPI_Status *status),
         (fh, buf, status))
ORDERED_CALL(WRITE_ORDERED, write_ordered,
             (MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status),
             (fh, buf, count, datatype, status))
ORDERED_CALL(WRITE_ORDERED, write_ordered_c,
             (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype,
              MPI_Status *status),
             (fh, buf, count, datatype, status))
ORDERED_CALL(WRITE_ORDERED_BEGIN, write_ordered_begin,
             (MPI_File fh, const void *buf, int count, MPI_Datatype datatype),
             (fh, buf, count, datatype))
ORDERED_CALL(WRITE_ORDERED_BEGIN, write_ordered_begin_c,
             (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype),
             (fh, buf, count, datatype))
END_CALL(WRITE_ORDERED_END, write_ordered_end, (MPI_File fh, const void *buf, MPI_Status *status),
         (fh, buf, status))
BEGIN(IREAD_ALL, false, iread_all, 0,
      (MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Request *request),
      (fh, buf, count, datatype, request))
BEGIN(IREAD_AT_ALL, false, iread_at_all, offset,
      (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype,
       MPI_Request *request),
      (fh, offset, buf, count, datatype, request))
BEGIN(IREAD_ALL, true, iread_all_c, 0,
      (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request),
      (fh, buf, count, datatype, request))
BEGIN(IREAD_AT_ALL, true, iread_at_all_c, offset,
      (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype,
       MPI_Request *request),
      (fh, offset, buf, count, datatype, request))
BEGIN(IWRITE_ALL, false, iwrite_all, 0,
      (MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request),
      (fh, buf, count, datatype, request))
BEGIN(IWRITE_AT_ALL, false, iwrite_at_all, offset,
      (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype,
       MPI_Request *request),
      (fh, offset, buf, count, datatype, request))
BEGIN(IWRITE_ALL, true, iwrite_all_c, 0,
      (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request),
      (fh, buf, count, datatype, request))
BEGIN(IWRITE_AT_ALL, true, iwrite_at_all_c, offset,
      (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype,
       MPI_Request *request),
      (fh, offset, buf, count, datatype, request))

/* MPI_File_@name and _@name_at, each with its large-count form. */
#define MOVE(name, qualifier, last, ...)                                                           \
    OWN_CALL(name, (MPI_File fh, qualifier buf, int count, MPI_Datatype datatype, __VA_ARGS__),    \
             (fh, buf, count, datatype, last))                                                     \
    OWN_CALL(name##_c,                                                                             \
             (MPI_File fh, qualifier buf, MPI_Count count, MPI_Datatype datatype, __VA_ARGS__),    \
             (fh, buf, count, datatype, last))                                                     \
    OWN_CALL(name##_at,                                                                            \
             (MPI_File fh, MPI_Offset offset, qualifier buf, int count, MPI_Datatype datatype,     \
              __VA_ARGS__),                                                                        \
             (fh, offset, buf, count, datatype, last))                                             \
    OWN_CALL(name##_at_c,                                                                          \
             (MPI_File fh, MPI_Offset offset, qualifier buf, MPI_Count count,                      \
              MPI_Datatype datatype, __VA_ARGS__),                                                 \
             (fh, offset, buf, count, datatype, last))

#define MOVE_SHARED(kind, name, qualifier, last, ...)                                              \
    SHARED_CALL(kind, name,                                                                        \
                (MPI_File fh, qualifier buf, int count, MPI_Datatype datatype, __VA_ARGS__),       \
                (fh, buf, count, datatype, last))                                                  \
    SHARED_CALL(kind, name##_c,                                                                    \
                (MPI_File fh, qualifier buf, MPI_Count count, MPI_Datatype datatype, __VA_ARGS__), \
                (fh, buf, count, datatype, last))

MOVE(read, void *, status, MPI_Status *status)
MOVE(write, const void *, status, MPI_Status *status)
MOVE(iread, void *, request, MPI_Request *request)
MOVE(iwrite, const void *, request, MPI_Request *request)
MOVE_SHARED(READ_SHARED, read_shared, void *, status, MPI_Status *status)
MOVE_SHARED(WRITE_SHARED, write_shared, const void *, status, MPI_Status *status)
MOVE_SHARED(IREAD_SHARED, iread_shared, void *, request, MPI_Request *request)
MOVE_SHARED(IWRITE_SHARED, iwrite_shared, const void *, request, MPI_Request *request)
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
