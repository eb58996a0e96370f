#!/bin/sh
# Installs what building, the demo or the tests need and this machine lacks (Debian 12 and later). Nothing is done, and
# no right to install is needed, where everything is there.
set -eu

build="gcc:gcc make:make pkg-config:pkg-config mpicc.mpich:libmpich-dev mpiexec.hydra:mpich ar:binutils"
check="clang:clang clang-format:clang-format clang-tidy:clang-tidy cppcheck:cppcheck valgrind:valgrind gdb:gdb gfortran:gfortran g++:g++
       ps:procps ip:iproute2 unshare:util-linux python3:python3 pytest-3:python3-pytest spin:spin mandoc:mandoc groff:groff-base duk:duktape"
headers_build="/usr/include/ini.h:libinih-dev /usr/include/jansson.h:libjansson-dev /usr/lib/x86_64-linux-gnu/libunwind.so.8:libunwind8"
headers_check="/usr/include/check.h:check /usr/lib/python3/dist-packages/xdist:python3-pytest-xdist"
bench="gnuplot:gnuplot-nox python3:python3 strace:strace valgrind:valgrind"
# What is done without where it cannot be had: UCX for links, and what only a few cases need.
wanted_build="/usr/include/ucp/api/ucp.h:libucx-dev"
wanted_check="$wanted_build /usr/bin/gnuplot:gnuplot-nox /usr/lib/x86_64-linux-gnu/libcaf_mpich.so:libcoarrays-mpich-dev"
# MPICH from its sources.
device="autoreconf:autoconf automake:automake libtoolize:libtool dpkg-source:dpkg-dev patch:patch python3:python3 gfortran:gfortran g++:g++"
headers_device="/usr/include/hwloc.h:libhwloc-dev /usr/include/rdma/fabric.h:libfabric-dev"
# Debian 12's libfabric is not complete without these; newer ones have no use for some, and no such packages.
wanted_device="/usr/include/psm.h:libpsm-infinipath1-dev /usr/include/psm2.h:libpsm2-dev /usr/include/rdma/rdma_cma.h:librdmacm-dev
               /usr/include/infiniband/verbs.h:libibverbs-dev"
# What builds for another machine, and runs that.
wanted_arm64="/usr/bin/aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu /usr/aarch64-linux-gnu/include/stdio.h:libc6-dev-arm64-cross
              /usr/bin/qemu-aarch64:qemu-user"
# MPICH's own tests, which need no more than a compiler.
suite="dpkg-source:dpkg-dev"
headers_deb="/usr/share/build-essential/essential-packages-list:build-essential"

wanted=
case "${1-}" in
build) commands=$build headers=$headers_build wanted=$wanted_build ;;
check) commands="$build $check" headers="$headers_build $headers_check" wanted=$wanted_check ;;
bench) commands="$build $bench" headers=$headers_build ;;
deb) commands="$build dpkg-buildpackage:dpkg-dev dh:debhelper lintian:lintian" headers="$headers_build $headers_check $headers_deb" ;;
device) commands="$build $check $device" headers="$headers_build $headers_check $headers_device" wanted=$wanted_device ;;
suite) commands="$build $check $suite" headers="$headers_build $headers_check" ;;
arm64) commands= headers= wanted=$wanted_arm64 ;;
debian) commands="debootstrap:debootstrap unshare:util-linux" headers= ;;
*)
    echo "usage: $0 build|check|bench|deb|device|suite|arm64|debian" >&2
    exit 2
    ;;
esac

missing=
for pair in $commands; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
done
for pair in $headers; do
    [ -e "${pair%%:*}" ] || missing="$missing ${pair#*:}"
done
if [ "$1" = check ] && ! ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.asan-x86_64.a >/dev/null 2>&1; then
    missing="$missing libclang-rt-dev"
fi
optional=
for pair in $wanted; do
    [ -e "${pair%%:*}" ] || optional="$optional ${pair#*:}"
done
[ -n "$missing$optional" ] || exit 0

sudo=
if [ "$(id -u)" -ne 0 ]; then
    [ -n "$missing" ] || exit 0 # nobody is asked for a password because of what is optional
    command -v sudo >/dev/null 2>&1 || {
        echo "$0: as root, please: apt-get install$missing" >&2
        exit 1
    }
    sudo=sudo
fi
export DEBIAN_FRONTEND=noninteractive
install_all() {
    $sudo apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
echo "installing:$missing$optional"
$sudo apt-get update -qq >/dev/null || [ -z "$missing" ]
# shellcheck disable=SC2086 # a list of packages
[ -z "$missing" ] || install_all $missing
for package in $optional; do
    install_all "$package" 2>/dev/null || echo "cannot be installed, and is done without: $package"
done
