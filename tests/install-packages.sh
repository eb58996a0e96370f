#!/bin/sh
# Installs what building, the demo or the tests need and this machine lacks (Debian 12 and later). Nothing is done, and
# no right to install is needed, where everything is there.
set -eu

build="gcc:gcc make:make pkg-config:pkg-config mpicc.mpich:libmpich-dev mpiexec.hydra:mpich ar:binutils"
check="clang:clang clang-format:clang-format clang-tidy:clang-tidy cppcheck:cppcheck valgrind:valgrind gdb:gdb gfortran:gfortran g++:g++
       ps:procps python3:python3 pytest-3:python3-pytest spin:spin mandoc:mandoc groff:groff-base"
headers_build="/usr/include/ini.h:libinih-dev /usr/include/jansson.h:libjansson-dev /usr/lib/x86_64-linux-gnu/libunwind.so.8:libunwind8"
headers_check="/usr/include/check.h:check"
headers_deb="/usr/share/build-essential/essential-packages-list:build-essential"

case "${1-}" in
build) commands=$build headers=$headers_build ;;
check) commands="$build $check" headers="$headers_build $headers_check" ;;
deb) commands="$build dpkg-buildpackage:dpkg-dev dh:debhelper lintian:lintian" headers="$headers_build $headers_check $headers_deb" ;;
debian) commands="debootstrap:debootstrap unshare:util-linux" headers= ;;
*)
    echo "usage: $0 build|check|deb|debian" >&2
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
[ -n "$missing" ] || exit 0

sudo=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || {
        echo "$0: as root, please: apt-get install$missing" >&2
        exit 1
    }
    sudo=sudo
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list of packages
{
    $sudo apt-get update -qq
    $sudo apt-get install -y -qq --no-install-recommends $missing
} >/dev/null
