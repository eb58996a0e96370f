#include "own_handle.h"

#include "new_communicators/participants.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the length of a file system's name in front of a path, as in "nfs:data". */
static int prefix_of(const char *name)
{
    const char *colon = strchr(name, ':');

    return colon && colon - name > 1 ? (int)(colon - name) + 1 : 0; /* the same test as in MPI-IO */
}

char *ftc_own_handle_path(const char *name)
{
    int prefix = prefix_of(name);
    char directory[PATH_MAX], *path;

    if (name[prefix] == '/' || !getcwd(directory, sizeof directory))
        return strdup(name);
    return asprintf(&path, "%.*s%s/%s", prefix, name, directory, name + prefix) < 0 ? NULL : path;
}

static void drop_type(MPI_Datatype *type)
{
    int integers, addresses, types, combiner = MPI_COMBINER_NAMED;

    PMPI_Type_get_envelope(*type, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED)
        PMPI_Type_free(type);
}

static void copy_view(MPI_File from, MPI_File to)
{
    char representation[MPI_MAX_DATAREP_STRING + 1];
    MPI_Offset displacement;
    MPI_Datatype etype, filetype;

    if (PMPI_File_get_view(from, &displacement, &etype, &filetype, representation) != MPI_SUCCESS)
        return;
    PMPI_File_set_view(to, displacement, etype, filetype, representation, MPI_INFO_NULL);
    drop_type(&etype);
    drop_type(&filetype);
}

static void copy_state(MPI_File from, MPI_File to)
{
    MPI_Errhandler handler;
    MPI_Offset position = 0;
    int is_atomic = 0;

    if (PMPI_File_get_errhandler(from, &handler) == MPI_SUCCESS) {
        PMPI_File_set_errhandler(to, handler);
        PMPI_Errhandler_free(&handler);
    }
    copy_view(from, to);
    PMPI_File_get_position(from, &position);
    PMPI_File_seek(to, position, MPI_SEEK_SET);
    PMPI_File_get_atomicity(from, &is_atomic);
    PMPI_File_set_atomicity(to, is_atomic);
}

/* Opens the file at @path on MPI_COMM_SELF with the hints of @shared. File systems without locks
 * need some of the hints. */
static int open_alone(MPI_File shared, const char *path, int amode, MPI_File *own)
{
    int unwanted =
        MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN;
    MPI_Info info = MPI_INFO_NULL;
    int rv;

    PMPI_File_get_info(shared, &info);
    rv = PMPI_File_open(MPI_COMM_SELF, path, amode & ~unwanted, info, own);
    if (info != MPI_INFO_NULL)
        PMPI_Info_free(&info);
    return rv;
}

MPI_File ftc_own_handle_open(MPI_File shared, const char *path)
{
    MPI_File own = MPI_FILE_NULL;
    int amode = MPI_MODE_SEQUENTIAL;

    PMPI_File_get_amode(shared, &amode);
    if ((amode & MPI_MODE_SEQUENTIAL) != 0 || ftc_participants_is_exhausted_here() ||
        open_alone(shared, path, amode, &own) != MPI_SUCCESS)
        return MPI_FILE_NULL;
    copy_state(shared, own);
    return own;
}
