! blocked08: rank 1 is dead, and the others wait for it in a call of mpi_f08 that does not go through
! the C symbols: a fence, or with the word "leaders" the making of an intercommunicator of the even and
! the odd ranks.
program blocked08
    use mpi_f08
    use iso_c_binding
    implicit none

    interface
        subroutine c_abort() bind(c, name="abort")
        end subroutine
    end interface

    type(MPI_Comm) :: grid, half, both
    character(len=16) :: word
    type(MPI_Win) :: window
    type(MPI_File) :: file
    type(c_ptr) :: memory
    integer :: rank, ranks, coordinates(1)

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., grid)
    call MPI_Cart_coords(grid, rank, 1, coordinates)
    call MPI_File_open(grid, "blocked08.data", ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, file)
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, "native", MPI_INFO_NULL)
    call MPI_File_close(file)
    call MPI_Win_allocate(4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, grid, memory, window)
    call MPI_Win_fence(0, window)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half)
    if (rank == 0) print '(a, i0)', "go ", coordinates(1)
    if (rank == 1) call c_abort()
    call get_command_argument(1, word)
    if (word == "leaders") call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - mod(rank, 2), 7, both)
    call MPI_Win_fence(0, window)
    call MPI_Finalize()
end program
