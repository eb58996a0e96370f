/* Collective calls on files. */
#include "entries.h"
#include "program/native_call.h"

#define FILE_CALL(kind, name, parameters, arguments, file)                                         \
    int MPI_File_##name parameters                                                                 \
    {                                                                                              \
        ftc_native_call_enter_file(FTC_CALL_FILE_##kind, file, __builtin_return_address(0));       \
        return ftc_native_call_leave_with(PMPI_File_##name arguments);                             \
    }

int MPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh)
{
    return FTC_NATIVE_CALL(FTC_CALL_FILE_OPEN, comm, FTC_ALL_MEMBERS, __builtin_return_address(0),
                           PMPI_File_open(comm, filename, amode, info, fh));
}

FILE_CALL(CLOSE, close, (MPI_File * fh), (fh), fh ? *fh : MPI_FILE_NULL)
FILE_CALL(SET_VIEW, set_view,
          (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
           const char *datarep, MPI_Info info),
          (fh, disp, etype, filetype, datarep, info), fh)
FILE_CALL(SET_SIZE, set_size, (MPI_File fh, MPI_Offset size), (fh, size), fh)
FILE_CALL(PREALLOCATE, preallocate, (MPI_File fh, MPI_Offset size), (fh, size), fh)
FILE_CALL(SYNC, sync, (MPI_File fh), (fh), fh)
FILE_CALL(SET_INFO, set_info, (MPI_File fh, MPI_Info info), (fh, info), fh)
FILE_CALL(SET_ATOMICITY, set_atomicity, (MPI_File fh, int flag), (fh, flag), fh)
FILE_CALL(SEEK_SHARED, seek_shared, (MPI_File fh, MPI_Offset offset, int whence),
          (fh, offset, whence), fh)

FILE_CALL(READ_ALL, read_all,
          (MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status),
          (fh, buf, count, datatype, status), fh)
FILE_CALL(READ_ALL, read_all_c,
          (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
          (fh, buf, count, datatype, status), fh)
FILE_CALL(READ_ALL_BEGIN, read_all_begin,
          (MPI_File fh, void *buf, int count, MPI_Datatype datatype), (fh, buf, count, datatype),
          fh)
FILE_CALL(READ_ALL_BEGIN, read_all_begin_c,
          (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype),
          (fh, buf, count, datatype), fh)
FILE_CALL(READ_ALL_END, read_all_end, (MPI_File fh, void *buf, MPI_Status *status),
          (fh, buf, status), fh)
FILE_CALL(READ_AT_ALL, read_at_all,
          (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype,
           MPI_Status *status),
          (fh, offset, buf, count, datatype, status), fh)
FILE_CALL(READ_AT_ALL, read_at_all_c,
          (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype,
           MPI_Status *status),
          (fh, offset, buf, count, datatype, status), fh)
FILE_CALL(READ_AT_ALL_BEGIN, read_at_all_begin,
          (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype),
          (fh, offset, buf, count, datatype), fh)
FILE_CALL(READ_AT_ALL_BEGIN, read_at_all_begin_c,
          (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype),
          (fh, offset, buf, count, datatype), fh)
FILE_CALL(READ_AT_ALL_END, read_at_all_end, (MPI_File fh, void *buf, MPI_Status *status),
          (fh, buf, status), fh)
FILE_CALL(WRITE_ALL, write_all,
          (MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status),
          (fh, buf, count, datatype, status), fh)
FILE_CALL(WRITE_ALL, write_all_c,
          (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype,
           MPI_Status *status),
          (fh, buf, count, datatype, status), fh)
FILE_CALL(WRITE_ALL_BEGIN, write_all_begin,
          (MPI_File fh, const void *buf, int count, MPI_Datatype datatype),
          (fh, buf, count, datatype), fh)
FILE_CALL(WRITE_ALL_BEGIN, write_all_begin_c,
          (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype),
          (fh, buf, count, datatype), fh)
FILE_CALL(WRITE_ALL_END, write_all_end, (MPI_File fh, const void *buf, MPI_Status *status),
          (fh, buf, status), fh)
FILE_CALL(WRITE_AT_ALL, write_at_all,
          (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype,
           MPI_Status *status),
          (fh, offset, buf, count, datatype, status), fh)
FILE_CALL(WRITE_AT_ALL, write_at_all_c,
          (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype,
           MPI_Status *status),
          (fh, offset, buf, count, datatype, status), fh)
FILE_CALL(WRITE_AT_ALL_BEGIN, write_at_all_begin,
          (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype),
          (fh, offset, buf, count, datatype), fh)
FILE_CALL(WRITE_AT_ALL_BEGIN, write_at_all_begin_c,
          (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype),
          (fh, offset, buf, count, datatype), fh)
FILE_CALL(WRITE_AT_ALL_END, write_at_all_end, (MPI_File fh, const void *buf, MPI_Status *status),
          (fh, buf, status), fh)
FILE_CALL(READ_ORDERED, read_ordered,
          (MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status),
          (fh, buf, count, datatype, status), fh)
FILE_CALL(READ_ORDERED, read_ordered_c,
          (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
          (fh, buf, count, datatype, status), fh)
FILE_CALL(READ_ORDERED_BEGIN, read_ordered_begin,
          (MPI_File fh, void *buf, int count, MPI_Datatype datatype), (fh, buf, count, datatype),
          fh)
FILE_CALL(READ_ORDERED_BEGIN, read_ordered_begin_c,
          (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype),
          (fh, buf, count, datatype), fh)
FILE_CALL(READ_ORDERED_END, read_ordered_end, (MPI_File fh, void *buf, MPI_Status *status),
          (fh, buf, status), fh)
FILE_CALL(WRITE_ORDERED, write_ordered,
          (MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status),
          (fh, buf, count, datatype, status), fh)
FILE_CALL(WRITE_ORDERED, write_ordered_c,
          (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype,
           MPI_Status *status),
          (fh, buf, count, datatype, status), fh)
FILE_CALL(WRITE_ORDERED_BEGIN, write_ordered_begin,
          (MPI_File fh, const void *buf, int count, MPI_Datatype datatype),
          (fh, buf, count, datatype), fh)
FILE_CALL(WRITE_ORDERED_BEGIN, write_ordered_begin_c,
          (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype),
          (fh, buf, count, datatype), fh)
FILE_CALL(WRITE_ORDERED_END, write_ordered_end, (MPI_File fh, const void *buf, MPI_Status *status),
          (fh, buf, status), fh)
