#!/bin/sh
# tests/layers.sh [ROOT] - checks that every include of src/ goes in an allowed direction.
#
# The rules are the table in docs/architecture.md, read from there so that page and test
# cannot drift apart. Each row is a folder of src/: it sees itself, the folders in its row, what
# those see, and the public header. A folder whose row has only caucus.h sees just that. Unit
# tests keep to the rules of their folder and may also include tests/support. Prints each
# breach as file:line and exits with status 1.
set -u

root=${1:-$(dirname "$0")/..}
cd "$root" || exit 2

[ -f docs/architecture.md ] || { echo "layers: no docs/architecture.md in $root"; exit 2; }
# shellcheck disable=SC2046 # our file names have no blanks
awk '
    function fault(text) { print text; faults++ }

    # The table: | `folder` | sees | what it holds |
    FILENAME == page {
        if ($0 ~ /^\| `[a-z]+` \|/) {
            split($0, cell, /[ ]*\|[ ]*/)
            folder = cell[2]; gsub(/`/, "", folder)
            folders[folder]; sees[folder, folder]
            count = split(cell[3], name, /[ ,]+/)
            for (i = 1; i <= count; i++) {
                gsub(/`/, "", name[i])
                if (name[i] ~ /^[a-z]+$/) sees[folder, name[i]]
                else if (name[i] == "caucus.h") outside[folder]
            }
        }
        next
    }

    # After the page, once: a folder also sees what the folders in its row see.
    FNR == 1 && !closed++ {
        for (round in folders)
            for (a in folders) for (b in folders) if ((a, b) in sees)
                for (c in folders) if ((b, c) in sees) sees[a, c]
        for (a in folders) for (b in folders)
            if (a != b && ((a, b) in sees) && ((b, a) in sees) && a < b)
                fault(page ": " a " and " b " see each other")
        if (("optim", "model") in sees || ("model", "optim") in sees)
            fault(page ": optim and model must not see each other")
    }

    FNR == 1 {
        here = FILENAME
        sub(/^src\//, "", here)
        if (!sub(/\/.*/, "", here)) here = "(src)"
        if (here == "include") here = "caucus.h"
        if (here != "caucus.h" && !(here in folders) && !(here in unknown)) {
            unknown[here]
            fault("src/" here ": this folder has no row in " page)
        }
        used[here]
    }

    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, part, "\"")
        path = part[2]; place = FILENAME ":" FNR ": "
        slash = index(path, "/")
        there = substr(path, 1, slash - 1)
        if (here == "caucus.h") fault(place "the public header includes \"" path "\"")
        else if (path == "caucus.h") ;
        else if (there == "support" && FILENAME ~ /_test\.c$/) ;
        else if (path ~ /(^|\/)\.\.?\//) fault(place "\"" path "\" is not written from src/")
        else if (!slash && here in outside) ;
        else if (!slash) fault(place "\"" path "\" does not name its folder")
        else if (!(there in folders)) fault(place "\"" path "\" is in no folder of " page)
        else if (!((here, there) in sees)) fault(place here " may not see " there)
        includes++
    }
    /^[ \t]*#[ \t]*include[ \t]*</ {
        there = $0
        sub(/^[^<]*</, "", there)
        if (sub(/\/.*/, "", there) && there in folders)
            fault(FILENAME ":" FNR ": a folder of ours is included with quotes, not with <>")
    }

    END {
        for (folder in folders) if (!(folder in used)) fault(page ": there is no folder src/" folder)
        if (!includes) fault("layers: no includes found")
        if (!faults) printf "%d includes, all in order\n", includes
        exit faults > 0
    }
' page=docs/architecture.md docs/architecture.md \
    $(find include src -name '*.[ch]' | sort)
