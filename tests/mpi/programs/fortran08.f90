! fortran08: reductions from Fortran 2008, whose MPI_Init and MPI_Finalize do not go through the C
! symbols. The last rank kills itself before the second one.
program fortran08
    use mpi_f08
    use iso_c_binding, only: c_int
    implicit none

    interface
        integer(c_int) function raise(number) bind(c)
            import :: c_int
            integer(c_int), value :: number
        end function
    end interface

    integer :: rank, n, total, largest
    integer :: error, length
    integer(c_int) :: ignored
    logical :: is_over
    character(len=MPI_MAX_ERROR_STRING) :: text

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, n)
    call MPI_Allreduce(1, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (rank == n - 1) ignored = raise(9_c_int)
    largest = -1
    call MPI_Reduce(rank, largest, 1, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD)
    if (rank == 0) print '(a, i0, a, i0)', 'fortran: ', total, ' ranks, then up to rank ', largest
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Allreduce(1, total, 1, MPI_INTEGER, MPI_PROD, MPI_COMM_WORLD, error)
    call MPI_Error_string(error, text, length)
    if (rank == 0) print '(a, i0, 3a)', 'fortran: ', length - len_trim(text), ' beyond "', trim(text), '"'
    call MPI_Finalize()
    call MPI_Finalized(is_over)
    if (.not. is_over) error stop 3
end program
