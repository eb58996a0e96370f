# Applies one mutant of a list to a tree: awk -v list=FILE -v name=MUTANT -v root=DIR [-v below=FOLDER/] -f apply.awk
# The files that the list names are below that folder of the tree; without one, below its top.
# With -v only_look=1 the tree stays as it is.
# Exit status 1 if there is no such mutant, or if its old text does not occur exactly once.

function strip(line) {
    gsub(/^[ \t]+|[ \t]+$/, "", line)
    return line
}

function fail(reason) {
    print name ": " reason > "/dev/stderr"
    failed = 1
    exit 1
}

# Where the lines old[1..old_count] stand in text[1..text_count], by their stripped text.
function find(    i, j, places, at) {
    places = 0
    for (i = 1; i + old_count - 1 <= text_count; i++) {
        for (j = 1; j <= old_count && strip(text[i + j - 1]) == old[j]; j++)
            ;
        if (j > old_count) {
            places++
            at = i
        }
    }
    if (places != 1)
        fail(file ": " places " places for: " old[1])
    return at
}

function write(path, at,    i) {
    for (i = 1; i < at; i++)
        print text[i] > path
    for (i = 1; i <= new_count; i++)
        print fresh[i] > path
    for (i = at + old_count; i <= text_count; i++)
        print text[i] > path
    close(path)
}

function replace(    path, at) {
    if (old_count == 0)
        return
    path = root "/" below file
    text_count = 0
    while ((getline line < path) > 0)
        text[++text_count] = line
    close(path)
    at = find()
    if (!only_look)
        write(path, at)
    old_count = new_count = 0
}

BEGIN {
    while ((getline entry < list) > 0) {
        if (entry ~ /^mutant /) {
            replace()
            current = substr(entry, 8)
            found = found || current == name
        }
        if (current != name)
            continue
        if (entry ~ /^file /) {
            replace()
            file = substr(entry, 6)
        } else if (entry ~ /^-/) {
            if (new_count > 0)
                replace()
            old[++old_count] = strip(substr(entry, 2))
        } else if (entry ~ /^[+]/) {
            fresh[++new_count] = substr(entry, 3)
        }
    }
    replace()
    if (!found)
        fail("no such mutant")
    exit failed
}
