/* memory: allocation that ends the program when there is none left. */
#ifndef SCALE_MEMORY_H
#define SCALE_MEMORY_H

#include <stddef.h>

void *memory_resize(void *old, size_t bytes);
void *memory_zeroed(size_t count, size_t bytes);

/* Pages that cost memory only once something other than zero is written to them. */
void *memory_sparse(size_t bytes);
void memory_sparse_free(void *start, size_t bytes);

/* Gives back the whole pages of @start..@start + @bytes of a sparse area; they read as zero. */
void memory_forget(void *start, size_t bytes);

#endif
