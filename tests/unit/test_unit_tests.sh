#!/bin/bash
# How unit tests are built and run: tests/unit/run.sh prints what failed; a test depends on the objects that it is linked from.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath --relative-to="$root" "${BUILD:-$root/build}")
cd "$root"
dir=$build/unit_tests.$$
mkdir -p "$dir"
trap 'rm -rf "$dir"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
failed=0

# judge NAME WANTED FILE: the file has this line, an extended regular expression.
judge() {
    if grep -qxE -- "$2" "$3"; then
        echo "ok unit_tests $1"
    else
        echo "not ok unit_tests $1: no line is '$2': $(tr '\n' ' ' <"$3")"
        failed=1
    fi
}
# is NAME VALUE WANTED
is() { if [ "$2" = "$3" ]; then echo "ok unit_tests $1"; else echo "not ok unit_tests $1: '$2' instead of '$3'"; failed=1; fi; }

# ---- what a run prints ----

cat >"$dir/wrong.c" <<'C'
#include "tests/unit/unit.h"
TEST(right) { assert_true(1); }
TEST(wrong)
{
    assert_int_equal(1, 2);
}
C
gcc -I. -o "$dir/wrong" "$dir/wrong.c" tests/unit/main.c -lcmocka
printf 'set -e\necho ok first\nfalse and\necho ok second\n' >"$dir/dies.sh"
printf 'echo ok first\necho "not ok second: because"\nexit 1\n' >"$dir/fails.sh"
printf 'false || echo ok "${failed_at:+hidden} $(bash -c "echo \\$failed_at")"\n' >"$dir/passes.sh"
status=0
tests/unit/run.sh "$dir/wrong" "$dir/dies.sh" "$dir/fails.sh" "$dir/passes.sh" >"$dir/out" || status=$?
is "a run's status" $status 1
sed -n '/^unit: these/,$p' "$dir/out" >"$dir/end"
judge "an assertion that failed" ' +wrong: .*wrong\.c:5: error: Failure!' "$dir/end"
judge "its values" ' +wrong: .* 0x1 != 0x2' "$dir/end"
judge "a script's line that failed" ' +dies\.sh: not ok dies\.sh: ended with status 1, its last test: ok first; exit status 1 of line 3: false and' "$dir/end"
judge "a script's test that failed" ' +fails\.sh: not ok second: because' "$dir/end"
judge "one that passed" 'ok passes\.sh: 1 passed, 0 failed, 0 skipped, .*' "$dir/out"
judge "the sum" 'unit: 4 passed, 3 failed, 0 skipped' "$dir/end"
is "no line of a test that passed" "$(grep -cE '\| (ok first|.* right$)' "$dir/out" || true)" 0
status=0
tests/unit/run.sh "$dir/passes.sh" >"$dir/out" || status=$?
is "a run that passed" "$status: $(wc -l <"$dir/out")" "0: 2"

# ---- a test that is not run is not built ----

cat >"$dir/own.c" <<'C'
#include "tests/unit/unit.h"
TEST(right) { assert_true(1); }
int main(void) { return 0; }
C
if gcc -I. -o "$dir/own" "$dir/own.c" tests/unit/main.c -lcmocka >"$dir/out" 2>&1; then status=0; else status=1; fi
is "TEST() and a main() of its own" "$status: $(grep -c 'multiple definition of .main' "$dir/out")" "1: 1"
sed 's/^TEST.*/static void right(void **state) { (void)state; }/' "$dir/own.c" >"$dir/plain.c"
if gcc -Wall -Werror -I. -c -o "$dir/plain.o" "$dir/plain.c" >"$dir/out" 2>&1; then status=0; else status=1; fi
is "a test without TEST()" "$status: $(grep -c 'defined but not used' "$dir/out")" "1: 1"

# ---- what a test is built from ----

# compiled TEST FILE: how many objects are made anew for the test if the file has changed
compiled() { make -n -W "$2" "$build/unit/$1" | grep -cE -- ' -c -o [^ ]+/unit/obj/' || true; }
make -s "$build/unit/crc32" "$build/unit/find" "$build/unit/match"
is "a header that the test's objects lack" "$(compiled crc32 measure/match.h)" 0
is "a source that it has" "$(compiled crc32 kernel/crc32.c)" 1
mapfile -t depend < <(sed 's/.*:=//' "$build/unit/obj/tests/unit/test_match.list" | tr ' ' '\n' | sed -n 's/\.o$/.d/p')
is "a header that few have" "$(compiled match measure/match.h)" "$(grep -lE ' measure/match\.h( |$)' "${depend[@]}" "$build/unit/obj/tests/unit/test_match.c.d" | wc -l)"

# With a list that lacks what the test needs, everything is built. (The objects are links to those of the build.)
mkdir -p "$dir/unit"
cp -al "$build/unit/obj" "$dir/unit/obj"
cp -al "$build/font.psf" "$dir/"
rm -f "$dir"/unit/obj/tests/unit/test_*.list
for list in '' "$dir/unit/obj/kernel/gone.c.o"; do
    echo "UNIT_TOOK_find := $list" >"$dir/unit/obj/tests/unit/test_find.list"
    rm -f "$dir/unit/find"
    make -s BUILD="$dir" "$dir/unit/find" >"$dir/out" 2>&1 || true
    is "a list with '${list##*/}'" "$(cat "$dir/unit/obj/tests/unit/test_find.list")" "$(sed "s|$build/unit|$dir/unit|g" "$build/unit/obj/tests/unit/test_find.list")"
done
# A function that is missing from a list must not be found in a library.
nm --defined-only -g "$build/unit/obj/host.a" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u >"$dir/ours"
ldd "$build/unit/crc32" | awk '/=> \// { print $3 }' | while read -r library; do nm -D --defined-only "$library"; done |
    awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u >"$dir/theirs"
is "functions that libraries have, too (LIKE_LIBRARIES)" "$(comm -12 "$dir/ours" "$dir/theirs" | tr '\n' ' ')" "crc32 "

status=0
make UNIT_NEEDS=/nowhere/cmocka.h:libcmocka-dev "$build/unit/crc32" >"$dir/out" 2>&1 || status=$?
is "a package that is missing: status" $status 2
judge "a package that is missing" 'unit tests need libcmocka-dev: apt-get install --no-install-recommends libcmocka-dev' "$dir/out"
exit $failed
