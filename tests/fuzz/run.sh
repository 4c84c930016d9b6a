#!/usr/bin/env bash
# Runs libFuzzer targets. Usage: tests/fuzz/run.sh SECONDS FUZZER...
# SECONDS is the budget of all of them together: each gets the same share of it, and as many run side by side as there are
# CPUs. Each starts from the seeds in tests/fuzz/seeds/NAME. A crash is printed with its input, base64.
set -u
total=$1
shift
seconds=$(((total + $# - 1) / $#))
dir=$(mktemp -d "${TMPDIR:-/tmp}/anechoic-fuzz.XXXXXX")
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0
one() { # one FUZZER: its output and artifacts go to $dir/NAME
    local name=${1##*/}
    mkdir -p "$dir/$name/corpus"
    "$1" -max_total_time="$seconds" -max_len=4200 -artifact_prefix="$dir/$name/" -print_final_stats=1 \
        "$dir/$name/corpus" "tests/fuzz/seeds/$name" >"$dir/$name/out" 2>&1
    echo $? >"$dir/$name/status"
}
for fuzzer; do
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    one "$fuzzer" &
done
wait
for fuzzer; do
    name=${fuzzer##*/}
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/$name/out")
    if [ "$(cat "$dir/$name/status")" = 0 ] && [ "${runs:-0}" -gt 1000 ]; then
        echo "ok fuzz_$name: $runs inputs in $seconds s"
        passed=$((passed + 1))
    else
        echo "not ok fuzz_$name"
        {
            echo "    not ok fuzz_$name"
            tail -n 40 "$dir/$name/out" | sed 's/^/    | /'
            for f in "$dir/$name"/crash-* "$dir/$name"/oom-* "$dir/$name"/timeout-*; do
                [ -e "$f" ] && { echo "    input $(base64 -w0 "$f")"; }
            done
        } >>"$dir/failures"
        failed=$((failed + 1))
    fi
done
[ ! -e "$dir/failures" ] || { echo "fuzz: these failed:" && cat "$dir/failures"; }
echo "fuzz: $passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
