#!/usr/bin/python3
"""pi by the midpoint rule, a share of the intervals a rank, in Python that opens MPICH itself.

As with any sum of shares, the width that was summed over travels with the sum: what a dead rank had is missing in both.
"""
import ctypes
import math

mpi = ctypes.CDLL("libmpich.so.12")
# What mpi.h of MPICH's ABI says.
COMM_WORLD, DOUBLE, MIN, SUM = 0x44000000, 0x4C00080B, 0x58000002, 0x58000003

INTERVALS, ROUNDS = 4096, 100


def allreduce(operation, *values):
    send, receive = ((ctypes.c_double * len(values))(*part) for part in (values, (0.0,) * len(values)))
    mpi.MPI_Allreduce(send, receive, len(values), DOUBLE, operation, COMM_WORLD)
    return list(receive)


def number(function):
    value = ctypes.c_int()
    function(COMM_WORLD, ctypes.byref(value))
    return value.value


mpi.MPI_Init(None, None)
rank, size = number(mpi.MPI_Comm_rank), number(mpi.MPI_Comm_size)
estimate = 0.0
for turn in range(ROUNDS):
    # Each rank has intervals from everywhere, so that those of the others stand for a dead one's.
    shift = (turn + 0.5) / ROUNDS
    mine = [(i + shift) / INTERVALS for i in range(rank, INTERVALS, size)]
    height, count = allreduce(SUM, sum(4 / (1 + x * x) for x in mine), len(mine))
    estimate += height / count / ROUNDS
# The lowest of the ranks that are left prints, as rank 0 may be dead.
if allreduce(MIN, rank) == [rank]:
    print(f"pi is about {estimate:.5f}, the last round with {count:.0f} of {INTERVALS} intervals", flush=True)
mpi.MPI_Finalize()
raise SystemExit(abs(estimate - math.pi) > 1e-3)
