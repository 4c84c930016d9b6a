#!/usr/bin/env bash
# Runs the host unit tests given (cmocka programs and scripts), as many at a time as there are CPUs, and adds up.
# Usage: tests/unit/run.sh PROGRAM...
# A program that ends without having run a test counts as failed.
set -u
passed=0 failed=0 skipped=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# run NUMBER PROGRAM: its output and status go to files of that number
run() {
    "$2" >"$dir/$1.out" 2>&1
    echo $? >"$dir/$1.status"
}

judge() { # judge NUMBER PROGRAM
    local out=$dir/$1.out status ok bad none
    status=$(cat "$dir/$1.status")
    ok=$(grep -cE '^\[ +OK +\]|^ok ' "$out")
    bad=$(sed '/test(s) run\.$/q' "$out" | grep -cE '^\[ +FAILED +\] [A-Za-z_0-9]+$|^not ok ')
    none=$(sed '/test(s) run\.$/q' "$out" | grep -cE '^\[ +SKIPPED +\] [A-Za-z_0-9]+$|^skipped ')
    if [ "$status" != 0 ] && [ "$bad" = 0 ] || [ $((ok + bad + none)) = 0 ]; then bad=$((bad + 1)); fi
    printf '%s %s: %d passed, %d failed, %d skipped\n' "$([ "$bad" = 0 ] && echo ok || echo 'not ok')" \
        "${2##*/}" "$ok" "$bad" "$none"
    [ "$bad" = 0 ] || sed 's/^/    | /' "$out"
    [ "$none" = 0 ] || grep -E '^skipped ' "$out"
    passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + none))
}

n=0
for program; do
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    run $n "$program" &
    n=$((n + 1))
done
wait
n=0
for program; do
    judge $n "$program"
    n=$((n + 1))
done
echo "unit: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
