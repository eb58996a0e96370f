/* shared_files: files of MPI's shared memory. */
#ifndef FTC_MPI_SHARED_FILES_H
#define FTC_MPI_SHARED_FILES_H

/* Removes the files of UCX's and libfabric's shared memory that this process maps, its own and
 * those of other ranks. UCX does so at its end if it does not do it at once
 * (UCX_POSIX_USE_PROC_LINK=n), and so does libfabric's provider shm; a rank that leaves native
 * MPI_Finalize does not get there, and a dead rank does not either. To be called when no rank will
 * map any of them. */
void ftc_shared_files_remove(void);

#endif
