! blockedf: rank 1 is dead, and the others wait for it in a call from Fortran: MPICH's binding stands
! between the program and the C call.
program blockedf
    use mpi
    implicit none

    integer :: rank, ierror

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    if (rank == 1) call abort
    call gather_all(rank)
    call MPI_Finalize(ierror)

contains

    subroutine gather_all(own)
        integer, intent(in) :: own
        integer :: all(64)

        call MPI_Allgather(own, 1, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        if (all(1) < 0) print *, all
    end subroutine
end program
