# Read by tests/device and tests/suite/build. Debian's sources of MPICH, of this machine's version, into the folder $work.
# Ends with 77 and the reason, by the reader's cannot(), where they cannot be had.
fetch() {
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mirror=$(apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
        awk -v suite="$suite" '$1 == "Debian" && $2 == "main" && $3 == suite { print $4; exit }')
    [ -n "$mirror" ] || cannot "apt has no mirror of Debian $suite"
    mkdir -p "$work/lists/partial"
    echo "deb-src $mirror $suite main" >"$work/sources"
    set -- -qq -o "Dir::Etc::sourcelist=$work/sources" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$work/lists"
    { apt-get "$@" update && cd "$work" && apt-get "$@" source mpich; } >"$work/log" 2>&1 ||
        cannot "the sources of mpich cannot be had: $(tail -n 1 "$work/log")"
}
