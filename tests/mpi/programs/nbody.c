/* nbody: bodies that attract each other in a plane, by the leapfrog method. Each rank moves its
 * own; in each step all gather where the bodies are, with their masses. Each rank writes its own at
 * the end.
 *
 * An ordinary MPI program: it knows of no fault tolerance. As a body's mass comes with its place,
 * what is zero for a dead rank (dead_blocks = zero) is a body that attracts nobody. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { OWN = 2, RANKS_MOST = 16, STEPS = 60, SHOWN_EACH = 10 };

static const double step_size = 0.01, softening = 0.05;

struct body {
    double x, y, mass;
};

static struct body own[OWN], all[OWN * RANKS_MOST];
static double vx[OWN], vy[OWN];
static int rank, n;

static void place_bodies(void)
{
    for (int i = 0; i < OWN; i++) {
        int id = rank * OWN + i;

        own[i].x = id * 5 % 11;
        own[i].y = id * 7 % 13;
        own[i].mass = 1 + id % 3;
        vx[i] = (id % 5 - 2) / 4.0;
        vy[i] = (id % 7 - 3) / 4.0;
    }
}

static void accelerate(int i, double *ax, double *ay)
{
    *ax = *ay = 0;
    for (int j = 0; j < OWN * n; j++) {
        double dx = all[j].x - own[i].x, dy = all[j].y - own[i].y;
        double r2 = dx * dx + dy * dy + softening, pull = all[j].mass / (r2 * sqrt(r2));

        *ax += pull * dx;
        *ay += pull * dy;
    }
}

static void move(void)
{
    MPI_Allgather(own, 3 * OWN, MPI_DOUBLE, all, 3 * OWN, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < OWN; i++) {
        double ax, ay;

        accelerate(i, &ax, &ay);
        vx[i] += step_size * ax;
        vy[i] += step_size * ay;
    }
    for (int i = 0; i < OWN; i++) {
        own[i].x += step_size * vx[i];
        own[i].y += step_size * vy[i];
    }
}

static void show_momentum(int step)
{
    double mine[2] = {0, 0}, sum[2];

    for (int i = 0; i < OWN; i++) {
        mine[0] += own[i].mass * vx[i];
        mine[1] += own[i].mass * vy[i];
    }
    MPI_Reduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("nbody: step %d, momentum %.6f %.6f\n", step, sum[0], sum[1]);
}

static void write_bodies(void)
{
    char name[32];
    FILE *file;

    snprintf(name, sizeof name, "bodies.%d", rank);
    file = fopen(name, "w");
    for (int i = 0; file && i < OWN; i++)
        fprintf(file, "%.17g %.17g %.17g %.17g\n", own[i].x, own[i].y, vx[i], vy[i]);
    if (file)
        fclose(file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    place_bodies();
    for (int step = 0; step < STEPS; step++) {
        move();
        if (step % SHOWN_EACH == 0)
            show_momentum(step);
    }
    write_bodies();
    MPI_Finalize();
    return 0;
}
