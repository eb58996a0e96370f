/* program: check of a program's file, whether the library can protect it. */
#ifndef FTC_CONFIG_PROGRAM_H
#define FTC_CONFIG_PROGRAM_H

/* Returns why the library cannot protect the program in file @path: MPI is linked into it
 * statically. Returns NULL if it is not, and if the file cannot be read or is not a 64-bit ELF
 * file. */
const char *ftc_program_objection(const char *path);

#endif
