/* Collective calls on files. */
#include "entries.h"
#include "files/file.h"
#include "program/native_call.h"

/* One that does without the others, or has been let pass by them before. */
#define LOCAL_CALL(kind, name, parameters, arguments)                                              \
    int MPI_File_##name parameters                                                                 \
    {                                                                                              \
        ftc_native_call_enter_file(FTC_CALL_FILE_##kind, fh, __builtin_return_address(0));         \
        return ftc_native_call_leave_with(PMPI_File_##name arguments);                             \
    }

#define FILE_CALL(kind, name, parameters, arguments)                                               \
    int MPI_File_##name parameters                                                                 \
    {                                                                                              \
        const void *return_address = __builtin_return_address(0);                                  \
        int rv = MPI_SUCCESS;                                                                      \
                                                                                                   \
        if (ftc_file_refuses(FTC_CALL_FILE_##kind, fh, return_address, &rv))                       \
            return rv;                                                                             \
        ftc_native_call_enter_file(FTC_CALL_FILE_##kind, fh, return_address);                      \
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

int MPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                      const char *datarep, MPI_Info info)
{
    struct ftc_view view = {
        .file = fh,
        .displacement = disp,
        .etype = etype,
        .filetype = filetype,
        .representation = datarep,
        .info = info,
        .return_address = __builtin_return_address(0),
    };

    if (ftc_file_set_view(&view))
        return view.result;
    ftc_native_call_enter_file(FTC_CALL_FILE_SET_VIEW, fh, view.return_address);
    return ftc_native_call_leave_with(PMPI_File_set_view(fh, disp, etype, filetype, datarep, info));
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

FILE_CALL(SET_SIZE, set_size, (MPI_File fh, MPI_Offset size), (fh, size))
FILE_CALL(PREALLOCATE, preallocate, (MPI_File fh, MPI_Offset size), (fh, size))
LOCAL_CALL(SYNC, sync, (MPI_File fh), (fh))
FILE_CALL(SET_INFO, set_info, (MPI_File fh, MPI_Info info), (fh, info))
FILE_CALL(SET_ATOMICITY, set_atomicity, (MPI_File fh, int flag), (fh, flag))
FILE_CALL(SEEK_SHARED, seek_shared, (MPI_File fh, MPI_Offset offset, int whence),
          (fh, offset, whence))

TRANSFER(READ_ALL, false, read_all, 0,
         (MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status),
         (fh, buf, count, datatype, status))
TRANSFER(READ_ALL, true, read_all_c, 0,
         (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
         (fh, buf, count, datatype, status))
FILE_CALL(READ_ALL_BEGIN, read_all_begin,
          (MPI_File fh, void *buf, int count, MPI_Datatype datatype), (fh, buf, count, datatype))
FILE_CALL(READ_ALL_BEGIN, read_all_begin_c,
          (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype),
          (fh, buf, count, datatype))
LOCAL_CALL(READ_ALL_END, read_all_end, (MPI_File fh, void *buf, MPI_Status *status),
           (fh, buf, status))
TRANSFER(READ_AT_ALL, false, read_at_all, offset,
         (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype,
          MPI_Status *status),
         (fh, offset, buf, count, datatype, status))
TRANSFER(READ_AT_ALL, true, read_at_all_c, offset,
         (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype,
          MPI_Status *status),
         (fh, offset, buf, count, datatype, status))
FILE_CALL(READ_AT_ALL_BEGIN, read_at_all_begin,
          (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype),
          (fh, offset, buf, count, datatype))
FILE_CALL(READ_AT_ALL_BEGIN, read_at_all_begin_c,
          (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype),
          (fh, offset, buf, count, datatype))
LOCAL_CALL(READ_AT_ALL_END, read_at_all_end, (MPI_File fh, void *buf, MPI_Status *status),
           (fh, buf, status))
TRANSFER(WRITE_ALL, false, write_all, 0,
         (MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status),
         (fh, buf, count, datatype, status))
TRANSFER(WRITE_ALL, true, write_all_c, 0,
         (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
         (fh, buf, count, datatype, status))
FILE_CALL(WRITE_ALL_BEGIN, write_all_begin,
          (MPI_File fh, const void *buf, int count, MPI_Datatype datatype),
          (fh, buf, count, datatype))
FILE_CALL(WRITE_ALL_BEGIN, write_all_begin_c,
          (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype),
          (fh, buf, count, datatype))
LOCAL_CALL(WRITE_ALL_END, write_all_end, (MPI_File fh, const void *buf, MPI_Status *status),
           (fh, buf, status))
TRANSFER(WRITE_AT_ALL, false, write_at_all, offset,
         (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype,
          MPI_Status *status),
         (fh, offset, buf, count, datatype, status))
TRANSFER(WRITE_AT_ALL, true, write_at_all_c, offset,
         (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype,
          MPI_Status *status),
         (fh, offset, buf, count, datatype, status))
FILE_CALL(WRITE_AT_ALL_BEGIN, write_at_all_begin,
          (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype),
          (fh, offset, buf, count, datatype))
FILE_CALL(WRITE_AT_ALL_BEGIN, write_at_all_begin_c,
          (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype),
          (fh, offset, buf, count, datatype))
LOCAL_CALL(WRITE_AT_ALL_END, write_at_all_end, (MPI_File fh, const void *buf, MPI_Status *status),
           (fh, buf, status))
FILE_CALL(READ_ORDERED, read_ordered,
          (MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status),
          (fh, buf, count, datatype, status))
FILE_CALL(READ_ORDERED, read_ordered_c,
          (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
          (fh, buf, count, datatype, status))
FILE_CALL(READ_ORDERED_BEGIN, read_ordered_begin,
          (MPI_File fh, void *buf, int count, MPI_Datatype datatype), (fh, buf, count, datatype))
FILE_CALL(READ_ORDERED_BEGIN, read_ordered_begin_c,
          (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype),
          (fh, buf, count, datatype))
LOCAL_CALL(READ_ORDERED_END, read_ordered_end, (MPI_File fh, void *buf, MPI_Status *status),
           (fh, buf, status))
FILE_CALL(WRITE_ORDERED, write_ordered,
          (MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status),
          (fh, buf, count, datatype, status))
FILE_CALL(WRITE_ORDERED, write_ordered_c,
          (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype,
           MPI_Status *status),
          (fh, buf, count, datatype, status))
FILE_CALL(WRITE_ORDERED_BEGIN, write_ordered_begin,
          (MPI_File fh, const void *buf, int count, MPI_Datatype datatype),
          (fh, buf, count, datatype))
FILE_CALL(WRITE_ORDERED_BEGIN, write_ordered_begin_c,
          (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype),
          (fh, buf, count, datatype))
LOCAL_CALL(WRITE_ORDERED_END, write_ordered_end, (MPI_File fh, const void *buf, MPI_Status *status),
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
