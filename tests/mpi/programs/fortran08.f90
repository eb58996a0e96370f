! fortran08: reductions from Fortran 2008, whose MPI_Init and MPI_Finalize do not go through the C
! symbols. The last rank kills itself before the second one. With the word "communicators" the
! survivors also make communicators by each call that does not go through the C symbol either, with
! "topologies" all ranks begin operations on two of the same members before, odd ranks in another order;
! with "fatal" MPI ends the last rank; with "requests" it dies between two operations of requests, and
! before the start of one that was made earlier; with "datatypes" all make requests with arrays of datatypes
! before, of which the bindings make copies that are gone when the call returns.
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
    character(len=16) :: word
    type(MPI_Comm) :: dup, dup_with_info, part, shared, created, grouped
    type(MPI_Group) :: all

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, n)
    call MPI_Allreduce(1, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call get_command_argument(1, word)
    if (word == 'topologies') call reduce_on_topologies()
    if (word == 'fatal') call err()
    if (word == 'requests') call use_requests()
    if (word == 'datatypes') call use_datatypes()
    if (rank == n - 1) ignored = raise(9_c_int)
    largest = -1
    call MPI_Reduce(rank, largest, 1, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD)
    if (rank == 0) print '(a, i0, a, i0)', 'fortran: ', total, ' ranks, then up to rank ', largest
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Allreduce(1, total, 1, MPI_INTEGER, MPI_PROD, MPI_COMM_WORLD, error)
    call MPI_Error_string(error, text, length)
    if (rank == 0) print '(a, i0, 3a)', 'fortran: ', length - len_trim(text), ' beyond "', trim(text), '"'
    if (word == 'communicators') call make_communicators()
    call MPI_Finalize()
    call MPI_Finalized(is_over)
    if (.not. is_over) error stop 3

contains

    ! On a communicator that has a fatal handler of its own.
    subroutine err()
        type(MPI_Comm) :: half

        call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), 0, half)
        call MPI_Comm_set_errhandler(half, MPI_ERRORS_ARE_FATAL)
        if (rank == n - 1) call MPI_Send(rank, 1, MPI_INTEGER, n, 0, half)
    end subroutine

    ! The second is begun when the first has ended, and the third here.
    subroutine use_requests()
        integer :: sums(3)
        type(MPI_Request) :: requests(3)
        integer :: errors(3), i

        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
        call make_requests(rank == n - 1, sums, requests)
        do i = 1, 3
            if (i == 3) call MPI_Start(requests(3))
            call MPI_Wait(requests(i), MPI_STATUS_IGNORE, errors(i))
        end do
        if (rank == 0) print '(a, 3l2)', 'fortran: requests that failed:', errors /= MPI_SUCCESS
    end subroutine

    subroutine use_datatypes()
        integer, asynchronous :: given(n), taken(n), counts(n), places(n)
        integer(MPI_ADDRESS_KIND), asynchronous :: nowhere(1)
        type(MPI_Datatype), asynchronous :: types(n)
        type(MPI_Request) :: request
        type(MPI_Comm) :: ring
        integer :: i, wrong

        wrong = 0
        counts = 1
        places = [(4 * i, i = 0, n - 1)]
        nowhere = 0
        types = MPI_INTEGER
        given = [(10 * rank + i, i = 0, n - 1)]
        call MPI_Ialltoallw(given, counts, places, types, taken, counts, places, types, MPI_COMM_WORLD, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        wrong = wrong + count(taken /= [(10 * i + rank, i = 0, n - 1)])
        taken = -1
        call MPI_Alltoallw_init(given, counts, places, types, taken, counts, places, types, MPI_COMM_WORLD, &
                                MPI_INFO_NULL, request)
        call start(request)
        wrong = wrong + count(taken /= [(10 * i + rank, i = 0, n - 1)])
        call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [mod(rank + n - 1, n)], [1], 1, [mod(rank + 1, n)], [1], &
                                            MPI_INFO_NULL, .false., ring)
        call MPI_Ineighbor_alltoallw(given, counts, nowhere, types, taken, counts, nowhere, types, ring, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        wrong = wrong + count(taken(:1) /= 10 * mod(rank + n - 1, n))
        taken = -1
        call MPI_Neighbor_alltoallw_init(given, counts, nowhere, types, taken, counts, nowhere, types, ring, &
                                         MPI_INFO_NULL, request)
        call start(request)
        wrong = wrong + count(taken(:1) /= 10 * mod(rank + n - 1, n))
        call MPI_Comm_free(ring)
        call MPI_Reduce(wrong, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
        if (rank == 0) print '(a, i0, a)', 'fortran: with datatypes ', total, ' wrong'
    end subroutine

    subroutine start(request)
        type(MPI_Request), intent(inout) :: request

        call MPI_Start(request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call MPI_Request_free(request)
    end subroutine

    subroutine make_communicators()
        call MPI_Comm_group(MPI_COMM_WORLD, all)
        call MPI_Comm_dup(MPI_COMM_WORLD, dup)
        call MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, dup_with_info)
        call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, part)
        call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, shared)
        call MPI_Comm_create(MPI_COMM_WORLD, all, created)
        call MPI_Comm_create_group(MPI_COMM_WORLD, all, 1, grouped)
        total = size_of(dup) + size_of(dup_with_info) + size_of(part) + size_of(shared) + &
                size_of(created) + size_of(grouped)
        call MPI_Comm_free(dup)
        call MPI_Comm_free(dup_with_info)
        call MPI_Comm_free(part)
        call MPI_Comm_free(shared)
        call MPI_Comm_free(created)
        call MPI_Comm_free(grouped)
        if (rank == 0) print '(a, i0, a)', 'fortran: 6 communicators have ', total, ' ranks'
    end subroutine

    subroutine reduce_on_topologies()
        type(MPI_Comm) :: line, part
        type(MPI_Request) :: requests(2)
        integer, asynchronous :: sums(2)
        integer :: i, which
        integer, asynchronous :: mine(2)

        mine = [1, 10]
        call MPI_Cart_create(MPI_COMM_WORLD, 1, [n], [.false.], .false., line)
        call MPI_Cart_sub(line, [.true.], part)
        do i = 1, 2
            which = merge(i, 3 - i, mod(rank, 2) == 0)
            call MPI_Iallreduce(mine(which), sums(which), 1, MPI_INTEGER, MPI_SUM, merge(line, part, which == 1), &
                                requests(which))
        end do
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
        if (rank == 0) print '(a, i0, a, i0)', 'fortran: sums ', sums(1), ' and ', sums(2)
        call MPI_Comm_free(part)
        call MPI_Comm_free(line)
    end subroutine

    integer function size_of(comm)
        type(MPI_Comm), intent(in) :: comm

        call MPI_Comm_size(comm, size_of)
    end function
end program

! A function of its own, as call sites are named.
subroutine make_requests(dies, sums, requests)
    use mpi_f08
    use iso_c_binding, only: c_int
    implicit none

    interface
        integer(c_int) function raise(number) bind(c)
            import :: c_int
            integer(c_int), value :: number
        end function
        integer(c_int) function sleep(seconds) bind(c)
            import :: c_int
            integer(c_int), value :: seconds
        end function
    end interface

    logical, intent(in) :: dies
    integer :: sums(3)
    type(MPI_Request) :: requests(3)
    integer(c_int) :: ignored

    call MPI_Allreduce_init(1, sums(3), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests(3))
    if (dies) ignored = sleep(1_c_int)
    call MPI_Iallreduce(1, sums(1), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(1))
    if (dies) then
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
        ignored = raise(9_c_int)
    end if
    call MPI_Iallreduce(1, sums(2), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(2))
end subroutine
