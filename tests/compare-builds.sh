#!/usr/bin/env bash
# Two builds' records, set against each other by key: the same words on every modelled CPU must give the same values.
#
#   tests/compare-builds.sh [OPTION...] BASE NEW [MACHINE...]
#
#   BASE, NEW       checkouts; each builds, and boots with its own scripts
#   MACHINE         a CPU of run-bochs.sh, or qemu-i586 or qemu-x86_64 (default: all of them)
#   --keep DIR      captures stay in DIR/base and DIR/new. Those of BASE are used again, as long as BASE is at the same commit.
#   -h, --help      this text
#
# On every CPU: bench=truth (ring 0) and events=list; on a Pentium 4 also bench=tags, cascade and article. In QEMU, whose
# TSC counts instructions with --icount, benchmarks of known length in each kernel.
#
# What identifies a record, and which fields are passed over for what reason (words, ticks, addresses, what the harness
# itself counts, checksums), stands in tests/compare-builds.jq. What only NEW has is shown, and is no difference.
#
# Environment: JOBS, how many boots run at a time (default: one a CPU); TIMEOUT, seconds for a boot (900).
# Output: a line for each difference; in the end "N fields of N runs compared: N differ, N added".
# Exit status: 0 the values are the same, 1 some differ, 2 wrong usage, 5 a build or a boot failed.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tools/bochs-machine.sh"

say() { echo "compare-builds: $*" >&2; }
wrong() {
    say "$1; try $0 --help"
    exit 2
}

keep='' checkouts=() machines=()
while [ $# -gt 0 ]; do
    case $1 in
    --keep)
        [ $# -ge 2 ] || wrong "--keep needs a directory"
        keep=$2
        shift
        ;;
    -h | --help)
        sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
        exit 0
        ;;
    -*) wrong "unknown option $1" ;;
    *)
        if [ ${#checkouts[@]} -lt 2 ]; then
            [ -x "$1/run-bochs.sh" ] || wrong "$1 is no checkout: it has no run-bochs.sh"
            checkouts+=("$(realpath "$1")")
        else
            [[ $1 =~ ^qemu-(i586|x86_64)$ ]] || bochs_model "$1" >/dev/null || wrong "$1 is neither a modelled CPU nor qemu-i586 nor qemu-x86_64"
            machines+=("$1")
        fi
        ;;
    esac
    shift
done
[ ${#checkouts[@]} = 2 ] || wrong "two checkouts are needed, BASE and NEW"
base=${checkouts[0]} new=${checkouts[1]}
[ ${#machines[@]} -gt 0 ] || read -ra machines <<<"$(model_names) qemu-i586 qemu-x86_64"

dir=$keep
if [ -z "$keep" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/anechoic-compare.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir/base" "$dir/new" && dir=$(realpath "$dir") || wrong "cannot write to $dir"
rm -f "$dir"/new/*
commit=$(git -C "$base" describe --always --dirty --abbrev=40) || exit 5
if [ "$commit" != "$(cat "$dir/base/commit" 2>/dev/null)" ] || [[ $commit = *-dirty ]]; then
    rm -f "$dir"/base/*
    echo "$commit" >"$dir/base/commit"
fi

# runs_of MACHINE: one line for each run, NAME WORDS.
runs_of() {
    if [[ $1 = qemu-* ]]; then
        echo 'exact bench=empty,test_1000,fp_add_latency,stride_thrash,l1_miss,regions reps=20'
        return
    fi
    echo 'truth bench=truth'
    echo 'events events=list'
    [[ " $(model_names netburst) " != *" $1 "* ]] || printf '%s\n' 'tags bench=tags' 'cascade bench=cascade' 'article bench=article'
}

# capture CHECKOUT FILE MACHINE WORDS: boots unless FILE is there. FILE.out has what was printed.
capture() {
    local file=$2 words=$4 status=0 command=(./run-bochs.sh --cpu "$3")
    [ ! -e "$file" ] || return 0
    case $3,$words in
    qemu-i586,*) command=(./run-qemu.sh --icount --flavour i586 --cpu pentium) ;;
    qemu-x86_64,*) command=(./run-qemu.sh --icount --flavour x86_64 --cpu max) ;;
    *,bench=article) command+=(--skid '64:535,68:465') ;; # that of the article's Pentium 4
    esac
    (cd "$1" && "${command[@]}" --no-install --timeout "${TIMEOUT:-900}" -o "$file.part" --append "$words") >"$file.out" 2>&1 \
        </dev/null || status=$?
    if [ $status -gt 1 ]; then
        echo "$1: ${command[*]} --append '$words' ended with $status: $(tail -n 1 "$file.out")" >>"$dir/failed"
        return 1
    fi
    mv "$file.part" "$file"
}

# compare MACHINE NAME WORDS: the verdict goes to DIR/new/MACHINE-NAME.verdict
compare() {
    local file=$1-$2.jsonl
    capture "$base" "$dir/base/$file" "$1" "$3" && capture "$new" "$dir/new/$file" "$1" "$3" || return
    jq -n --slurpfile base "$dir/base/$file" --slurpfile new "$dir/new/$file" -f "$here/compare-builds.jq" >"$dir/new/$1-$2.verdict" ||
        echo "$1 $2: the records are not comparable" >>"$dir/failed"
}

rm -f "$dir/failed"
for machine in "${machines[@]}"; do
    while read -r name words; do
        while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-$(nproc)}" ]; do wait -n; done
        compare "$machine" "$name" "$words" &
    done < <(runs_of "$machine")
done
wait

for verdict in "$dir"/new/*.verdict; do
    [ -e "$verdict" ] || continue
    jq -r --arg run "$(basename "$verdict" .verdict)" '(.differ[] | "differs: \($run): \(.)"),
        (.added | group_by(.)[] | "added: \($run): \(.[0])\(if length > 1 then ", \(length) times" else "" end)")' "$verdict"
done
cat "$dir"/new/*.verdict /dev/null 2>/dev/null | jq -s -r '"\(map(.compared) | add // 0) fields of \(length) runs compared: " +
    "\(map(.differ | length) | add // 0) differ, \(map(.added | length) | add // 0) added"'
if [ -e "$dir/failed" ]; then
    cat "$dir/failed" >&2
    exit 5
fi
! cat "$dir"/new/*.verdict | jq -e -s 'any(.[]; .differ != [])' >/dev/null
