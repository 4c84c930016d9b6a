#!/usr/bin/env bash
# Runs the host unit tests given (cmocka programs and scripts), as many at a time as there are CPUs, and adds up. Each line
# has the processor time.
# Usage: tests/unit/run.sh PROGRAM...
# A program that ends without having run a test counts as failed.
set -u
passed=0 failed=0 skipped=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# run NUMBER PROGRAM: its output, its status and its processor time, "0m1.234s 0m0.567s", go to files of that number
run() {
    local status=0
    "$2" >"$dir/$1.out" 2>&1 || status=$?
    times >"$dir/$1.times" # its second line is the programs'
    echo $status >"$dir/$1.new"
    mv "$dir/$1.new" "$dir/$1.status"
}

judge() { # judge NUMBER PROGRAM
    local out=$dir/$1.out status ok bad none
    status=$(cat "$dir/$1.status")
    ok=$(grep -cE '^\[ +OK +\]|^ok ' "$out")
    bad=$(sed '/test(s) run\.$/q' "$out" | grep -cE '^\[ +FAILED +\] [A-Za-z_0-9]+$|^not ok ')
    none=$(sed '/test(s) run\.$/q' "$out" | grep -cE '^\[ +SKIPPED +\] [A-Za-z_0-9]+$|^skipped ')
    if [ "$status" != 0 ] && [ "$bad" = 0 ] || [ $((ok + bad + none)) = 0 ]; then bad=$((bad + 1)); fi
    printf '%s %s: %d passed, %d failed, %d skipped, %s\n' "$([ "$bad" = 0 ] && echo ok || echo 'not ok')" \
        "${2##*/}" "$ok" "$bad" "$none" "$(awk -F '[ms ]+' 'NR == 2 { printf "%.1f s", 60 * $1 + $2 + 60 * $3 + $4 }' "$dir/$1.times")"
    [ "$bad" = 0 ] || sed 's/^/    | /' "$out"
    [ "$none" = 0 ] || grep -E '^skipped ' "$out"
    passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + none))
}

# Those that have ended are told in their order, while others run.
programs=("$@") told=0
tell() {
    while [ -e "$dir/$told.status" ]; do
        judge $told "${programs[told]}"
        told=$((told + 1))
    done
}
for n in "${!programs[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
        wait -n
        tell
    done
    run "$n" "${programs[n]}" &
done
while [ "$(jobs -rp | wc -l)" != 0 ]; do
    wait -n
    tell
done
wait
tell
[ $told = $# ] || failed=$((failed + $# - told))
echo "unit: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
