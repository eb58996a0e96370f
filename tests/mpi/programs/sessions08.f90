! sessions08: a session that is opened before MPI_Init and finalized after MPI_Finalize, with mpi_f08,
! whose calls do not go through the C symbols. The last rank is killed in between. MPICH 4.0 with device ch4:ofi ends
! itself by an assertion (ch4_progress.h) if its MPI_Init has to wait while a session is open.
program sessions08
    use mpi_f08
    implicit none
    type(MPI_Session) :: session, late
    integer :: rank, n, ierror, total
    logical :: flag
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version

    interface
        integer(c_int) function raise(number) bind(c)
            use, intrinsic :: iso_c_binding
            integer(c_int), value :: number
        end function
    end interface

    call MPI_Get_library_version(version, n)
    if (index(version, '4.0.') > 0 .and. index(version, 'ch4:ofi') > 0) then
        print '(a)', 'skipped: MPI_Init with a session open can end this MPI'
        stop
    end if
    call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session)
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, n)
    call MPI_Allreduce(1, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (rank == n - 1) ierror = raise(9)
    call MPI_Finalize()
    call MPI_Finalized(flag)
    call MPI_Session_finalize(session, ierror)
    if (total == n .and. flag .and. ierror == MPI_SUCCESS) then
        call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, late, ierror)
        if (ierror == MPI_ERR_OTHER .and. late%MPI_VAL == session%MPI_VAL) print '(a)', 'sessions08: well'
    end if
end program
