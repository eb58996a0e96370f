"""Collective calls on files with dead members (programs/files.c)."""
from ..case import Case
from .common import ABORT, DEFECT, SURVIVORS
from .reports import SITES, site


def files(name, args, dead, f=1, n=4, settings=None, says=(), **more):
    return Case(f"files: {name}", n, f, failures=dead, settings={**SURVIVORS, **(settings or {})},
                says=(rf"(files: rank \d is content(.|\n)*){{{n - dead}}}", *says), silent=("on_blocked",),
                command=f"mpiexec.hydra -n {{n}} {{programs}}/files {args}", **more)


FILES = [
    files("nobody dies", "data", 0),
    files("nobody dies, native", "data", 0, settings={"FTCOLL_COMMUNICATORS": "native"}),
    files("a rank dies", "data 1", 1, says=("ftcoll: MPI_File_seek_shared returns an error on all survivors: .*/data",)),
    files("rank 0 dies, all calls protected", "data 0", 1, settings={"FTCOLL_PROTECT": "all"}),
    files("one after the other", "data 2 0 1", 3),
    files("two at once, then one", "data 1,4 0", 3, f=2, n=6),
    files("one that is deleted when it is closed", "--delete data 0", 1),
    files("one that a library closes in MPI_Finalize", "--finalize data 1", 1,
          check=lambda job: "" if job.text("stdout").count("has closed in MPI_Finalize") == 3 else "not all have closed"),
    files("rank 0 dies with what it has gathered", "--inside data", 1),
    files("a rank dies whose data another takes", "--source data", 1, tags=DEFECT),
    *(files(f"a view in each step, and rank {victim} dies", f"--steps data {victim}", 1, tags=DEFECT) for victim in range(4)),
    files("a rank dies and the file has no name", "--unlinked data 1", 1,
          says=("ftcoll: MPI_File_set_view returns an error on all survivors: .*/data",)),
    files("more die at once than are tolerated", "--excess data 1,2", 2, n=5, tags=DEFECT),
    files("a rank that has left the call for one that is through", "--left data", 1,
          settings={"FTCOLL_CRASH": "1:5:a1", "FTCOLL_ALGORITHM": "corrected"}, tags=DEFECT),
    *(files(f"rank {victim} dies in the middle", f"--anytime data {{seed}} 8 {victim}", 1, runs=2, limit_s=60)
      for victim in (0, 2)),
    *(Case(f"files: a library makes copies, and rank {first} dies first", 11, 1, failures=9, settings=SURVIVORS, tags=DEFECT,
           command=f"mpiexec.hydra -n {{n}} {{programs}}/filelib data {victims}", silent=("on_blocked",),
           says=("MPI_File_open returns an error on all survivors", "MPI_File_sync returns an error on all survivors",
                 "MPI_File_close returns an error on all survivors", r"(filelib: rank \d+ is content(.|\n)*){2}"))
      for first, victims in ((0, "0,1,2,3,4,5,6,7,8"), (10, "10,9,8,7,6,5,4,3,2"))),
    *(Case(f"files: a library makes copies, and rank {victim} dies in the middle", 4, 1, failures=1, settings=SURVIVORS, runs=2,
           command=f"mpiexec.hydra -n {{n}} {{programs}}/filelib --anytime data {{seed}} 8 {victim}", limit_s=60,
           says=(r"(filelib: rank \d is content(.|\n)*){3}",)) for victim in (0, 2)),
    *(Case(f"files: a library has a file open with a copy, and rank {victim} dies{how}", 4, 1, failures=1, tags=DEFECT,
           settings={**SURVIVORS, **settings}, command=f"mpiexec.hydra -n {{n}} {{programs}}/filelib --long data {victim}",
           says=("MPI_File_sync returns an error on all survivors", r"(filelib: rank \d is content(.|\n)*){3}"))
      for victim, how, settings in ((1, "", {}), (0, ", places", {"FTCOLL_COMMUNICATORS": "places"}),
                                    (3, ", places", {"FTCOLL_COMMUNICATORS": "places"}))),
    Case("files: a rank dies, native", 4, 1, settings={"FTCOLL_COMMUNICATORS": "native", **ABORT}, status="failed",
         command="mpiexec.hydra -n {n} {programs}/files data 1",
         says=(r"in MPI_File_write_at_all at files\(.*it may need rank 1, .*on_blocked = abort",)),
    Case("files: coverage", 4, 1, settings={**SITES, **SURVIVORS}, command="mpiexec.hydra -n {n} {programs}/files data",
         says=(site(12, 4, "MPI_File_write_at_all", "protected", r"files\(at_offsets", "by setting communicators"),)),
    Case("files: coverage, native", 4, 1, settings=SITES, command="mpiexec.hydra -n {n} {programs}/files data",
         says=(site(12, 4, "MPI_File_write_at_all", "not protected", r"files\(at_offsets", "setting communicators is native"),
               "verdict with .*FTCOLL_COMMUNICATORS=survivors")),
]
