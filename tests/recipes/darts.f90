! darts: pi by coarrays: each image throws darts, co_sum adds up hits and darts, and the images meet now and then. An
! ordinary Fortran program: it knows of no MPI, and of no fault tolerance.
program darts
    use, intrinsic :: iso_fortran_env, only: int64, real64
    implicit none
    integer, parameter :: rounds = 200, each = 2000
    integer(int64) :: thrown(2), all(2)
    integer(int64), save :: best[*]
    real(real64) :: x, y, pi
    integer :: round, i, seed_size, first

    call random_seed(size = seed_size)
    call random_seed(put = [(1234567 * this_image() + i, i = 1, seed_size)])
    best = 0
    all = 0
    do round = 1, rounds
        thrown = 0
        do i = 1, each
            call random_number(x)
            call random_number(y)
            if (x * x + y * y <= 1) thrown(1) = thrown(1) + 1
        end do
        thrown(2) = each
        call co_sum(thrown)
        all = all + thrown
        best = max(best, thrown(1))
        if (mod(round, 20) == 0) sync all
    end do
    call co_max(best)
    pi = 4 * real(all(1), real64) / all(2)
    ! The lowest of the images that are left prints, as the first may be dead.
    first = this_image()
    call co_min(first)
    if (this_image() == first) print '(a, f7.4, a, i0, a, i0, a)', 'pi is about ', pi, ' by ', all(2), ' darts, at most ', best, &
        ' hits in a round'
    if (abs(pi - acos(-1.0_real64)) > 0.02) error stop 'pi is wrong'
end program
