#!/bin/sh
# A choice among the options keeps its enum: neither a value nor a row of another one compiles.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
result=0

compiles() {
    ${CC:-cc} -std=c17 -D_GNU_SOURCE -Werror=enum-conversion -I"$root/src" -I"$root/include" \
        -fsyntax-only "$1" 2>"$work/said"
}

assign() {
    printf '#include "train/fit.h"\nvoid f(cau_train_options *o) { o->solver = %s; }\n' "$1" \
        >"$work/assign.c"
    compiles "$work/assign.c"
}
assign CAU_SOLVER_GIS || { cat "$work/said"; result=1; }
assign CAU_MODEL_CRF && { echo "a model was assigned to a solver"; result=1; }

row() {
    sed "s/cau_solver_kind, train.solver/$1/" "$root/src/api/option_table.c" >"$work/table.c"
    compiles "$work/table.c"
}
row 'cau_solver_kind, train.solver' || { cat "$work/said"; result=1; }
row 'cau_states, train.solver' && { echo "a row with the wrong enum compiles"; result=1; }
row 'cau_solver_kind, train.l2' && { echo "a choice is stored in a number"; result=1; }

exit $result
