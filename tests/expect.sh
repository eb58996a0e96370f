# For tests that are shell scripts: what is expected, and what was seen. The script makes the directory $work.
failed=0

tell() { # STATUS WHAT FILE_WITH_OUTPUT
    if [ "$1" -eq 0 ]; then
        echo "ok   $2"
    else
        failed=$((failed + 1))
        echo "FAIL $2"
        tail -n 15 "$3" | sed 's/^/  | /'
    fi
}

expect() { # WHAT COMMAND...: that succeeds. What the one before said is in $work/said.
    what=$1
    shift
    [ ! -e "$work/out" ] || mv "$work/out" "$work/said"
    "$@" >"$work/out" 2>&1
    tell $? "$what" "$work/out"
}
