/* stacked: a program that runs with other libraries preloaded (counting.c).
 *
 *     stacked DIRECTORY [counts]       counts: the library must see each call once */
#include "output.h"

enum { ALLREDUCES = 10, REDUCES = 4 };

int counting_calls(void) __attribute__((weak));

int main(int argc, char **argv)
{
    int rank, n, all;

    output_init(argc, argv, &rank, &n);
    for (int i = 0; i < ALLREDUCES; i++) {
        int mine = rank + i, rv = MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

        output_result("allreduce", rv, &all, sizeof all);
    }
    for (int i = 0; i < REDUCES; i++) {
        int mine = rank + i, rv;

        all = -1;
        rv = MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_MAX, i % n, MPI_COMM_WORLD);
        output_result("reduce", rv, &all, sizeof all);
    }
    output_line("counting library: %s", counting_calls ? "there" : "missing");
    if (argc > 2 && counting_calls)
        output_line("it saw %d calls of MPI_Allreduce", counting_calls());
    output_close();
    MPI_Finalize();
    return 0;
}
