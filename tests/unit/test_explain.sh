#!/bin/bash
# A boot's condition that is not true shows what it saw (tests/boot/explain.sh).
# Prints "ok NAME" or "not ok NAME: why"; exit status 1 when one failed.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
records=$(mktemp)
trap 'rm -f "$records"' EXIT
failed=0
printf '%s\n' '{"t":"result","bench":"a and b","min":1}' '{"t":"result","bench":"c","min":7}' '{"t":"end","status":0}' >"$records"

# explains NAME CONDITION TEXT [JQ-OPTION...]
explains() {
    local is
    is=$("$root/tests/boot/explain.sh" "$2" "$records" "${@:4}")
    if [ "$is" = "$3" ]; then
        echo "ok explain $1"
    else
        echo "not ok explain $1: $is"
        failed=1
    fi
}

explains 'each term by its left part' 'results | map(.bench) | length == 3 and .[0] == "a and c" and .[1] == "c"' \
    'not true: length == 3
    where it is 2
not true: .[0] == "a and c"
    where it is "a and b"'
explains 'the elements that all() does not hold for' 'results | length == 2 and all(.min > 0 and .min < 7)' \
    'not true: all(.min > 0 and .min < 7)
    where it is [{"t":"result","bench":"c","min":7}]'
explains 'variables' '(results | length) as $n | .[-1].status == $n' 'not true: .[-1].status == $n
    where it is 0'
explains 'what any() looks at' 'results | map(.min) | any(. == 2)' 'not true: any(. == 2)
    where it is [1,7]'
explains 'alternatives as a whole' 'results | map(.min) | all(. == 1) or .[0] == 7 and true' 'not true: all(. == 1) or .[0] == 7 and true
    where it is [1,7]'
explains 'nothing that is true' 'results | length == 2' ''
explains 'the terms of a definition' main_benchmarks 'not true: unique == ["fp_add_latency", "l1_miss", "stride_thrash"]
    where it is ["a and b","c"]'
explains 'a definition with arguments' 'length == 3 and error_says("a; b")' 'not true: length == $n
    where it is 0
not true: any(tostring | test($text))
    where it is []'
explains 'a definition with a condition' 'timed_with(.samples > 1 and .handler > 1)' 'not true: length == 1
    where it is 0
not true: .lost == 0
    where it is null
not true: .samples > 5
    where it is null
not true: .samples > 1
    where it is null
not true: .handler > 1
    where it is null'
explains "the shell's variables" 'results | .[0].bench == $bench and length == $n' 'not true: .[0].bench == $bench
    where it is "a and b"' --arg bench d --argjson n 2
exit $failed
