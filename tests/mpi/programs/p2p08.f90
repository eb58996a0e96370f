! p2p08: point-to-point calls of mpi_f08 that do not go through the C symbols MPI_X, with a dead rank. The place
! in MPI_Waitany is compared with that of a message that arrives: in MPICH 4.0.2 it counts from zero.
program p2p08
  use mpi_f08
  use iso_c_binding
  implicit none
  interface
    function own_pid() bind(c, name="getpid") result(pid)
      import c_int
      integer(c_int) :: pid
    end function
    function send_signal(pid, number) bind(c, name="kill") result(rv)
      import c_int
      integer(c_int), value :: pid, number
      integer(c_int) :: rv
    end function
  end interface
  integer :: rank, ierror, value, place, native_place, wrong
  logical :: flag
  type(MPI_Request) :: request(2)
  type(MPI_Status) :: status

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  wrong = 0
  if (rank == 1) then
    call MPI_Recv(value, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    ierror = send_signal(own_pid(), 9_c_int)
    call MPI_Recv(value, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  else if (rank == 0) then
    call MPI_Irecv(value, 1, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, request(1))
    call MPI_Send(value, 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD)
    call MPI_Wait(request(1), status, ierror)
    call expect(ierror, status)
    call MPI_Probe(1, 2, MPI_COMM_WORLD, status, ierror)
    call expect(ierror, status)
    request(1) = MPI_REQUEST_NULL
    call MPI_Irecv(value, 1, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, request(2))
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 3, MPI_COMM_WORLD)
    call MPI_Waitany(2, request, native_place, status, ierror)
    call MPI_Irecv(value, 1, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, request(2))
    call MPI_Waitany(2, request, place, status, ierror)
    call expect(ierror, status)
    if (place /= native_place) wrong = wrong + 1
    call MPI_Irecv(value, 1, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, request(2))
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(2, request, flag, MPI_STATUSES_IGNORE, ierror)
    end do
    if (ierror /= MPI_ERR_IN_STATUS) wrong = wrong + 1
    call MPI_Irecv(value, 1, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, request(2))
    call MPI_Wait(request(2), MPI_STATUS_IGNORE, ierror)
    if (ierror == MPI_SUCCESS) wrong = wrong + 1
    print '(i0, a)', wrong, ' wrong'
  end if
  call MPI_Finalize()
contains
  subroutine expect(code, s)
    integer, intent(in) :: code
    type(MPI_Status), intent(in) :: s

    if (code == MPI_SUCCESS .or. s%MPI_SOURCE /= 1 .or. s%MPI_TAG /= 2) wrong = wrong + 1
  end subroutine
end program
