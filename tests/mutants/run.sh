#!/usr/bin/env bash
# Do the unit tests see a change? Mutants of the plain C in pmu/, measure/, report/ and kernel/ are drawn, built and tested.
#
#   tests/mutants/run.sh [OPTION...]
#
#   --seed N        what the drawing starts from (default 1)
#   --count N       how many are drawn that compile and are not known to be equivalent (default 200)
#   --file PATTERN  only of files with this in their paths
#   -h, --help      this text
#
# A mutant has one operator, constant or call changed (tests/mutants/mutate.c). It is killed when a unit program that has
# the file in it fails, or takes a minute. Files that no unit program has, most of them hardware's, are not drawn from.
# A mutant that GCC compiles to the same code as the original is no mutant. Others that change nothing anybody could see
# are known to be equivalent: tests/mutants/equivalent.txt lists them with the reason.
#
# Environment: JOBS, how many mutants are tried at a time (default: one a CPU).
# Output: a line for each survivor, "ok mutants: N of N killed" or "not ok ...", and "mutants: N passed, N failed, 0 skipped",
# where all of this is one test.
# Exit status: 0 at least 95 % were killed, 1 fewer, 2 wrong usage, 5 the build failed.
set -u
cd "$(dirname "$0")/../.." || exit
export LC_ALL=C
seed=1 count=200 pattern=''
while [ $# -gt 0 ]; do
    case $1 in
    --seed | --count)
        [ $# -ge 2 ] && [[ $2 =~ ^[1-9][0-9]{0,5}$ ]] || { echo "mutants: $1 needs a number from 1 to 999999" >&2; exit 2; }
        if [ "$1" = --seed ]; then seed=$2; else count=$2; fi
        shift
        ;;
    --file)
        [ $# -ge 2 ] || { echo "mutants: --file needs a part of a path" >&2; exit 2; }
        pattern=$2
        shift
        ;;
    -h | --help)
        sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' tests/mutants/run.sh
        exit 0
        ;;
    *) echo "mutants: unknown option $1; try tests/mutants/run.sh --help" >&2; exit 2 ;;
    esac
    shift
done
jobs=${JOBS:-$(nproc)}
dir=$(mktemp -d "${TMPDIR:-/tmp}/anechoic-mutants.XXXXXX")
trap 'rm -rf "$dir"' EXIT
gcc -std=gnu11 -O2 -Wall -Wextra -Werror -o "$dir/mutate" tests/mutants/mutate.c || exit 5

# Each job has a tree of its own, with everything built.
mkdir -p "$dir/0"
tar -c --exclude=./build --exclude=./.git . | tar -x -C "$dir/0"
mkdir -p "$dir/0/build" # what is built already, with its times
for part in build/unit build/host build/tools build/events build/events.db build/font.psf; do [ ! -e "$part" ] || cp -a "$part" "$dir/0/build/"; done
make -s -j"$jobs" -C "$dir/0" unit-programs || exit 5
# What fails without a mutant would kill all of them.
(cd "$dir/0" && find build/unit -maxdepth 1 -type f -print0 | BUILD=build xargs -0 tests/unit/run.sh) >"$dir/unmutated" || { grep -v '^ok ' "$dir/unmutated" >&2; exit 5; }
for ((job = 1; job < jobs; job++)); do cp -a "$dir/0" "$dir/$job"; done

# Each unit program and a source that is in it, by its debugging information.
for program in "$dir"/0/build/unit/*; do
    [ -f "$program" ] || continue
    readelf --debug-dump=info --dwarf-depth=1 "$program" 2>/dev/null |
        sed -nE 's/.*DW_AT_name .*: ((pmu|measure|report|kernel)\/[a-z0-9_]+\.c)\s*$/\1/p' | sed "s|^|${program##*/} |"
done | sort -u >"$dir/objects"
# A test may include a source in place of its object, which does not say so there. Files without an object are not drawn from.
grep -oE '^#include "(pmu|measure|report|kernel)/[a-z0-9_]+\.c"' tests/unit/test_*.c | sed -E 's|^tests/unit/test_(.*)\.c:#include "(.*)"|\1 \2|' |
    awk 'NR == FNR { drawn[$2] = 1; next } $2 in drawn' "$dir/objects" - | sort -u - "$dir/objects" >"$dir/programs"

cut -d ' ' -f 2 "$dir/programs" | sort -u | grep -F -- "$pattern" | while read -r file; do
    "$dir/mutate" "$file" | sed "s|^|$file\t|"
done >"$dir/all"
if [ -z "$pattern" ]; then # a line that has changed since would be listed for nothing
    awk -F '\t' 'NR == FNR { mutant[$1, $6, $4, $5] = 1; next }
        !/^#/ && !(($1, $2, $3, $4) in mutant) { print "mutants: equivalent.txt lists what is no mutant: " $0; stale = 1 }
        END { exit stale }' "$dir/all" tests/mutants/equivalent.txt >&2 || exit 5
