#!/usr/bin/env bash
# Boots in QEMU and Bochs, judged by their records.
#
#   tests/boot/run.sh [OPTION...] [PATTERN]
#
#   PATTERN         only cases with this in their names
#   --long          also the cases that take long and seldom show what no other does
#   --list          the names of the cases, one in a line; nothing is run
#   --times         in the end the CPU time of each case, the longest first
#   -h, --help      this text
#
# Environment: JOBS, how many cases run at a time (default: one a CPU and one more, since each waits now and then); TIMEOUT, seconds for a boot in QEMU (120).
#
# A case is a line in a file of tests/boot/cases/; common.sh there has what several files share:
#     boot NAME STATUS 'run-qemu.sh options' CONDITION ...
#     sim_boot NAME STATUS 'run-bochs.sh options' 'words' CONDITION ...
# A condition is jq's, over the array of records, with the definitions of conditions.jq; its $x is the shell's x, if there is one.
# A case that starts with `long` is left to --long, and so is one that long.txt names. A case passes when the script exits with STATUS, the capture is complete
# (host/check.c) and every condition is true; one that is not shows what it saw (explain.sh). Output: "ok NAME" or
# "not ok NAME: why", in the end "N passed, N failed, N skipped".
# Exit status: 0 all passed, 1 one failed or none was selected, 2 wrong usage, 5 the build failed.
set -u
cd "$(dirname "$0")/../.." || exit
export LC_ALL=C
pattern='' list=no times=no long=no left=0
while [ $# -gt 0 ]; do
    case $1 in
    --list) list=yes ;;
    --long) long=yes ;;
    --times) times=yes ;;
    -h | --help)
        sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' tests/boot/run.sh
        exit 0
        ;;
    --*)
        echo "run.sh: unknown option $1; try tests/boot/run.sh --help" >&2
        exit 2
        ;;
    *)
        [ -z "$pattern" ] || { echo "run.sh: one pattern, not both $pattern and $1" >&2; exit 2; }
        pattern=$1
        ;;
    esac
    shift
done
jobs=${JOBS:-$(($(nproc) + 1))}
dir=$(mktemp -d "${TMPDIR:-/tmp}/anechoic-boot.XXXXXX")
trap 'rm -rf "$dir"' EXIT
[ $list = yes ] || make -s boot-programs || exit 5
export NO_BUILD=1 # it was done once, for all cases
: >"$dir/results"

# say NAME VERDICT...: one line, written at once, counted at the end.
say() { printf '%s\n' "$*" | tee -a "$dir/results"; }

