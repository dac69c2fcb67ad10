#!/bin/sh
# tests/types.sh [ROOT] - is every type name of the product defined in one file only?
#
# A reader who meets a type name must find one definition. Names are those of typedefs of structs,
# unions, enums and functions in src/, unit tests left out. `typedef struct name name;` declares an
# opaque type and does not count. Prints each name with its files and exits with status 1.
set -u

cd "${1:-$(dirname "$0")/..}" || exit 2
# shellcheck disable=SC2046 # no file name of ours has a blank
awk '
    function define(name) {
        if (name == "" || (name, FILENAME) in seen) return
        seen[name, FILENAME]
        files[name] = files[name] " " FILENAME
        count[name]++
        names++
    }
    /^typedef (struct|union|enum).*\{/ { open = 1 }
    /^(typedef.*)?} ?\*? ?[a-z_0-9]+;/ && open {
        name = $0
        sub(/^.*} ?\*? ?/, "", name)
        sub(/;.*/, "", name)
        define(name)
    }
    /}.*;/ && /^(typedef|})/ { open = 0 }
    /^typedef [^{]*\(/ {
        name = $0
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        define(name)
    }
    END {
        for (name in count)
            if (count[name] > 1) {
                print "types: " name " is defined in" files[name]
                faults++
            }
        if (!names) { print "types: no type names found"; faults++ }
        if (!faults) printf "%d type names, each in one file\n", names
        exit faults > 0
    }
' $(find src -name '*.[ch]' ! -name '*_test.c' | sort)
