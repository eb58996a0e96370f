#!/bin/sh
# Installs the Debian packages of the programs that `make apps` runs, where they are missing. A package that
# cannot be installed within its time is no error: tests/apps/run says that it skips the program, and why.
set -eu

install() { # PACKAGE...
    $sudo timeout 300 apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1
}

missing=
for pair in mocassin:mocassin nwchem.mpich:nwchem-mpich; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
done
[ -e /usr/lib/x86_64-linux-gnu/scalapack/mpich-tests/xdllt ] || missing="$missing scalapack-mpi-test"
[ -d /usr/share/mocassin/benchmarks ] || missing="$missing mocassin-benchmarks"
[ -n "$missing" ] || exit 0

sudo=
[ "$(id -u)" -eq 0 ] || sudo=sudo
command -v ${sudo:-sh} >/dev/null 2>&1 || {
    echo "$0: as root, please: apt-get install$missing" >&2
    exit 1
}
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$sudo timeout 120 apt-get update -qq >/dev/null 2>&1 || echo "$0: apt-get update failed; trying with the old lists"
for package in $missing; do
    install "$package" || echo "$0: $package could not be installed within 5 minutes"
done
