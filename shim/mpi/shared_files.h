/* shared_files: files of MPI's shared memory. */
#ifndef FTC_MPI_SHARED_FILES_H
#define FTC_MPI_SHARED_FILES_H

/* Removes the files of UCX's and libfabric's shared memory that this process maps, its own and
 * those of other ranks. UCX itself removes its files at its end if it does not do so at once
 * (UCX_POSIX_USE_PROC_LINK=n), and so does libfabric's provider shm. A rank that leaves native
 * MPI_Finalize early, or that dies, does not get there. To be called when no rank will map any of
 * these files again. */
void ftc_shared_files_remove(void);

#endif
