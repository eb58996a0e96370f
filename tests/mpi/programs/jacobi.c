/* jacobi: the temperature of a plate whose edges are held at some values, by Jacobi's iteration.
 * The plate is cut into tiles, a grid of ranks; each gives its outermost cells to its neighbours,
 * rows and columns, and all go on until no cell of any changes. Writes each tile with its halo to a
 * file. An ordinary MPI program: it knows of no fault tolerance. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { CELLS = 4, SIDE = CELLS + 2, ROUNDS_MOST = 20000 };

static const double converged = 1e-6;

struct tile {
    double cell[SIDE][SIDE]; /* with the halo */
};

static MPI_Datatype row, column;

/* Of the whole plate, in its halo. */
static double edge(int x, int y)
{
    return (x * 3 + y * 5) % 16 / 16.0;
}

static void set_edges(struct tile *tile, const int *dims, const int *place)
{
    for (int i = 1; i <= CELLS; i++) {
        int x = place[0] * CELLS + i, y = place[1] * CELLS + i;

        if (place[0] == 0)
            tile->cell[0][i] = edge(0, y);
        if (place[0] == dims[0] - 1)
            tile->cell[SIDE - 1][i] = edge(x - i + SIDE - 1, y);
        if (place[1] == 0)
            tile->cell[i][0] = edge(x, 0);
        if (place[1] == dims[1] - 1)
            tile->cell[i][SIDE - 1] = edge(x, y - i + SIDE - 1);
    }
}

static void exchange(struct tile *tile, MPI_Comm grid)
{
    MPI_Request requests[8];
    MPI_Status statuses[8];
    int up, down, left, right;

    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Cart_shift(grid, 1, 1, &left, &right);
    MPI_Irecv(&tile->cell[0][1], 1, row, up, 0, grid, &requests[0]);
    MPI_Irecv(&tile->cell[SIDE - 1][1], 1, row, down, 1, grid, &requests[1]);
    MPI_Irecv(&tile->cell[1][0], 1, column, left, 2, grid, &requests[2]);
    MPI_Irecv(&tile->cell[1][SIDE - 1], 1, column, right, 3, grid, &requests[3]);
    MPI_Isend(&tile->cell[CELLS][1], 1, row, down, 0, grid, &requests[4]);
    MPI_Isend(&tile->cell[1][1], 1, row, up, 1, grid, &requests[5]);
    MPI_Isend(&tile->cell[1][CELLS], 1, column, right, 2, grid, &requests[6]);
    MPI_Isend(&tile->cell[1][1], 1, column, left, 3, grid, &requests[7]);
    MPI_Waitall(8, requests, statuses);
}

/* Returns the largest change of a cell. */
static double relax(struct tile *tile)
{
    const struct tile old = *tile;
    double change = 0;

    for (int i = 1; i <= CELLS; i++)
        for (int j = 1; j <= CELLS; j++) {
            tile->cell[i][j] = (old.cell[i - 1][j] + old.cell[i + 1][j] + old.cell[i][j - 1] +
                                old.cell[i][j + 1]) /
                               4;
            change = fmax(change, fabs(tile->cell[i][j] - old.cell[i][j]));
        }
    return change;
}

static void write_tile(const struct tile *tile, const int *place)
{
    char name[32];
    FILE *file;

    snprintf(name, sizeof name, "tile.%d.%d", place[0], place[1]);
    file = fopen(name, "w");
    for (int i = 0; file && i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            fprintf(file, "%.17g%c", tile->cell[i][j], j < SIDE - 1 ? ' ' : '\n');
    if (file)
        fclose(file);
}

int main(int argc, char **argv)
{
    struct tile tile = {0};
    int rank, size, rounds = 0, dims[2] = {0, 0}, periods[2] = {0, 0}, place[2];
    double mine, change;
    MPI_Comm grid;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, place);
    MPI_Type_contiguous(CELLS, MPI_DOUBLE, &row);
    MPI_Type_vector(CELLS, 1, SIDE, MPI_DOUBLE, &column);
    MPI_Type_commit(&row);
    MPI_Type_commit(&column);
    set_edges(&tile, dims, place);
    do {
        exchange(&tile, grid);
        mine = relax(&tile);
        MPI_Allreduce(&mine, &change, 1, MPI_DOUBLE, MPI_MAX, grid);
    } while (change > converged && ++rounds < ROUNDS_MOST);
    write_tile(&tile, place);
    printf("jacobi: tile %d %d is done\n", place[0], place[1]);
    MPI_Type_free(&row);
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return change > converged;
}
