#!/bin/bash
# Build the kernel and boot it in Bochs with modelled performance counters. Missing packages are installed first.
#
#   ./run-bochs.sh --cpu CPU [OPTION...]
#
#   --cpu CPU           the processor: one of those below
#   --append "WORDS"    the kernel's command line, such as "bench=all reps=100"; exit=bochs is put in front unless WORDS
#                       hold an exit= word
#   -i, --interactive   type at the kernel's prompt (docs/monitor.md): this terminal is the serial line, and records go over
#                       the second one. exit=monitor,bochs is put in front unless WORDS hold an exit= word; no time limit
#                       but a given one
#   -o FILE             where the records go (default build/run/records.jsonl)
#   --flavour F         kernel i586 or x86_64 (default: x86_64 where the CPU has long mode, except for a Pentium 4)
#   --module FILE       hand this file to the kernel, such as one with snippets (docs/code.md): may be repeated
#   --grub              boot from a CD through GRUB, as a real machine does. The default is an option ROM that starts the
#                       kernel, in a quarter of the time (docs/pmu-model.md)
#   --floppy            boot from a floppy through GRUB, which has the i586 kernel
#   --through FILE      a multiboot 1 program that starts the kernel, for tests: the first of WORDS is its own; through GRUB
#   --stock             use Debian's own Bochs, which has no counters (and neither Pentium Pro nor Northwood)
#   --errata LIST       errata that the model is to have, separated by commas (docs/pmu-model.md): misaligned-misses,
#                       misaligned-fst and io-reads of p5 and p55c; unflagged-overflow, n15, n17, counter1, bsq-double
#                       and cascade-pmi of a Pentium 4
#   --smp N             so many processors, 1 to 8, each a package of its own with its PMU and caches (default 1)
#   --threads N         2: each core has two threads (Hyper-Threading), where the processor can; --smp up to 4 (default 1)
#   --ebs-socket        the board has pin PM0 wired to NMI: sample=nmi on p5 and p55c
#   --skid SPEC         instructions between a counter's overflow and its interrupt: N, or a distribution
#                       N:WEIGHT,N:WEIGHT,... to draw from (default 0)
#   --seed N            the seed of that draw (default 0)
#   --oracle FILE       write a JSON line for each pass through a bracket, with the counts of its instructions; of several
#                       processors with "cpu" and "lines", those that came from another one's caches (in) or went there (out)
#   --bracket LIST      the brackets, LABEL=FROM:TO separated by commas, with the kernel's symbols or hexadecimal
#                       addresses (see sim/bochs/bracket.cc; default: every payload, without its CALL and RET)
#   --histogram LIST    let the oracle also count these events by instruction address
#   --trace SPEC        let the oracle also list each occurrence of an event: EVENT, and words behind commas: user, kernel,
#                       regs, every=N, limit=N, branches=N (docs/pmu-model.md)
#   --kernels DIR       boot the kernel DIR/FLAVOUR/anechoic.elf as it is, without the event database, for tests (default:
#                       build, which is updated first)
#   --ips N             instructions in a second of the machine's timers and serial line, 1000000 to 100000000 (default
#                       10000000). No count depends on it; with less a boot waits for fewer, and limit= allows fewer
#   --timeout S         give up after S seconds (default 120)
#   --raw               print the records as well, as they come, for programs such as anechoic run
#   --no-install        do not install missing packages: name them and exit with 5
#   --no-build          boot what was built before, as it is
#   -h, --help          this text
#
# The first run builds Bochs into the cache (tools/bochs.sh), which takes some minutes. Prints the kernel's text as it
# comes. Its records, the lines that begin with {, go to the file. Events that the model lacks are "unmodelled" in both.
# Exit status: 0 done, 1 a benchmark failed or found nothing, 2 wrong command line (the kernel's or
# this one), 3 the kernel could not run or panicked, 4 the requested feature is not available, 5 packages, build or emulator
# failed, 124 time-out.
set -eu

root=$(cd "$(dirname "$0")" && pwd)
. "$root/tools/run-common.sh"
. "$root/tools/bochs-machine.sh"

cpu='' words='' kernels=build stock=no errata='' skid='' seed='' oracle='' brackets='' histogram='' trace='' socket='' smp=1 threads=1 ips=10000000 flavour='' medium='' through=() modules=()
records_file=$root/build/run/records.jsonl limit='' raw=no interactive=no
NO_INSTALL=${NO_INSTALL:-0} NO_BUILD=${NO_BUILD:-0}

