#!/bin/sh
# make demo: one ordinary MPI program, three times: undisturbed, with a killed rank, and with a killed
# rank and ftcoll.
set -u
build=${1:-build}
program=$build/tests/mpi/montecarlo
ranks=8 victim=3 halfway=75 run=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# The process that is rank $victim of this job: it runs the program, and is not its monitor process.
find_victim() {
    for environ in $(grep -lsz "^PMI_RANK=$victim\$" /proc/[0-9]*/environ); do
        if grep -qz "^MONTECARLO_JOB=$$-$run\$" "$environ" &&
            [ "$(cat "${environ%environ}comm")" = montecarlo ]; then
            basename "${environ%/environ}"
        fi
    done 2>/dev/null
}

is_running() { # PID
    kill -0 "$1" 2>/dev/null
}

# Kills once rank 0 has come halfway. The job's own end ends the wait.
kill_halfway() { # PID
    until grep -q '^iteration' "$log" || ! is_running "$1"; do sleep 0.01; done
    pid=$(find_victim)
    until grep -q "^iteration *$halfway:" "$log" || ! is_running "$1"; do sleep 0.01; done
    kill -KILL "$pid" && echo "    >>> kill -KILL $pid    (rank $victim)" >>"$log"
}

# What it prints is what it runs. The launcher by MPICH's own name for it: another MPI's mpiexec may come first.
run() { # TITLE LIBRARY WHETHER_TO_KILL
    command="${2:+LD_PRELOAD=$2 }mpiexec.hydra -n $ranks $program"
    echo
    echo "== $1"
    echo "   $command"
    : >"$log"
    began=$(date +%s%N)
    run=$((run + 1))
    export MONTECARLO_JOB="$$-$run"
    # shellcheck disable=SC2086 # words; make refuses a BUILD with blanks
    timeout 600 env $command >>"$log" 2>&1 &
    job=$!
    [ "$3" = no ] || kill_halfway "$job" || exit 1
    wait "$job"
    status=$?
    seconds=$((($(date +%s%N) - began) / 100000000))
    sed 's/^/   /' "$log"
    echo "   exit status $status"
    answer=$(sed -n 's/^answer: volume \([0-9.]*\) (exact \([0-9.]*\), .*/\1 (exact \2)/p' "$log")
    table="$table
$(printf '%-34s %-8s %-6s %-28s %5s s' "$1" "$3" "$status" "${answer:-none}" \
        "$((seconds / 10)).$((seconds % 10))")"
}

table=$(printf '%-34s %-8s %-6s %-28s %7s' run killed status answer time)
run "native" "" no
native_status=$status
run "native, rank $victim killed" "" "rank $victim"
killed_status=$status
run "with ftcoll, rank $victim killed" "$build/libftcoll.so" "rank $victim"
printf '\n%s\n\n' "$table"

if [ "$native_status" -eq 0 ] && [ "$killed_status" -ne 0 ] && [ "$status" -eq 0 ] && [ -n "$answer" ]; then
    echo "The job that lost a rank without ftcoll is lost; the one with ftcoll has the survivors' answer."
else
    echo "make demo: not what was to be shown; see above" >&2
    exit 1
fi
