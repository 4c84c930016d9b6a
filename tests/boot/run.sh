#!/usr/bin/env bash
# Boots in QEMU, judged by their records. Usage: tests/boot/run.sh [NAME-PATTERN]
#
# A case is a line in tests/boot/cases.sh:
#     boot NAME STATUS 'run-qemu.sh options' 'jq condition over the array of records' ...
# It passes when run-qemu.sh exits with STATUS, the capture is complete (tools/reccheck.c) and every condition is
# true. Output: "ok NAME" or "not ok NAME: why", in the end "N passed, N failed, N skipped"; exit status 0 or 1.
set -u
cd "$(dirname "$0")/../.." || exit
make -s boot-programs || exit 5 # once, before the cases run side by side
pattern=${1:-}
jobs=${JOBS:-$(nproc)}
dir=$(mktemp -d "${TMPDIR:-/tmp}/anechoic-boot.XXXXXX")
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C
: >"$dir/results"

# say NAME VERDICT...: one line, written at once, counted at the end.
say() { printf '%s\n' "$*" | tee -a "$dir/results"; }

fail() { # fail NAME WHY: with the last lines that were printed
    say "not ok $1: $2"
    tail -n 25 "$dir/$1.out" 2>/dev/null | sed 's/^/    | /'
}

# The command that a case runs; its output is in $dir/NAME.out, its records in $dir/NAME.jsonl.
run_case() {
    local name=$1 want=$2 options=$3 status why
    shift 3
    eval "./run-qemu.sh --no-install --timeout ${TIMEOUT:-120} -o '$dir/$name.jsonl' $options" \
        >"$dir/$name.out" 2>&1 </dev/null
    status=$?
    judge "$name" "$want" "$status" "$@"
}

judge() { # judge NAME WANTED-STATUS STATUS CONDITION...
    local name=$1 want=$2 status=$3 why condition
    shift 3
    if [ "$status" != "$want" ]; then fail "$name" "exit status $status, not $want"; return; fi
    if ! why=$(build/tools/reccheck "$dir/$name.jsonl" 2>&1); then fail "$name" "$why"; return; fi
    for condition; do
        if [ "$(jq -s "$condition" "$dir/$name.jsonl" 2>&1)" != true ]; then
            fail "$name" "not true: $condition"
            jq -c 'select(.t=="error" or .t=="end")' "$dir/$name.jsonl" 2>/dev/null | head -n 5 | sed 's/^/    | /'
            return
        fi
    done
    say "ok $name"
}

selected() { [[ $1 == *"$pattern"* ]]; }

# Cases run JOBS at a time.
background() {
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    "$@" &
}

boot() { selected "$1" && background run_case "$@"; }

# A case with a script of its own: custom NAME FUNCTION. The function says its verdict itself.
custom() { selected "$1" && background "$2" "$1"; }

# A case that needs what is not there: skip NAME WHY.
skip() { selected "$1" && say "skipped $1: $2"; }

. tests/boot/cases.sh
wait

passed=$(grep -c '^ok ' "$dir/results")
failed=$(grep -c '^not ok ' "$dir/results")
skipped=$(grep -c '^skipped ' "$dir/results")
echo "boot: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