while [ $# -gt 0 ]; do
    case $1 in
    --cpu=* | --append=* | --errata=* | --skid=* | --seed=* | --oracle=* | --bracket=* | --histogram=* | --trace=* | --timeout=* | \
        --smp=* | --threads=* | --ips=* | --kernels=* | --flavour=* | --through=* | --module=*)
        set -- "${1%%=*}" "${1#*=}" "${@:2}" # --option=value is --option value
        ;;
    esac
    case $1 in
    --cpu | --append | -o | --smp | --threads | --ips | --errata | --skid | --seed | --oracle | --bracket | --histogram | --trace | --timeout | --kernels | --flavour | --through | --module)
        [ $# -ge 2 ] || wrong "$1 needs a value"
        case $1 in
        --cpu) cpu=$2 ;;
        --flavour) flavour=$2 ;;
        --kernels) kernels=$2 ;;
        --append) words=$2 ;;
        --module) module_option "$2" ;;
        --through) through=(--through "$(realpath "$2")") ;;
        -o) records_file=$2 ;;
        --smp) smp=$2 ;;
        --threads) threads=$2 ;;
        --ips) ips=$2 ;;
        --errata) errata=$2 ;;
        --skid) skid=$2 ;;
        --seed) seed=$2 ;;
        --oracle) oracle=$2 ;;
        --bracket) brackets=$2 ;;
        --histogram) histogram=$2 ;;
        --trace) trace=$2 ;;
        --timeout) limit=$2 ;;
        esac
        shift
        ;;
    --stock) stock=yes ;;
    --grub) medium=cdrom ;;
    --floppy) medium=floppy ;;
    --raw) raw=yes ;;
    -i | --interactive) interactive=yes ;;
    --ebs-socket) socket=1 ;;
    --no-install) NO_INSTALL=1 ;;
    --no-build) NO_BUILD=1 ;;
    -h | --help)
        usage
        echo 'Processors:'
        model_help
        exit 0
        ;;
    *) stray_argument "$1" ;;
    esac
    shift
done

[ -n "$cpu" ] || wrong "--cpu is missing: $(model_choice)"
model=$(bochs_model "$cpu") || wrong "--cpu needs $(model_choice), not $cpu"
[ "$stock${#through[@]}" = no0 ] || medium=${medium:-cdrom}
medium=${medium:-rom}
if [ $medium = floppy ]; then
    [ "${flavour:=i586}" = i586 ] || wrong "a floppy has the i586 kernel only"
    [ ${#through[@]} = 0 ] || wrong "--through needs an image, so --floppy cannot go with it"
fi
case ${flavour:=$(bochs_flavour "$cpu")} in
i586) ;;
x86_64) [[ $(bochs_flavours "$cpu") = *x86_64* ]] || fail 4 "$cpu has no long mode: it needs --flavour i586" ;;
*) wrong "--flavour needs i586 or x86_64, not $flavour" ;;
esac
several=$(machine_count "$cpu" "$smp" "$threads") || exit
[[ $ips =~ ^[1-9][0-9]{6,7}$ || $ips = 100000000 ]] || wrong "--ips needs a number from 1000000 to 100000000, not $ips"
check_limit
check_interactive
if [ $stock = yes ]; then
    [ "$cpu" != ppro ] || fail 4 "Debian's Bochs has no Pentium Pro; without --stock there is one"
    [ "$cpu" != northwood ] || fail 4 "Debian's Bochs has no Northwood; without --stock there is one"
    [ -z "$errata$skid$oracle$brackets$histogram$trace$socket" ] ||
        wrong "--stock has no model, and so no --errata, --skid, --oracle or --ebs-socket"
fi
[ -n "$skid" ] || [ -z "$seed" ] || wrong "--seed needs --skid SPEC"
[ -n "$oracle" ] || [ -z "$brackets$histogram$trace" ] || wrong "--bracket, --histogram and --trace need --oracle FILE"
[ -z "$socket" ] || [[ " $(model_names p5) " = *" $cpu "* ]] || wrong "--ebs-socket is for $(model_choice p5), which have no performance interrupt"
if [ $interactive = yes ]; then
    [ -t 0 ] || wrong "-i needs a terminal: Bochs takes it for the serial line"
    interactive_words bochs
else
    exit_word exit=bochs
fi
open_records
if [ -n "$oracle" ]; then
    { mkdir -p "$(dirname "$oracle")" && : >"$oracle"; } || wrong "cannot write $oracle"
    oracle=$(realpath "$oracle")
fi
cd "$root"

