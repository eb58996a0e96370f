! fortran_mpif: reductions from Fortran that knows MPI by the include file of Fortran 77. The program is in fortran.inc.
#define USES_MPI 
#define INCLUDES_MPI include 'mpif.h'
#define OPERATION integer
#define COMMUNICATOR integer
#define REQUEST integer

module operations
    implicit none
    integer :: misled = 0

contains

    ! Adds what it is told of.
    subroutine add(in, inout, length, datatype)
        USES_MPI
        INCLUDES_MPI
        integer :: length, datatype
        integer :: in(*), inout(*)

        if (datatype == MPI_INTEGER) then
            inout(1:length) = inout(1:length) + in(1:length)
        else if (datatype == MPI_DOUBLE_PRECISION) then
            call add_double(in, inout, length)
        else
            misled = misled + 1
        end if
    end subroutine

    ! Two integers have the bits of a double.
    subroutine add_double(in, inout, length)
        integer :: length, i
        integer :: in(2, length), inout(2, length)

        do i = 1, length
            inout(:, i) = transfer(transfer(inout(:, i), 0d0) + transfer(in(:, i), 0d0), inout(:, i))
        end do
    end subroutine

    ! Depends on which operand is the left one
    subroutine append(in, inout, length, datatype)
        USES_MPI
        INCLUDES_MPI
        integer :: length, datatype
        integer :: in(*), inout(*)

        if (datatype /= MPI_INTEGER) misled = misled + 1
        inout(1:length) = mod(in(1:length) * 31 + inout(1:length) * 7, 10007)
    end subroutine

end module

#include "fortran.inc"
