/* Handles that the program frees although operations of the library may still need them. */
#include "entries.h"
#include "value/handle_reference.h"

int MPI_Type_free(MPI_Datatype *datatype)
{
    if (!datatype || !ftc_handle_free(FTC_HANDLE_DATATYPE, *datatype))
        return PMPI_Type_free(datatype);
    *datatype = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

int MPI_Op_free(MPI_Op *op)
{
    if (!op || !ftc_handle_free(FTC_HANDLE_OPERATION, *op))
        return PMPI_Op_free(op);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}
