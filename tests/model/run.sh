#!/bin/bash
# run.sh [--quick] [BUILD]   checks tests/model/allreduce.pml with Spin
#
# Each configuration of the right protocol must satisfy every property, in all its states; in each wrong
# protocol Spin must find the property that it violates. The story of each counterexample is left in
# BUILD/model/NAME.txt. Exit status 1 if anything else happens.
#
# Flags and table lines are lists of words:
# shellcheck disable=SC2086
set -u

quick=0
if [ "${1:-}" = --quick ]; then
    quick=1
    shift
fi
model=$(cd "$(dirname "$0")" && pwd)/allreduce.pml
work=${1:-${BUILD:-build}}/model
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
    echo "A value is a bit mask of ranks: 5 is {0, 2}; 0 is the verdict EXCESS; attempt -1: none." >"$dir/story"
    (cd "$dir" && spin -T -k allreduce.pml.trail "$@" "${model##*/}") 2>&1 | sed '/^#processes/,$d' >>"$dir/story"
    line=$(sed -n 's/.*allreduce.pml:\([0-9]*\), Error: assertion violated.*/\1/p' "$dir/story" | head -1)
    sed -n "${line:-1}s,.*assert(.*/\* \([a-z]*\):.*,\1,p" "$model"
}

# States are counted as pan does, with those of its check for runs without end (-l).
check_right() # n, f, deaths, algorithm
{
    local n=$1 f=$2 deaths=$3 algorithm=$4 name=$4-n$1-f$2-d$3
    local out states='' result flags start=$SECONDS

    flags="-DN=$n -DF=$f -DDEATHS=$deaths"
    [ "$algorithm" = optimistic ] && flags="$flags -DOPTIMISTIC"
    out=$work/$name/out
    if ! build "$name" -DNP $flags; then
        result="cannot be built: $work/$name/build.log"
    else
        (cd "$work/$name" && ./pan -l -m$depth_max -n) >"$out" 2>&1
        if ! grep -q 'errors: 0$' "$out"; then
            result=$(violated "$name" $flags)
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
    printf '%9s %2s %6s  %-10s %9s %7s  %s\n' "$n" "$f" "$deaths" "$algorithm" "${states:--}" \
        $((SECONDS - start)) "$result"
}

# -i: the shortest counterexample
check_wrong() # switch, n, f, deaths, property
{
    local name=$1 n=$2 f=$3 deaths=$4 expected=$5 found flags="-DN=$2 -DF=$3 -DDEATHS=$4 -D$1"

    if ! build "$name" '-DSAFETY -DREACH' $flags; then
        found="cannot be built: $work/$name/build.log"
    else
        (cd "$work/$name" && ./pan -i -m$depth_max -n) >"$work/$name/out" 2>&1
        found=$(violated "$name" $flags)
        cp "$work/$name/story" "$work/$name.txt"
    fi
    [ "$found" = "$expected" ] || bad=1
    wrong_count=$((wrong_count + 1))
    printf '%9s %2s %6s  %-20s %s\n' "$n" "$f" "$deaths" "$name" \
        "${found:-NOTHING FOUND}$([ "$found" = "$expected" ] || echo " (expected: $expected)")"
}

if ! command -v spin >/dev/null || ! command -v gcc >/dev/null; then
    echo 'model: needs spin and gcc; on Debian and Ubuntu: apt-get install spin gcc' >&2
    exit 1
fi
mkdir -p "$work"
work=$(cd "$work" && pwd)

right=$right_all wrong=$wrong_all
[ $quick = 1 ] && right=$right_quick wrong=$wrong_quick
echo 'Allreduce (doc/design.md, section 5): agreement, validity, attempts, excess, termination in all states'
echo 'processes  f deaths  algorithm     states seconds  result'
while read -r line; do
    [ -n "$line" ] && check_right $line
done <<<"$right"
echo 'Wrong protocols: Spin must find what is violated (the story: BUILD/model/NAME.txt)'
echo 'processes  f deaths  protocol             violated'
while read -r line; do
    [ -n "$line" ] && check_wrong $line
done <<<"$wrong"
echo "model: $right_count configurations with $states_sum states and $wrong_count wrong protocols checked:" \
    "$([ $bad = 0 ] && echo 'as expected' || echo 'NOT AS EXPECTED')"
exit $bad
