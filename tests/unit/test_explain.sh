#!/bin/bash
# A boot's condition that is not true shows what it saw (tests/boot/explain.sh).
# Prints "ok NAME" or "not ok NAME: why"; exit status 1 when one failed.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
records=$(mktemp)
trap 'rm -f "$records"' EXIT
failed=0
printf '%s\n' '{"t":"result","bench":"a and b","min":1}' '{"t":"result","bench":"c","min":7}' '{"t":"end","status":0}' >"$records"

# explains NAME CONDITION TEXT
explains() {
    local is
    is=$("$root/tests/boot/explain.sh" "$2" "$records")
    if [ "$is" = "$3" ]; then
        echo "ok explain $1"
    else
        echo "not ok explain $1: $is"
        failed=1
    fi
}

RESULTS='[.[] | select(.t=="result")]'
explains 'each term by its left part' "$RESULTS | map(.bench) | length == 3 and .[0] == \"a and c\" and .[1] == \"c\"" \
    'not true: length == 3
    where it is 2
not true: .[0] == "a and c"
    where it is "a and b"'
explains 'the elements that all() does not hold for' "$RESULTS | length == 2 and all(.min > 0 and .min < 7)" \
    'not true: all(.min > 0 and .min < 7)
    where it is [{"t":"result","bench":"c","min":7}]'
explains 'variables' "($RESULTS | length) as \$n | .[-1].status == \$n" 'not true: .[-1].status == $n
    where it is 0'
explains 'what any() looks at' "$RESULTS | map(.min) | any(. == 2)" 'not true: any(. == 2)
    where it is [1,7]'
explains 'alternatives as a whole' "$RESULTS | map(.min) | all(. == 1) or .[0] == 7 and true" 'not true: all(. == 1) or .[0] == 7 and true
    where it is [1,7]'
explains 'nothing that is true' "$RESULTS | length == 2" ''
exit $failed
