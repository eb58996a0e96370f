#!/bin/bash
# run.sh [--quick] [BUILD]   checks tests/model/allreduce.pml and lease.pml with Spin
#
# Each configuration of the right protocol must satisfy every property, in all its states; in each wrong
# protocol Spin must find the property that it violates. The story of each counterexample is left in
# BUILD/model/NAME.txt. Exit status 1 if anything else happens.
#
# Flags and table lines are lists of words, and each() calls functions:
# shellcheck disable=SC2046,SC2086,SC2317
set -u

quick=0
if [ "${1:-}" = --quick ]; then
    quick=1
    shift
fi
here=$(cd "$(dirname "$0")" && pwd)
model=$here/allreduce.pml
work=${1:-${BUILD:-build}}/model
legend='A value is a bit mask of ranks: 5 is {0, 2}; 0 is the verdict EXCESS; attempt -1: none.'
memory_mb=4000
depth_max=10000 # no run is that long: pan says so if one is, and that counts as a failure
bad=0 right_count=0 wrong_count=0 states_sum=0

# processes, f, deaths, algorithm. More deaths than f: the survivors agree all the same.
right_quick='
3 1 1 corrected
3 2 2 corrected
4 1 2 corrected
4 2 2 optimistic'

right_all='
3 1 1 corrected
3 1 1 optimistic
3 2 2 corrected
3 2 2 optimistic
3 1 2 corrected
3 1 2 optimistic
4 1 1 corrected
4 1 1 optimistic
4 2 2 corrected
4 2 2 optimistic
4 1 2 corrected
4 1 2 optimistic
4 3 3 corrected
4 2 3 corrected
4 1 3 corrected
5 1 1 corrected
5 1 1 optimistic
5 1 2 corrected
5 2 2 corrected
5 2 2 optimistic'

# switch, processes, f, deaths: a small case; the property that must fail
wrong_quick='
NO_PROMISE 4 1 1 agreement
NO_LOCK 3 1 1 termination
NO_RULE4 3 1 1 termination
NO_CONFIRMATION 5 1 2 agreement'

wrong_all="$wrong_quick
READ_DEAD 4 2 2 agreement
ROOT_ADDS_ALWAYS 4 1 1 validity
ROOT_ADDS_ORIGINAL 4 1 1 validity
NO_BIT 4 1 1 validity
BIT_IN_GROUP 3 1 1 excess
IMPATIENT 3 1 1 attempts"

# What may happen to hosts, how often; how many hosts.
lease_right_quick='
2 2 NETWORK
2 2 PROCESSES MPIEXEC
2 2 NETWORK PROCESSES MPIEXEC
3 1 NETWORK PROCESSES MPIEXEC'

lease_right_all='
2 4 PROCESSES MPIEXEC
2 3 NETWORK PROCESSES MPIEXEC
3 2 NETWORK PROCESSES MPIEXEC'

lease_wrong='
NO_MARGIN fencing 2 2 PROCESSES NETWORK
HALF_MARGIN fencing 2 2 PROCESSES NETWORK
NO_LOOK fencing 2 2 PROCESSES
LOOK_ONCE fencing 2 2 PROCESSES
FROM_ANSWER fencing 2 2 NETWORK PROCESSES
BROKEN_IS_ENDED fencing 2 2 NETWORK
FROZEN_AFTER_LOOK fencing 2 2 PROCESSES
FORGIVING fencing 2 2 PROCESSES
NO_END progress 2 1 NETWORK
PATIENT progress 2 1 NETWORK'

# pan is compiled without optimisation: the compiler would take longer than what it saves.
build() # name, pan flags, model flags...
{
    local dir=$work/$1 flags=$2
    shift 2
    mkdir -p "$dir"
    rm -f "$dir"/*.trail
    cp "$model" "$dir" # spin hands the name to a shell, which would split it at blanks
    (cd "$dir" && spin "$@" -a "${model##*/}" && gcc -O0 -w $flags -DMEMLIM=$memory_mb -o pan pan.c) \
        >"$dir/build.log" 2>&1
}

# The comment at the assertion that failed, up to the colon.
violated() # name, model flags...
{
    local dir=$work/$1 line
    shift
    echo "$legend" >"$dir/story"
    (cd "$dir" && spin -T -k "${model##*/}.trail" "$@" "${model##*/}") 2>&1 | sed '/^#processes/,$d' >>"$dir/story"
    line=$(sed -n 's/.*[.]pml:\([0-9]*\), Error: assertion violated.*/\1/p' "$dir/story" | head -1)
    sed -n "${line:-1}s,.*assert(.*/\* \([a-z]*\):.*,\1,p" "$model"
}

