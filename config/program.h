/* program: what a program's file tells of whether the library can protect it. */
#ifndef FTC_CONFIG_PROGRAM_H
#define FTC_CONFIG_PROGRAM_H

/* Returns why the library cannot protect the program in file @path, which has MPI in itself; NULL
 * if that is not so, or cannot be told. */
const char *ftc_program_objection(const char *path);

#endif
