#!/bin/bash
# What make prints: a line a step, the commands with V=1, nothing with -s. What check-changed rejects.
# Prints "ok NAME", "not ok NAME: why" or "skipped NAME: why" for each case; exit status 1 when one failed.
set -u

cd "$(dirname "$0")/../.." || exit
unset MAKEFLAGS MFLAGS MAKELEVEL V
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# is NAME VALUE WANTED
is() { if [ "$2" = "$3" ]; then echo "ok make $1"; else echo "not ok make $1: '$2' instead of '$3'"; failed=1; fi; }

# ---- lines ----

made=$dir/font.psf
build() { rm -f "$made" && make BUILD="$dir" "$@" "$made" 2>&1; }
is "a line a step" "$(build)" "GEN $made"
is "a line a step, in parallel" "$(build -j2 --no-print-directory)" "GEN $made"
is "a variable with an s" "$(build PREFIX=/s)" "GEN $made"
is "V=1 prints the command" "$(build V=1)" "zcat /usr/share/consolefonts/Unifont-APL8x16.psf.gz >$made"
is "-s prints nothing" "$(build -s)$(stat -c ' %s bytes' "$made")" " $(zcat /usr/share/consolefonts/Unifont-APL8x16.psf.gz | wc -c) bytes"

# ---- checks ----

git rev-parse --git-dir >/dev/null 2>&1 || {
    echo "skipped make check: this is not a checkout of git"
    exit $failed
}
status=0
make -s check-changed SINCE=no-such-revision >"$dir/out" 2>&1 || status=$?
is "check-changed since an unknown revision" "$status $(grep -o 'passed' "$dir/out" | head -n 1)" "2 "

# fails NAME PART FILE: this part of the check rejects the file
fails() {
    local program=${2#check-}
    program=${program/shell/shellcheck} program=${program/format/clang-format}
    command -v "$program" >/dev/null || {
        echo "skipped make $1: no $program here"
        return
    }
    status=0
    make -s "$2" CHECKED="$3" >"$dir/out" 2>&1 || status=$?
    is "$1" "$status $(grep -oE "passed|${3##*/}" "$dir/out" | sort -u)" "2 ${3##*/}"
}
printf 'int  wrong( void ) ;\n' >"$dir/wrong.h"
printf '#!/bin/bash\nunused=1\n' >"$dir/wrong.sh"
cp .clang-format "$dir"
fails "a wrong layout" check-format "$dir/wrong.h"
fails "a wrong script" check-shell "$dir/wrong.sh"
exit $failed