fi

# All mutants in an order of chance, without those of equivalent.txt. A mutant's place depends on the seed, its file, its line's text and
# the change alone: an edit elsewhere moves none, so that the same seed stays comparable, and two seeds have nothing in common.
LC_ALL=C awk -F '\t' -v seed="$seed" '
    BEGIN { for (i = 1; i < 256; i++) code[sprintf("%c", i)] = i }
    function place(text, h, i) {
        h = seed
        for (i = 1; i <= length(text); i++) h = (h * 65599 + code[substr(text, i, 1)]) % 2147483647
        for (i = 0; i < 4; i++) h = h * 48271 % 2147483647
        return h
    }
    NR == FNR { if (!/^#/) equivalent[$1, $2, $3, $4] = 1; next }
    !(($1, $6, $4, $5) in equivalent) {
        name = $1 "\t" $6 "\t" $4 "\t" $5
        printf "%010d\t%s\n", place(name "\t" ++times[name]), $0
    }' tests/mutants/equivalent.txt "$dir/all" | sort | cut -f 2- >"$dir/drawn"

# compile TREE FILE OBJECT: the code alone, without debugging information and sanitizers, which know lines and columns.
compile() { (cd "$1" && gcc -std=gnu11 -O2 -fno-strict-aliasing -w -I. -Ibuild -DHOST -c -o "$3" "$2") 2>/dev/null; }

# verdict TREE FILE: of the mutant that stands in FILE there: killed, survived, or invalid, which does not compile or is
# the same code.
verdict() {
    local tree=$1 file=$2 base program list
    base=$(basename "$file" .c)
    compile "$tree" "$file" mutant.o || { echo invalid; return; }
    ! cmp -s "$tree/mutant.o" "$tree/original.o" || { echo invalid; return; }
    make -s -C "$tree" WARN=-w "build/unit/obj/$file.o" >/dev/null 2>&1 || { echo invalid; return; }
    # The file's own tests first: most mutants need no other.
    list=$(awk -v file="$file" -v base="$base" '$2 == file { print (index($1, base) || index(base, $1) ? 0 : 1), $1 }' "$dir/programs" | sort | cut -d ' ' -f 2)
    for program in $list; do
        make -s -C "$tree" WARN=-w "build/unit/$program" >/dev/null 2>&1 || { echo killed; return; }
        (cd "$tree" && timeout 60 "build/unit/$program") >/dev/null 2>&1 || { echo killed; return; }
    done
    echo survived
}

# judge TREE INDEX FILE NUMBER LINE FROM TO TEXT
judge() {
    local tree=$1 file=$3 result
    cp -p "$tree/$file" "$tree/pristine"
    compile "$tree" "$file" original.o
    "$dir/mutate" "$tree/pristine" "$4" >"$tree/$file"
    result=$(verdict "$tree" "$file")
    mv "$tree/pristine" "$tree/$file"
    touch "$tree/$file"
    printf '%s\t%s\t%s\n' "$result" "$2" "$file:$5: $6 becomes $7: $8" >>"$dir/results"
}

# Jobs take one after the other until enough are judged; of these the first ones count, so that the same seed has the same.
: >"$dir/results"
next_index() {
    local index
    flock 8
    index=$(($(cat "$dir/index" 2>/dev/null || echo 0) + 1))
    echo "$index" | tee "$dir/index"
} 8>"$dir/lock"
work() { # work JOB
    local index file number line from to text
    while [ "$(grep -cv '^invalid' "$dir/results")" -lt "$count" ]; do
        index=$(next_index)
        IFS=$'\t' read -r file number line from to text < <(sed -n "${index}p" "$dir/drawn")
        [ -n "$file" ] || return
        judge "$dir/$1" "$index" "$file" "$number" "$line" "$from" "$to" "$text"
    done
}
for ((job = 0; job < jobs; job++)); do work $job & done
wait
sort -n -k 2 "$dir/results" | grep -v '^invalid' | head -n "$count" >"$dir/judged"
sed -n 's/^survived\t[0-9]*\t/survived: /p' "$dir/judged"
judged=$(wc -l <"$dir/judged") killed=$(grep -c '^killed' "$dir/judged")
passed=0
[ "$judged" = 0 ] || [ $((killed * 100)) -lt $((judged * 95)) ] || passed=1
echo "$([ $passed = 1 ] && echo ok || echo 'not ok') mutants: $killed of $judged killed; seed $seed, $(grep -c '^[^#]' tests/mutants/equivalent.txt) known to be equivalent"
echo "mutants: $passed passed, $((1 - passed)) failed, 0 skipped"
[ $passed = 1 ]
