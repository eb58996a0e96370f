! fortran77: calls by way of mpif.h, from subroutines of their own.
subroutine total(n, ranks)
    implicit none
    include 'mpif.h'
    integer :: n, ranks, ierror

    call MPI_Reduce(n, ranks, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    ranks = ranks + 0 * ierror
end subroutine

subroutine meet(ierror)
    implicit none
    include 'mpif.h'
    integer :: ierror

    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    if (ierror /= MPI_SUCCESS) stop 3
end subroutine

program fortran77
    implicit none
    include 'mpif.h'
    integer :: ierror, ranks

    ranks = 0
    call MPI_Init(ierror)
    call total(1, ranks)
    call meet(ierror)
    call MPI_Finalize(ierror)
end program
