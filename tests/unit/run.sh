#!/usr/bin/env bash
# Runs the host unit tests given (cmocka programs and scripts), as many at a time as there are CPUs, and adds up. Each line
# has the processor time. A program that failed is followed by its output without the tests that passed; at the end its failures
# are repeated, a line each.
# Usage: tests/unit/run.sh PROGRAM...
# A program that ends without having run a test counts as failed. So does a script that ends with an error but no "not ok": the
# command that failed is printed.
set -u
passed=0 failed=0 skipped=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# A script's last command that failed goes to the file $failed_at, which the script's own programs do not see.
# shellcheck disable=SC2016 # expanded by that shell
trace='export -n failed_at; trap '"'"'printf "exit status %s of line %s: %s\n" "$?" "$LINENO" "$BASH_COMMAND" >"$failed_at"'"'"' ERR;'

# run NUMBER PROGRAM: its output, its status and its processor time, "0m1.234s 0m0.567s", go to files of that number
run() {
    local status=0
    case $2 in
    *.sh) failed_at=$dir/$1.at bash -E -c "$trace"' . "$0"' "$2" >"$dir/$1.out" 2>&1 || status=$? ;;
    *) "$2" >"$dir/$1.out" 2>&1 || status=$? ;;
    esac
    times >"$dir/$1.times" # its second line is the programs'
    echo $status >"$dir/$1.new"
    mv "$dir/$1.new" "$dir/$1.status"
}

judge() { # judge NUMBER PROGRAM
    local out=$dir/$1.out status ok bad none why
    status=$(cat "$dir/$1.status")
    ok=$(grep -cE '^\[ +OK +\]|^ok ' "$out")
    bad=$(sed '/test(s) run\.$/q' "$out" | grep -cE '^\[ +FAILED +\] [A-Za-z_0-9]+$|^not ok ')
    none=$(sed '/test(s) run\.$/q' "$out" | grep -cE '^\[ +SKIPPED +\] [A-Za-z_0-9]+$|^skipped ')
    if [ "$status" != 0 ] && [ "$bad" = 0 ] || [ $((ok + bad + none)) = 0 ]; then
        why="not ok ${2##*/}: ended with status $status, its last test: $(grep -E '^\[ +(OK|SKIPPED) +\]|^(ok|skipped) ' "$out" | tail -n 1 | grep . || echo none)$(sed 's/^/; /' "$dir/$1.at" 2>/dev/null)"
        bad=$((bad + 1))
        echo "$why" >>"$out"
    fi
    printf '%s %s: %d passed, %d failed, %d skipped, %s\n' "$([ "$bad" = 0 ] && echo ok || echo 'not ok')" \
        "${2##*/}" "$ok" "$bad" "$none" "$(awk -F '[ms ]+' 'NR == 2 { printf "%.1f s", 60 * $1 + $2 + 60 * $3 + $4 }' "$dir/$1.times")"
    if [ "$bad" != 0 ]; then
        grep -vE '^\[ +(RUN|OK) +\]|^ok ' "$out" | sed 's/^/    | /'
        grep -E '^not ok |^\[ +(LINE|ERROR) +\]|: error: Failure!|ERROR: AddressSanitizer|runtime error:' "$out" | sed "s|^|    ${2##*/}: |" >>"$dir/failures"
    fi
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
[ ! -e "$dir/failures" ] || { echo "unit: these failed:" && cat "$dir/failures"; }
echo "unit: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
