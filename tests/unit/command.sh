# shellcheck shell=bash disable=SC2154,SC2034 # shared variables
# Sourced by the tests of a command of the host tool, with $command set to its name: $root, $dir (emptied at the end), $anechoic, $failed,
# and functions that print "ok COMMAND NAME" or "not ok COMMAND NAME: why".
root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
anechoic=${1:-${BUILD:-$root/build}/host/anechoic}

ok() { echo "ok $command $1"; }
bad() {
    echo "not ok $command $1: $2"
    failed=1
}
# same NAME WANTED HAVE
same() { if [ "$2" = "$3" ]; then ok "$1"; else bad "$1" "'$3' instead of '$2'"; fi; }

# case_of NAME STATUS OUTPUT ARGUMENT...: what the command prints has OUTPUT in it, and is a line where the usage is wrong.
case_of() {
    local name=$1 wanted=$2 output=$3 status=0
    shift 3
    "$anechoic" "$command" "$@" >"$dir/output" 2>&1 || status=$?
    if [ "$status" != "$wanted" ]; then
        bad "$name" "exit status $status instead of $wanted: $(tr '\n' ' ' <"$dir/output")"
    elif ! grep -qF -- "$output" "$dir/output"; then
        bad "$name" "the output lacks '$output': $(tr '\n' ' ' <"$dir/output")"
    elif [ "$status" = 2 ] && [ "$(wc -l <"$dir/output")" != 1 ]; then
        bad "$name" "more than a line: $(tr '\n' ' ' <"$dir/output")"
    else
        ok "$name"
    fi
}
