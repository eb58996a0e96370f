"""The programs, and how each is run."""
import re


class Program:
    def __init__(self, name, what, *arguments, binary=None, sizes=(2, 3, 5), before=(), behind=(), environment=None,
                 calls=None, counted="I?(?:All|all)?[rR]educe", compared_with="native", **settings):
        """@before and @behind: libraries that are preloaded too, nearer to the program than ftcoll, or further.
        @calls: how many calls of rank 0 ftcoll must carry out; None: some. @counted: the names of these.
        @compared_with: native runs, or other runs with ftcoll."""
        self.name, self.what, self.arguments = name, what, arguments
        self.binary = binary or name
        self.sizes = sizes
        self.before, self.behind = before, behind
        self.environment, self.calls, self.compared_with = environment or {}, calls, compared_with
        self.counted = re.compile(rf"^ftcoll: MPI_{counted} +(\d+) +carried out by ftcoll", re.M)
        self.settings = {f"FTCOLL_{key.upper()}": value for key, value in settings.items()}

    def stacked(self, *libraries):
        return [*self.before, *libraries, *self.behind]


# Not here: MPI_Comm_spawn and MPI_Comm_connect, which MPICH 4.0.2 as Debian 12 ships it (ch4:ucx) does not have
# ("Error in spawn call", "not currently supported with ucx netmod"); calls that do not match, which hang natively
# (tests/mpi/programs/wrong.c). What native MPICH gets wrong is left out in the programs, with the reason.
ALL = [
    Program("predefined", "all predefined operations on all predefined datatypes"),
    Program("pairs", "MINLOC and MAXLOC of all pair types, with ties"),
    Program("derived", "derived datatypes: gaps, negative lower bounds, changed extents"),
    Program("userops", "operations of the program's own, commutative and not, that look at their datatype"),
    Program("buffers", "no data, null pointers, MPI_IN_PLACE, read-only send buffers, any root"),
    Program("buffers-packed", "the same, all that can be protected by messages", binary="buffers", intercept="all"),
    Program("blocks", "gather, scatter, allgather and alltoall in all forms, of any datatype", counted=r"\w+"),
    Program("prefixes", "scan, exscan, reduce_scatter; operations for which order and brackets matter", counted=r"\w+"),
    Program("neighbors", "neighborhood collectives on grids and graphs", counted=r"Neighbor_\w+", sizes=(2, 3, 4, 6)),
    Program("between", "collective calls on intercommunicators", counted=r"\w+", intercept="all"),
    Program("overlap", "operations on different communicators at the same time"),
    Program("large", "MPI_Allreduce_c, MPI_Reduce_c, MPI_Bcast_c, MPI_Op_create_c"),
    Program("communicators", "each way to make one; intercommunicators; MPI_COMM_SELF"),
    Program("recreate-2", "communicators freed and made again thousands of times, no growth", "2000",
            binary="recreate", sizes=(2,)),
    Program("recreate-3", "the same with three ranks, hundreds of times", "150", binary="recreate", sizes=(3,)),
    *(Program(f"survivors-{binary}", "the same with communicators = survivors, while all live", *arguments,
              binary=binary, sizes=sizes, communicators="survivors")
      for binary, sizes, arguments in (("communicators", (2, 3, 5), ()), ("recreate", (2, 3), ("150",)),
                                       ("threads", (2, 3), ()), ("errors", (2, 3), ()), ("between", (2, 3), ()),
                                       ("fortran_mpi_f08", (2, 3), ()))),
    *(Program(f"data-phase-{binary}", "the same, each call in a data phase", *arguments, binary=binary, sizes=sizes,
              large="protected", max_bytes="0")
      for binary, sizes, arguments in (("predefined", (3,), ()), ("pairs", (2, 5), ()), ("derived", (2, 3, 5), ()),
                                       ("userops", (2, 3, 5), ()), ("buffers", (2, 3, 5), ()), ("large", (2, 3, 5), ()),
                                       ("overlap", (3,), ()), ("errors", (3,), ()), ("nonblocking", (3,), ()),
                                       ("communicators", (3,), ()), ("recreate", (3,), ("150",)), ("threads", (3,), ()),
                                       ("cxx", (3,), ()), ("fortran_mpif", (3,), ()), ("fortran_mpi_f08", (3,), ()))),
    *(Program(f"rounds-{binary}", "the same, each call in rounds through shared memory", binary=binary, sizes=sizes,
              counted=r"\w+", large="protected", max_bytes="0")
      for binary, sizes in (("blocks", (2, 3, 5)), ("prefixes", (2, 3)), ("neighbors", (2, 3, 4, 6)))),
    *(Program(f"between-{large}", "the same, of any size", binary="between", sizes=(3, 5), counted=r"\w+", intercept="all",
              large="protected", max_bytes=max_bytes)
      for large, max_bytes in (("messages-and-rounds", "512"), ("rounds", "0"))),
    Program("data-phase-repeatable", "the same bits in each run, in data phases", binary="repeatable",
            compared_with="ftcoll", deterministic="on", large="protected", max_bytes="0"),
    Program("rounding", "large sums that depend on the order of combination: the bits of native MPI", sizes=(2, 3, 4, 5, 7),
            large="protected"),
    *(Program(f"floating-{when}", f"floating-point modes and traps that the program sets {when} MPI_Init", when,
              binary="floating", sizes=(2, 3))
      for when in ("before", "after")),
    *(Program(f"levels-{level}", f"MPI started by {call}", level, binary="levels", sizes=(3,))
      for level, call in (("init", "MPI_Init"), ("single", "MPI_Init_thread"), ("funneled", "MPI_Init_thread"),
                          ("serialized", "MPI_Init_thread"), ("multiple", "MPI_Init_thread"))),
    Program("threads", "threads in reductions on communicators of their own, which they make and free"),
    Program("errors", "wrong arguments: the same error classes and error handlers"),
    Program("nonblocking", "nonblocking and persistent reductions beside blocking ones"),
    Program("nonblocking-native", "the same, native", binary="nonblocking", intercept="reduce,allreduce"),
    Program("progress", "native operations that go on while their rank is in a reduction", sizes=(2, 3)),
    *(Program(f"messages-{p2p}", f"point-to-point calls while nobody is dead, p2p = {p2p}", binary="messages", p2p=p2p,
              sizes=(2, 3))
      for p2p in ("native", "error", "ignore")),
    *(Program(f"reused-{p2p}", f"persistent collectives of native MPI after the library's own requests, p2p = {p2p}",
              binary="reused", p2p=p2p, sizes=(2, 3))
      for p2p in ("native", "error", "ignore")),
    *(Program(f"rejected-{p2p}-{communicators}", f"calls with wrong arguments, p2p = {p2p}, communicators = {communicators}",
              binary="rejected", p2p=p2p, communicators=communicators, sizes=(2,))
      for p2p, communicators in (("native", "native"), ("error", "native"), ("ignore", "survivors"))),
    *(Program(f"statuses-{p2p}", f"what each call leaves of its status, p2p = {p2p}", binary="statuses", p2p=p2p,
              sizes=(2,))
      for p2p in ("native", "error", "ignore")),
    Program("stacked-pmpi-before", "a PMPI tool between program and ftcoll", "counts", binary="stacked", sizes=(3,),
            before=("counting",), environment={"COUNTING_CALLS": "PMPI_Allreduce"}, calls=14),
    Program("stacked-pmpi-behind", "a PMPI tool between ftcoll and MPI", "counts", binary="stacked", sizes=(3,),
            behind=("counting",), environment={"COUNTING_CALLS": "PMPI_Allreduce"}, calls=14),
    Program("stacked-next", "a library that calls the next MPI_Allreduce, before ftcoll", "counts", binary="stacked",
            sizes=(3,), before=("counting",), environment={"COUNTING_CALLS": "MPI_Allreduce"}, calls=14),
    Program("stacked-next-behind", "the same, between ftcoll and MPI", "counts", binary="stacked", sizes=(3,),
            behind=("counting",), environment={"COUNTING_CALLS": "MPI_Allreduce"}, calls=14),
    Program("fortran-mpif", "Fortran, mpif.h", binary="fortran_mpif", sizes=(2, 3), calls=31, counted=r"\w+"),
    Program("fortran-use-mpi", "Fortran, use mpi", binary="fortran_mpi", sizes=(2, 3), calls=31, counted=r"\w+"),
    Program("fortran-use-mpi-f08", "Fortran, use mpi_f08", binary="fortran_mpi_f08", sizes=(2, 3), calls=31, counted=r"\w+"),
    Program("cxx", "C++: its bool and complex types, operations, threads"),
    Program("repeatable", "sums that depend on the order of combination, the same in each run with deterministic = on",
            compared_with="ftcoll", deterministic="on"),
]
