/* secret: looks for what the library hands on in the environment, and no program has a use for:
 * where main begins, after MPI_Init, and in what other processes see. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECRET "FTCOLL_INTERNAL_AUTHORITY"

/* Returns whether there is a value of it in what proc(5) shows. */
static int is_seen(void)
{
    static char text[1 << 20];
    FILE *f = fopen("/proc/self/environ", "r");
    size_t bytes = fread(text, 1, sizeof text - 1, f);

    fclose(f);
    for (size_t i = 0; i < bytes; i += strlen(text + i) + 1)
        if (strncmp(text + i, SECRET "=", strlen(SECRET "=")) == 0 && text[i + strlen(SECRET "=")])
            return 1;
    return 0;
}

static void look(const char *when)
{
    printf("secret: %s: %s\n", when, getenv(SECRET) || is_seen() ? "found" : "nothing");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    look("before MPI_Init");
    MPI_Init(&argc, &argv);
    look("after MPI_Init");
    MPI_Finalize();
    return 0;
}
