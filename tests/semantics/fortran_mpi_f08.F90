! fortran_mpi_f08: reductions from Fortran that knows MPI by the module of Fortran 2008. The program is in
! fortran.inc.
#define USES_MPI use mpi_f08
#define INCLUDES_MPI
#define OPERATION type(MPI_Op)
#define COMMUNICATOR type(MPI_Comm)
#define REQUEST type(MPI_Request)

module operations
    use iso_c_binding, only: c_ptr, c_f_pointer
    implicit none
    integer :: misled = 0

contains

    ! Adds what it is told of.
    subroutine add(in, inout, length, datatype)
        USES_MPI
        type(c_ptr), value :: in, inout
        integer :: length
        type(MPI_Datatype) :: datatype
        integer, pointer :: i(:), i_inout(:)
        double precision, pointer :: d(:), d_inout(:)

        if (datatype == MPI_INTEGER) then
            call c_f_pointer(in, i, [length])
            call c_f_pointer(inout, i_inout, [length])
            i_inout = i_inout + i
        else if (datatype == MPI_DOUBLE_PRECISION) then
            call c_f_pointer(in, d, [length])
            call c_f_pointer(inout, d_inout, [length])
            d_inout = d_inout + d
        else
            misled = misled + 1
        end if
    end subroutine

    ! Depends on which operand is the left one
    subroutine append(in, inout, length, datatype)
        USES_MPI
        type(c_ptr), value :: in, inout
        integer :: length
        type(MPI_Datatype) :: datatype
        integer, pointer :: left(:), right(:)

        if (.not. datatype == MPI_INTEGER) misled = misled + 1
        call c_f_pointer(in, left, [length])
        call c_f_pointer(inout, right, [length])
        right = mod(left * 31 + right * 7, 10007)
    end subroutine

end module

#include "fortran.inc"
