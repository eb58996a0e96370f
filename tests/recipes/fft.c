/* fft: a low-pass filter over frames of a film, by two-dimensional Fourier transforms whose rows
 * are dealt out to the ranks: transform the rows, transpose by MPI_Alltoall, transform and filter
 * the columns and back, transpose again.
 *
 *     fft [FILES]
 *
 * Each rank writes its rows of each frame to a file FILES.RANK.
 *
 * The only thing that it knows of failures: all transposes of a frame must be of the same ranks.
 * How many there are, an allreduce tells before and after; if these differ the frame is done again.
 * What is zero for a dead rank (dead_blocks = zero) is then zero in all of the frame. */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 16, CUT = 5, FRAMES = 12 };

static int rank, n, rows;

static int living(void)
{
    int one = 1, sum;

    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* Of SIDE numbers, in place, not normalized; @direction is -1 forward and 1 back. */
static void transform(double complex *a, int stride, int count, int direction)
{
    double complex even[SIDE / 2], odd[SIDE / 2];

    if (count == 1)
        return;
    transform(a, 2 * stride, count / 2, direction);
    transform(a + stride, 2 * stride, count / 2, direction);
    for (int k = 0; k < count / 2; k++) {
        even[k] = a[2 * k * stride];
        odd[k] = a[(2 * k + 1) * stride] * cexp(direction * 2 * M_PI * I * k / count);
    }
    for (int k = 0; k < count / 2; k++) {
        a[k * stride] = even[k] + odd[k];
        a[(k + count / 2) * stride] = even[k] - odd[k];
    }
}

static void transform_rows(double complex *a, int direction)
{
    for (int i = 0; i < rows; i++)
        transform(a + i * SIDE, 1, SIDE, direction);
}

/* Row i of rank r becomes column i of all. */
static void transpose(const double complex *a, double complex *b)
{
    double complex out[SIDE * SIDE], in[SIDE * SIDE];

    for (int r = 0; r < n; r++)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++)
                out[(r * rows + j) * rows + i] = a[i * SIDE + r * rows + j];
    MPI_Alltoall(out, rows * rows, MPI_C_DOUBLE_COMPLEX, in, rows * rows, MPI_C_DOUBLE_COMPLEX,
                 MPI_COMM_WORLD);
    for (int r = 0; r < n; r++)
        for (int j = 0; j < rows; j++)
            for (int i = 0; i < rows; i++)
                b[j * SIDE + r * rows + i] = in[(r * rows + j) * rows + i];
}

/* This rank's columns, which it has as rows. */
static void filter(double complex *a)
{
    transform_rows(a, -1);
    for (int j = 0; j < rows; j++)
        for (int k = 0; k < SIDE; k++) {
            int column = rank * rows + j, fx = column < SIDE / 2 ? column : SIDE - column,
                fy = k < SIDE / 2 ? k : SIDE - k;

            a[j * SIDE + k] *= fx + fy < CUT ? 1.0 / (SIDE * SIDE) : 0;
        }
    transform_rows(a, 1);
}

static double pixel(int frame, int y, int x)
{
    return (frame * 31 + y * 17 + x * 13 + y * x) % 64;
}

static void do_frame(int frame, double complex *image)
{
    double complex columns[SIDE * SIDE];

    for (int i = 0; i < rows; i++)
        for (int x = 0; x < SIDE; x++)
            image[i * SIDE + x] = pixel(frame, rank * rows + i, x);
    transform_rows(image, -1);
    transpose(image, columns);
    filter(columns);
    transpose(columns, image);
    transform_rows(image, 1);
}

static void write_frame(FILE *file, const double complex *image)
{
    for (int i = 0; file && i < rows * SIDE; i++)
        fprintf(file, "%.12f%c", creal(image[i]), i < rows * SIDE - 1 ? ' ' : '\n');
    if (file)
        fflush(file);
}

static FILE *open_file(const char *files)
{
    char name[256];

    snprintf(name, sizeof name, "%s.%d", files, rank);
    return fopen(name, "w");
}

int main(int argc, char **argv)
{
    double complex image[SIDE * SIDE];
    int by = 0;
    FILE *file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    rows = SIDE / n;
    file = argc > 1 ? open_file(argv[1]) : NULL;
    for (int frame = 0, before = living(), after; frame < FRAMES; before = after) {
        do_frame(frame, image);
        after = living();
        if (after == before) {
            write_frame(file, image);
            by = after;
            frame++;
        }
    }
    if (file)
        fclose(file);
    printf("fft: rank %d has %d frames, the last by %d of %d ranks\n", rank, FRAMES, by, n);
    MPI_Finalize();
    return 0;
}