# The columns that are printed before states, time and result. States are counted as pan does.
check() # name, columns, flags for the compiler and for pan, model flags...
{
    local name=$1 columns=$2 flags=$3 options=$4
    local out=$work/$1/out states='' result start=$SECONDS
    shift 4

    if ! build "$name" "$flags" "$@"; then
        result="cannot be built: $work/$name/build.log"
    else
        (cd "$work/$name" && ./pan $options -m$depth_max -n) >"$out" 2>&1
        if ! grep -q 'errors: 0$' "$out"; then
            result=$(violated "$name" "$@")
            result="VIOLATED: ${result:-termination, a run without end} ($work/$name/story)"
        elif grep -qE 'max search depth too small|out of memory|Search not completed' "$out"; then
            result="NOT COMPLETED: $out"
        else
            result=holds
        fi
        states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' "$out")
    fi
    [ "$result" = holds ] || bad=1
    right_count=$((right_count + 1))
    states_sum=$(awk "BEGIN { printf \"%d\", $states_sum + ${states:-0} }")
    printf '%s %9s %7s  %s\n' "$columns" "${states:--}" $((SECONDS - start)) "$result"
}

# -i: the shortest counterexample
check_wrong() # name, columns, expected property, model flags...
{
    local name=$1 columns=$2 expected=$3 found
    shift 3

    if ! build "$name" '-DSAFETY -DREACH' "$@" "-D$name"; then
        found="cannot be built: $work/$name/build.log"
    else
        (cd "$work/$name" && ./pan -i -m$depth_max -n) >"$work/$name/out" 2>&1
        found=$(violated "$name" "$@" "-D$name")
        cp "$work/$name/story" "$work/$name.txt"
    fi
    [ "$found" = "$expected" ] || bad=1
    wrong_count=$((wrong_count + 1))
    printf '%s %-20s %s\n' "$columns" "$name" \
        "${found:-NOTHING FOUND}$([ "$found" = "$expected" ] || echo " (expected: $expected)")"
}

# -l: and with those of the check for runs without end.
check_allreduce() # n, f, deaths, algorithm
{
    local flags="-DN=$1 -DF=$2 -DDEATHS=$3"

    [ "$4" = optimistic ] && flags="$flags -DOPTIMISTIC"
    check "$4-n$1-f$2-d$3" "$(printf '%9s %2s %6s  %-10s' "$@")" -DNP -l $flags
}

check_wrong_allreduce() # switch, n, f, deaths, property
{
    check_wrong "$1" "$(printf '%9s %2s %6s ' "$2" "$3" "$4")" "$5" "-DN=$2" "-DF=$3" "-DDEATHS=$4"
}

flags_of_lease() # hosts, events, what they happen to...
{
    echo "-DHOSTS=$1 -DEVENTS=$2"
    shift 2
    printf ' -D%s' "$@"
}

check_lease() # hosts, events, what they happen to...
{
    local name
    name=lease-$(echo "$*" | tr ' ' -)

    check "$name" "$(printf '%5s %6s  %-26s' "$1" "$2" "${*:3}")" -DSAFETY '' $(flags_of_lease "$@")
}

check_wrong_lease() # switch, property, hosts, events, what they happen to...
{
    local name=$1 expected=$2
    shift 2

    check_wrong "$name" "$(printf '%5s %6s  %-18s' "$1" "$2" "${*:3}")" "$expected" $(flags_of_lease "$@")
}

each() # command, lines
{
    local line

    while read -r line; do
        [ -z "$line" ] || $1 $line
    done <<<"$2"
}

if ! command -v spin >/dev/null || ! command -v gcc >/dev/null; then
    echo 'model: needs spin and gcc; on Debian and Ubuntu: apt-get install spin gcc' >&2
    exit 1
fi
mkdir -p "$work"
work=$(cd "$work" && pwd)

right=$right_all wrong=$wrong_all lease_right=$lease_right_all
[ $quick = 1 ] && right=$right_quick wrong=$wrong_quick lease_right=$lease_right_quick
echo 'Allreduce (doc/design.md, section 5): agreement, validity, attempts, excess, termination in all states'
echo 'processes  f deaths  algorithm     states seconds  result'
each check_allreduce "$right"
echo 'Wrong protocols: Spin must find what is violated (the story: BUILD/model/NAME.txt)'
echo 'processes  f deaths  protocol             violated'
each check_wrong_allreduce "$wrong"

model=$here/lease.pml
legend='Sets of hosts are bit masks; up and down, to mpiexec and from it: 0 well connected, 1 slow, 2 cut.'
echo 'Leases (doc/design.md, section 11): fencing, constancy, progress in all states'
echo 'hosts events  which                         states seconds  result'
each check_lease "$lease_right"
echo 'Wrong protocols'
echo 'hosts events  which              protocol             violated'
each check_wrong_lease "$lease_wrong"
echo "model: $right_count configurations with $states_sum states and $wrong_count wrong protocols checked:" \
    "$([ $bad = 0 ] && echo 'as expected' || echo 'NOT AS EXPECTED')"
exit $bad
