# The recipe lies in the sources that it builds. In their folder:
#
#     make dist
#     spack repo add config/packaging/spack
#     spack install --no-checksum ftcoll          (or, of the files as they are: spack dev-build ftcoll@0.1.0)
#     spack load ftcoll
#     ftcoll run -- mpiexec -n 8 ./program
#
# The program's MPI has to be MPICH, too; nothing is loaded into programs that are not asked to.
import os

from spack.package import *

try:  # Spack 1.0 has the build systems in its repository of packages
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
except ImportError:
    pass

SOURCES = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 5))


class Ftcoll(MakefilePackage):
    """MPI reductions that survive dead ranks: a library that is preloaded into unmodified programs of MPICH."""

    url = f"file://{SOURCES}/build/ftcoll-0.1.0.tar.gz"

    license("MIT")

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("mpich@4.0:")
    # Is linked statically: a preloaded library should bring no other library into somebody's program.
    depends_on("libinih default_library=static", type=("build", "link"))
    # Of the command alone.
    depends_on("jansson", type=("build", "link"))
    # Is opened when it is needed, and found by the path that the linker notes.
    depends_on("libunwind", type=("link", "run"))
    depends_on("check", type="test")

    conflicts("platform=darwin", msg="ftcoll needs Linux")
    conflicts("platform=windows", msg="ftcoll needs Linux")

    @property
    def variables(self):
        """Of make, with their values. Spack's wrappers of the compilers find libinih and check."""
        mpich = self.spec["mpich"].prefix
        return [
            f"PREFIX={self.prefix}",
            f"MPI_INCLUDE={mpich.include}",
            f"MPICC={mpich.bin.mpicc}",
            "CC=cc",
        ]

    @property
    def build_targets(self):
        return [*self.variables, "all"]

    @property
    def install_targets(self):
        return [*self.variables, "install"]

    def check(self):
        make(*self.variables, "unit")