# build_kernel TARGET...: the kernel and these targets.
build_kernel() {
    [ "$kernels" != build ] || set -- "build/$flavour/anechoic.elf" build/events.db "$@"
    [ $# = 0 ] || build "$@"
}
sets=(iso)
[ $medium != rom ] || sets=()
if [ $stock = yes ]; then
    need build iso bochs
    build_kernel
    bochs=(bochs-bin)
    display='rfb, options="timeout=0"' # nogui does not exist; no viewer is needed
else
    if builds; then need build "${sets[@]}" sim; else need "${sets[@]}" bios; fi
    build_kernel build/bochs/bochs build/bochs/start.rom
    bochs=(build/bochs/bochs)
    display=nogui
fi
make_work

# address SYMBOL-OR-HEX
address() {
    local found
    if [[ $1 =~ ^(0x)?[0-9a-fA-F]+$ ]]; then
        echo "${1#0x}"
        return
    fi
    found=$(nm "$kernels/$flavour/kernel.elf" | awk -v name="$1" '$3 == name { print $1 }')
    [ -n "$found" ] || return 1
    echo "$found"
}

# resolve LIST: the brackets with addresses instead of symbols.
resolve() {
    local bracket label from to call out='' part
    for bracket in ${1//,/ }; do
        label=${bracket%%=*} part=${bracket#*=}
        [[ $bracket = ?*=?*:?* ]] || wrong "--bracket needs LABEL=FROM:TO, not $bracket"
        from=${part%%:*} to=${part#*:} call=''
        [[ $from != call@* ]] || call=call@ from=${from#call@}
        from=$(address "$from") || wrong "--bracket: the kernel has no symbol ${part%%:*}"
        [ "$to" = ret ] || to=$(address "$to") || wrong "--bracket: the kernel has no symbol ${part#*:}"
        out="$out${out:+,}$label=$call$from:$to"
    done
    echo "$out"
}

# The kernel's brackets carry a symbol at the CALL of their payload.
if [ -n "$oracle" ]; then
    [ -n "$brackets" ] || brackets=$(nm "$kernels/$flavour/kernel.elf" |
        awk '$3 ~ /^bracket_.*_call$/ { printf "%spayload=call@%s:ret", comma, $1; comma = "," }')
    [ -n "$brackets" ] || fail 5 "the kernel has no symbols bracket_..._call for the model"
    brackets=$(resolve "$brackets") || exit
fi

# What is too large for the ROM goes through GRUB.
image=$kernels/$flavour/anechoic.elf database=()
[ ! -e "$kernels/events.db" ] || database=("$kernels/events.db")
if [ $medium != rom ] || ! parcel "$image" "$words" "${database[@]}" "${modules[@]}" >"$work/parcel"; then
    [ $medium != rom ] || medium=cdrom
    image=$work/image maker=(mkiso.sh --bios --flavour "$flavour" "${through[@]}")
    [ $medium = cdrom ] || maker=(mkfloppy.sh)
    "tools/${maker[0]}" "${maker[@]:1}" --build "$kernels" "${modules[@]/#/--module=}" --append "$words" "$image" ||
        fail 5 "the image could not be made"
fi

bochsrc "$work" "$model" "$display" "$ips" "$image" $medium ${several:+"$several"}

if [ $stock = no ]; then
    export ANECHOIC_SIM="$cpu" ANECHOIC_SIM_ERRATA="$errata" ANECHOIC_SIM_SKID="$skid" \
        ANECHOIC_SIM_SEED="$seed" ANECHOIC_SIM_SOCKET="$socket" ANECHOIC_ORACLE="$oracle" \
        ANECHOIC_BRACKET="$brackets" ANECHOIC_HISTOGRAM="$histogram" ANECHOIC_TRACE="$trace"
fi
if [ $interactive = yes ]; then
    # Over the terminal at 115200 baud; what Bochs itself prints goes to $work/out.
    sed -i "s|^com1:.*|com1: enabled=1, mode=term, dev=$(tty)\ncom2: enabled=1, mode=file, dev=$work/serial|" "$work/bochsrc"
    : >"$work/serial"
else
    show_serial
fi
# Debian's has a debugger, which needs the command to continue.
echo c >"$work/debugger"
LC_ALL=C timeout --foreground -k 5 "$limit" "${bochs[@]}" -q -f "$work/bochsrc" <"$work/debugger" >"$work/out" 2>&1 &
finish_emulator
collect_records

# Bochs ends with 1 even when the kernel switched it off; 2 is the glue's, for a wrong value. What the kernel came to
# stands in its last record, or without records in its last line.
[ -n "$ended" ] || ended=$(tail -n 1 "$work/serial" | LC_ALL=C sed -n -E 's/.*[ ,]status ([0-3])\r?$/\1/p')
if [ "$status" = 2 ] && grep -q '^anechoic:' "$work/out"; then
    grep '^anechoic:' "$work/out" >&2
    exit 2
fi
if [ -z "$ended" ] || { [ ! -e "$work/switched-off" ] && ! grep -q 'shutdown requested' "$work/log" 2>/dev/null; }; then
    tail -n 5 "$work/out" >&2
    tail -n 10 "$work/log" >&2 || true
    fail 5 "Bochs ended by itself, with status $status, before the kernel was done"
fi
exit "$ended"