# fail NAME WHY [MORE]: with the last lines that were printed and MORE, at once and at the end of the run.
fail() {
    say "not ok $1: $2"
    {
        tail -n 25 "$dir/$1.out" 2>/dev/null | tr -cd '[:print:]\n' | cut -c 1-200
        [ $# = 2 ] || printf '%s\n' "$3"
    } | sed 's/^/    | /' >"$dir/$1.why"
    cat "$dir/$1.why"
}

# The command that a case runs; its output is in $dir/NAME.out, its records in $dir/NAME.jsonl.
run_case() {
    local name=$1 want=$2 options=$3 status
    shift 3
    eval "./run-qemu.sh --no-install --timeout ${TIMEOUT:-120} -o '$dir/$name.jsonl' $options" \
        >"$dir/$name.out" 2>&1 </dev/null
    status=$?
    judge "$name" "$want" "$status" "$@"
}

# jq_options CONDITION...: jq's options for the shell's variables that the conditions name, to an array of the same name: integers, arrays,
# null, true and false are these, all else is text. Its own variables are in upper case, so that they hide none of a case's.
jq_options() {
    local TEXT=$* NAME
    jq_options=()
    while [[ $TEXT =~ \$([a-z][a-z0-9_]*) ]]; do
        NAME=${BASH_REMATCH[1]} TEXT=${TEXT#*"${BASH_REMATCH[0]}"}
        if [ -z "${!NAME+set}" ]; then
            continue
        elif [[ ${!NAME} =~ ^(0|-?[1-9][0-9]*|\[.*\]|null|true|false)$ ]]; then
            jq_options+=(--argjson "$NAME" "${!NAME}")
        else
            jq_options+=(--arg "$NAME" "${!NAME}")
        fi
    done
}

# holds CONDITION RECORDS: with these options.
holds() { [ "$(jq -s -L tests/boot "${jq_options[@]}" "include \"conditions\"; $1" "$2" 2>&1)" = true ]; }

judge() { # judge NAME WANTED-STATUS STATUS CONDITION...
    local jq_options
    jq_options "${@:4}" # before variables of this function hide the case's
    local name=$1 want=$2 status=$3 why condition
    shift 3
    if [ "$status" != "$want" ]; then fail "$name" "exit status $status, not $want"; return; fi
    if ! why=$(build/host/anechoic check --strict "$dir/$name.jsonl" 2>&1); then fail "$name" "$why"; return; fi
    ! holds "true $(printf ' and (%s)' "$@")" "$dir/$name.jsonl" || set --
    for condition; do # one of them is not true: which
        if ! holds "$condition" "$dir/$name.jsonl"; then
            fail "$name" "not true: $condition" "$(
                tests/boot/explain.sh "$condition" "$dir/$name.jsonl" "${jq_options[@]}"
                jq -c 'select(.t=="error" or .t=="end")' "$dir/$name.jsonl" 2>/dev/null | head -n 5
            )"
            return
        fi
    done
    say "ok $name"
}

selected() { [[ $1 == *"$pattern"* ]]; }

# Cases of long.txt, and what shows the same in the usual run.
declare -A shown_by
while read -r name by; do
    [[ -z $name || $name = '#'* ]] || shown_by[$name]=$by
done <tests/boot/long.txt

# background FUNCTION NAME ARGUMENT...: a case, JOBS at a time.
background() {
    if [ $long = no ] && [ -n "${shown_by[$2]-}" ]; then
        left=$((left + 1))
        return
    fi
    if [ $list = yes ]; then echo "$2"; return; fi
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    echo "$2" >>"$dir/started"
    timed "$@" &
}

# The second line of times is the user and system time of the case's children.
timed() {
    "$@"
    [ $times = no ] || times >"$dir/$2.times"
}

boot() { selected "$1" && background run_case "$@"; }

# long KIND NAME ...: a case of that kind for --long only.
long() {
    if [ $long = yes ]; then "$@"; elif selected "$2"; then left=$((left + 1)); fi
}

# A case with a script of its own: custom NAME FUNCTION. The function says its verdict itself.
custom() { selected "$1" && background "$2" "$1" "${@:3}"; } # custom NAME FUNCTION [ARGUMENT...]

# A case that needs what is not there: skip NAME WHY.
skip() {
    selected "$1" || return
    if [ $list = yes ]; then echo "$1"; else say "skipped $1: $2"; fi
}

# Does this Linux run 32-bit programs? This one makes the call exit(0).
runs_bits32() {
    local program=$dir/bits32-$BASHPID # cases run side by side
    printf '.globl _start\n_start: movl $1, %%eax\nxorl %%ebx, %%ebx\nint $0x80\n' | as --32 -o "$program.o" - &&
        ld -m elf_i386 -o "$program" "$program.o" && "$program" 2>/dev/null
}

# A case with a script of its own that needs the events of Core Duo, Pentium M and P6, which libpfm4's i386 library alone has
# (tools/tools.mk): custom_i386 NAME FUNCTION.
custom_i386() {
    if [ -s build/events/i386.txt ]; then custom "$@"; else skip "$1" "libpfm4's i386 library could not be fetched"; fi
}

. tests/boot/cases/common.sh
. tests/boot/cases/start.sh
. tests/boot/cases/network.sh
. tests/boot/cases/floppy.sh
. tests/boot/cases/secure.sh
. tests/boot/cases/words.sh
. tests/boot/cases/exact.sh
. tests/boot/cases/layout.sh
. tests/boot/cases/code.sh
. tests/boot/cases/snippets.sh
. tests/boot/cases/ring3.sh
. tests/boot/cases/lab.sh
. tests/boot/cases/processors-lines.sh
. tests/boot/cases/descriptors.sh
. tests/boot/cases/noise.sh
. tests/boot/cases/topology.sh
. tests/boot/cases/processors-words.sh
. tests/boot/cases/report.sh
. tests/boot/cases/qr.sh
. tests/boot/cases/screen.sh
. tests/boot/cases/consoles.sh
. tests/boot/cases/capture.sh
. tests/boot/cases/monitor.sh
. tests/boot/cases/load.sh
. tests/boot/cases/monitor-questions.sh
. tests/boot/cases/rates.sh
. tests/boot/cases/seeds.sh
. tests/boot/cases/fleet.sh
. tests/boot/cases/models.sh
. tests/boot/cases/sim.sh
. tests/boot/cases/processors-sim.sh
. tests/boot/cases/payload.sh
. tests/boot/cases/regions.sh
. tests/boot/cases/truth.sh
. tests/boot/cases/presets.sh
. tests/boot/cases/sampling.sh
. tests/boot/cases/branches.sh
. tests/boot/cases/steps.sh
. tests/boot/cases/ibs.sh
. tests/boot/cases/interrupts.sh
. tests/boot/cases/processors-up.sh
. tests/boot/cases/experiments.sh
. tests/boot/cases/precise.sh
. tests/boot/cases/install.sh
. tests/boot/cases/docs.sh
. tests/boot/cases/linux.sh
. tests/boot/cases/here.sh

# long.txt names cases, and cases of the usual run that show the same.
left_to_long() {
    local usual all name by
    usual=$(tests/boot/run.sh --list) all=$(tests/boot/run.sh --list --long)
    for name in "${!shown_by[@]}"; do
        grep -qxF "$name" <<<"$all" || { fail "$1" "long.txt: there is no case $name"; return; }
        for by in ${shown_by[$name]//,/ }; do
            if [[ $by = unit:* ]]; then
                compgen -G "tests/unit/test_${by#unit:}.*" >/dev/null
            else
                grep -qxF -- "$by" <<<"$usual"
            fi || { fail "$1" "long.txt: $name: $by is no case of the usual run"; return; }
        done
    done
    say "ok $1"
}
custom left-to-long left_to_long
wait
[ $list = no ] || exit 0

# A script that breaks off says nothing.
sed -E 's/^(ok|not ok|skipped) ([^:]*).*/\2/' "$dir/results" | sort -u >"$dir/judged"
touch "$dir/started"
for name in $(sort -u "$dir/started" | comm -23 - "$dir/judged"); do fail "$name" "its script ended without a verdict"; done

# A machine that outlives its case takes a CPU from the others. Its command line has the path of a file in $dir.
for machine in $(grep -laF "$dir/" /proc/[0-9]*/cmdline 2>/dev/null); do
    [ -e "$machine" ] || continue # grep's own
    fail left-running "this machine outlived its case" "$(tr '\0' ' ' <"$machine" | cut -c 1-200)"
    kill "$(cut -d/ -f3 <<<"$machine")" 2>/dev/null
done

if [ $times = yes ]; then
    awk -F '[ms ]+' 'FNR == 2 { n = FILENAME; gsub(/.*\/|\.times$/, "", n)
        printf "%7.1f s %s\n", 60 * $1 + $2 + 60 * $3 + $4, n }' "$dir"/*.times | sort -rn
fi
again() { while IFS='' read -r line; do line=${line#not ok } && echo "    not ok $line" && cat "$dir/${line%%:*}.why"; done; }
! grep -q '^not ok ' "$dir/results" || { echo "boot: these failed:" && grep '^not ok ' "$dir/results" | again; }
[ $left = 0 ] || echo "$left cases are left to --long"
passed=$(grep -c '^ok ' "$dir/results")
failed=$(grep -c '^not ok ' "$dir/results")
skipped=$(grep -c '^skipped ' "$dir/results")
echo "boot: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
