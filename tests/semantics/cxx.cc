// cxx: reductions of C++ types, with operations that are C++, and in threads of C++.
//
//     cxx DIRECTORY
#include <algorithm>
#include <complex>
#include <fstream>
#include <iomanip>
#include <mpi.h>
#include <string>
#include <thread>
#include <vector>

namespace
{

int rank, n;
std::ofstream file;

template <typename T> void show(const std::string &what, const std::vector<T> &result)
{
    file << what << ':';
    for (const T &value : result)
        file << ' ' << std::setprecision(17) << value;
    file << '\n';
}

template <typename T>
void reduce(const std::string &what, MPI_Datatype datatype, MPI_Op op, std::vector<T> in)
{
    std::vector<T> all(in.size()), one(in.size());

    MPI_Allreduce(in.data(), all.data(), static_cast<int>(in.size()), datatype, op, MPI_COMM_WORLD);
    show("allreduce, " + what, all);
    MPI_Reduce(in.data(), one.data(), static_cast<int>(in.size()), datatype, op, n - 1,
               MPI_COMM_WORLD);
    show("reduce, " + what, one);
}

// std::vector<bool> has no data().
void booleans()
{
    bool in[] = {rank == 0, rank != 0, true, false}, all[4] = {}, some[4] = {};

    MPI_Allreduce(in, all, 4, MPI_CXX_BOOL, MPI_LAND, MPI_COMM_WORLD);
    MPI_Allreduce(in, some, 4, MPI_CXX_BOOL, MPI_LOR, MPI_COMM_WORLD);
    show("all", std::vector<int>(all, all + 4));
    show("some", std::vector<int>(some, some + 4));
}

void complex_numbers()
{
    using float_complex = std::complex<float>;
    using double_complex = std::complex<double>;
    const auto r = static_cast<float>(rank + 1);

    reduce<float_complex>("complex<float>", MPI_CXX_FLOAT_COMPLEX, MPI_SUM, {{r, -r}, {2 * r, 1}});
    reduce<double_complex>("complex<double>", MPI_CXX_DOUBLE_COMPLEX, MPI_SUM,
                           {{r, 0.5 * r}, {-1, r}});
    reduce<double_complex>("complex<double>, product", MPI_CXX_DOUBLE_COMPLEX, MPI_PROD,
                           {{1, 1}, {0, 2}});
}

template <typename T> void longest(void *in, void *inout, int *count, MPI_Datatype *)
{
    const T *from = static_cast<const T *>(in);
    T *into = static_cast<T *>(inout);

    std::transform(from, from + *count, into, into, [](T a, T b) { return std::max(a, b); });
}

void operations()
{
    MPI_Op op;

    MPI_Op_create(longest<long>, 1, &op);
    reduce<long>("operation from a template", MPI_LONG, op, {rank, -rank, rank % 2});
    MPI_Op_free(&op);
}

// One after the other: the program asked for MPI_THREAD_SERIALIZED.
void threads()
{
    for (int i = 0; i < 3; i++) {
        std::thread thread([i] { reduce<int>("in a thread", MPI_INT, MPI_SUM, {rank + i, i}); });
        thread.join();
    }
}

} // namespace

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    file.open(std::string(argc > 1 ? argv[1] : ".") + "/rank." + std::to_string(rank));
    booleans();
    complex_numbers();
    operations();
    threads();
    file << "end\n";
    file.close();
    MPI_Finalize();
    return file.good() ? 0 : 1;
}
