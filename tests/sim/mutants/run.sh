#!/bin/sh
# Puts each mistake of mutants.list into a private copy of the tree, one at a time, and runs the fast
# tests: one of them must fail. Usage: BUILD=DIR BOARD=SOURCES [CC=cc] [JOBS=2] run.sh [MUTANT ...]; make mutants names them
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
list=$here/mutants.list
JOBS=${JOBS:-2}
CC=${CC:-gcc}
mkdir -p "$BUILD"
work=$(cd "$BUILD" && pwd)/mutants

FLAGS='-std=gnu11 -Ishim -D_GNU_SOURCE -O1 -w'
CLOCK='-Wl,--wrap=clock_gettime' # as in sim.mk
CHECK_LIBS='-lcheck -lsubunit -lm -lpthread -lrt'
LIMIT_S=120 # a test that takes longer on an idle machine is taken to hang
SOURCES="shim/engine/*.c shim/call/policy.c shim/value/blocks.c shim/protocols/round_status.c $BOARD tests/sim/*.c tests/unit/test_topology.c tests/unit/test_classes.c tests/unit/test_exchange.c tests/unit/test_engine.c"

# ---- building: whatever is as in the original tree is taken from the objects of it ----

same_headers() {
    for h in shim/engine/*.h shim/board/*.h shim/net/*.h shim/protocols/*.h tests/sim/*.h; do
        cmp -s "$h" "$top/$h" || return 1
    done
}

object_of() {
    echo "$1" | tr / _ | sed 's/c$/o/'
}

compile() { # where the original objects are, or "none"
    rm -f ./*.o
    same_headers || set -- none
    for source in $SOURCES; do
        object=$(object_of "$source")
        if [ "$1" != none ] && cmp -s "$source" "$top/$source"; then
            ln -s "$1/$object" "$object"
        else
            "$CC" $FLAGS -c "$source" -o "$object" || return 1
        fi
    done
}

link_tests() {
    engine=$(ls shim_engine_*.o)
    sim="$(ls tests_sim_*.o | grep -v -e test_sim -e simulate) shim_value_blocks.o shim_protocols_round_status.o $(ls shim_board_*.o shim_system_*.o)"
    "$CC" $CLOCK -o simulate tests_sim_simulate.o $sim $engine &&
        "$CC" $CLOCK -o test_sim tests_sim_test_sim.o $sim $engine $CHECK_LIBS &&
        "$CC" -o test_topology tests_unit_test_topology.o shim_call_policy.o $engine $CHECK_LIBS &&
        "$CC" -o test_classes tests_unit_test_classes.o $engine $CHECK_LIBS &&
        "$CC" -o test_exchange tests_unit_test_exchange.o $engine $CHECK_LIBS &&
        "$CC" -o test_engine tests_unit_test_engine.o shim_call_policy.o $engine $CHECK_LIBS
}

# ---- testing ----

# True if the test fails, which $killer then names.
notices() {
    killer=$1
    shift
    ! "$top/tests/within" "$LIMIT_S" "$@" >output 2>&1
}

fast_tests_notice() {
    notices test_topology ./test_topology ||
        notices test_classes ./test_classes ||
        notices test_exchange ./test_exchange ||
        notices test_engine ./test_engine ||
        notices test_sim ./test_sim ||
        notices exhaustive-reduce ./simulate --exhaustive reduce --small ||
        notices exhaustive-allreduce ./simulate --exhaustive allreduce --small ||
        notices exhaustive-hosts ./simulate --exhaustive hosts --small ||
        notices exhaustive-splits ./simulate --exhaustive splits --small ||
        notices exhaustive-large ./simulate --exhaustive large --small ||
        notices interleavings ./simulate --interleavings --small ||
        notices random ./simulate --random 30000 --seed 1
}

restore() {
    for folder in shim/engine shim/value shim/board shim/net shim/protocols tests/sim; do
        rm -rf "$folder"
        cp -rp "$top/$folder" "$(dirname "$folder")"
    done
}

reason_for() {
    awk -v name="$1" '
        /^mutant / { on = $2 == name }
        on && sub(/^harmless /, "") { reason = reason (reason ? " " : "") $0 }
        END { print reason }' "$list"
}

judge() {
    mutant=$1
    reason=$(reason_for "$mutant")
    restore
    if ! awk -v list="$list" -v name="$mutant" -v root=. -v below=shim/engine/ -f "$here/apply.awk" 2>output ||
        ! compile "$original" 2>output || ! link_tests 2>output; then
        echo "BROKEN   $mutant: $(head -n 1 output)"
    elif fast_tests_notice; then
        echo "killed   $mutant by $killer${reason:+, though it is said to be harmless}"
    elif [ -n "$reason" ]; then
        echo "harmless $mutant: $reason"
    else
        echo "SURVIVED $mutant"
    fi
}

# ---- sharing the work ----

enter_copy() {
    mkdir -p "$1/tests" "$1/shim"
    cd "$1"
    cp -rp "$top/tests/unit" tests/
    cp -rp "$top/shim/call" "$top/shim/system" shim/
    restore
}

# Worker number $1 judges every JOBS-th of the mutants that follow.
judge_share() (
    enter_copy "$work/$1"
    next=$1
    shift
    i=0
    for mutant in "$@"; do
        if [ "$i" -eq "$next" ]; then
            judge "$mutant"
            next=$((next + JOBS))
        fi
        i=$((i + 1))
    done
)

[ $# -gt 0 ] || set -- $(sed -n 's/^mutant //p' "$list")
rm -rf "$work"
original=$work/original
(
    enter_copy "$original"
    compile none
    link_tests
    if fast_tests_notice; then
        echo "the tests fail without any mistake: $killer, see $original/output" >&2
        exit 1
    fi
)
job=0
while [ "$job" -lt "$JOBS" ]; do
    judge_share "$job" "$@" >"$work/result.$job" &
    job=$((job + 1))
done
wait
cat "$work"/result.* | sort
count() { cat "$work"/result.* | grep -c "^$1" || true; }
left=$(($# - $(count killed) - $(count harmless)))
echo "$# mutants: $(count killed) killed, $(count harmless) harmless, $left unexplained"
[ "$left" -eq 0 ]
