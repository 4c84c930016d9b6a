#!/bin/bash
# tools/formatcheck.sh refuses what kernel/format.c does not know, and nothing else.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# case_of WANTED-STATUS STRING: judge an object with this string between others.
case_of() {
    printf '.section .strings,"a"\n.asciz "first %%s"\n.asciz "%s"\n.asciz "last"\n' "$2" >"$dir/case.s"
    as -o "$dir/case.o" "$dir/case.s"
    status=0
    "$root/tools/formatcheck.sh" "$dir/case.o" >"$dir/output" 2>&1 || status=$?
    if [ "$status" != "$1" ]; then
        echo "not ok formatcheck '$2': exit status $status instead of $1"
        failed=1
    elif [ "$1" = 1 ] && ! grep -qxF -- "${2//%%/ }" "$dir/output"; then
        echo "not ok formatcheck '$2': the string is not shown"
        failed=1
    else
        echo "ok formatcheck '$2': $1"
    fi
}

for known in '%d' '%-5i' '%u' '%lx' '%llX' '%zu' '%hhu' '%hx' '%c' '%.*s' '%+*.0f' '%e' '%#.7g' '100 % of' '5 %%o' '%%' 'a %'; do
    case_of 0 "$known"
done
for unknown in '%o' '%llo' 'at %p' '%a' '%n' '%jd' '%tx' '%Lg' '%ls' '%lc' '%lld %lg' '%llf' '%E' '%5F' '%G' '%1$d' '%%%p' '%zs' '%l'; do
    case_of 1 "$unknown"
done

as -o "$dir/empty.o" </dev/null
status=0
"$root/tools/formatcheck.sh" "$dir/empty.o" >/dev/null 2>&1 || status=$?
if [ "$status" = 1 ]; then echo "ok formatcheck wants strings"; else echo "not ok formatcheck wants strings: $status"; failed=1; fi
exit $failed
