#!/bin/bash
# Boot Debian's own, unmodified Linux kernel in Bochs with a modelled PMU, and have Linux' own perf driver find it,
# count with it and sample with it; what is missing on this machine is installed first.
#
#   tools/linux-perf.sh [OPTION...]
#
#   --cpu CPU       the processor: one of those below (default p3)
#   --kernel FILE   this bzImage (default: Debian 12's for 32 bits, tools/linux-kernel.sh)
#   --smp N         so many processors, 1 to 8 (default 1)
#   --threads N     2: each core has two threads, where the processor can; --smp up to 4 (default 1)
#   --only precise  nothing but perf's :p and :pp, and load latency, where the processor has PEBS
#   --trace SPEC    let the oracle list the occurrences of an event (run-bochs.sh)
#   --oracle FILE   one JSON line for each run of the guest's: what the instructions in it did
#   --timeout S     give up after S seconds (default 300)
#   --no-install    do not install packages: list those that are missing, and exit with 5
#   -h, --help      this text
#
# The guest program is tests/boot/linux/: Linux' init, alone in an initramfs. It prints a line for each check, "ok" or
# "not ok" and what was seen and expected.
# Exit status: 0 all checks passed, 1 one failed, 2 the command line was wrong, 3 Linux did not get as far as the
# checks, or panicked, 5 packages, kernel, build or emulator failed, 124 time-out.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/run-common.sh"
. "$root/tools/bochs-machine.sh"
. "$root/tools/linux-guest.sh"

families=(p6 arch amd) # Linux has no driver for a Pentium's counters, and none for NetBurst's in this kernel
cpu=p3 smp=1 threads=1 kernel='' oracle='' only='' trace='' limit=300
NO_INSTALL=${NO_INSTALL:-0}

while [ $# -gt 0 ]; do
    case $1 in
    --cpu=* | --smp=* | --threads=* | --kernel=* | --oracle=* | --only=* | --trace=* | --timeout=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    esac
    case $1 in
    --cpu | --smp | --threads | --kernel | --oracle | --only | --trace | --timeout)
        [ $# -ge 2 ] || wrong "$1 needs a value"
        case $1 in
        --cpu) cpu=$2 ;;
        --smp) smp=$2 ;;
        --threads) threads=$2 ;;
        --kernel) kernel=$2 ;;
        --oracle) oracle=$2 ;;
        --only) only=$2 ;;
        --trace) trace=$2 ;;
        --timeout) limit=$2 ;;
        esac
        shift
        ;;
    --no-install) NO_INSTALL=1 ;;
    -h | --help)
        usage
        echo 'Processors:'
        model_help "${families[@]}"
        exit 0
        ;;
    *) wrong "unknown option $1" ;;
    esac
    shift
done
[[ " $(model_names "${families[@]}") " = *" $cpu "* ]] || wrong "--cpu is $(model_choice "${families[@]}"), not $cpu"
[ -z "$only" ] || [ "$only" = precise ] || wrong "--only needs precise, not $only"
[ -n "$oracle" ] || [ -z "$trace" ] || wrong "--trace needs --oracle FILE"
several=$(machine_count "$cpu" "$smp" "$threads") || exit
check_limit
if [ -n "$kernel" ]; then
    { [ -f "$kernel" ] && [ -r "$kernel" ]; } || wrong "cannot read $kernel"
    kernel=$(realpath "$kernel")
fi
if [ -n "$oracle" ]; then
    { mkdir -p "$(dirname "$oracle")" && : >"$oracle"; } || wrong "cannot write $oracle"
    oracle=$(realpath "$oracle")
fi
cd "$root"

need build iso sim
build build/boot/linux-init build/bochs/bochs
[ -n "$kernel" ] || kernel=$(tools/linux-kernel.sh) || exit 5
guest=build/boot/linux-init
records_file=/dev/null # the guest writes none
make_work

linux_image "$kernel" "${only:+only=$only}" "init=$guest"

# Its clock is its TSC's, which the guest takes for granted (tests/boot/linux/watchdog.c).
bochsrc "$work" "$(bochs_model "$cpu")" nogui 20000000 "$work/linux.iso" cdrom ${several:+"$several"}

symbol() { nm "$guest" | awk -v name="$1" '$3 == name { print $1 }'; }
brackets=''
[ -z "$oracle" ] || brackets=run=$(symbol measured_from):$(symbol measured_to)
export ANECHOIC_SIM="$cpu" ANECHOIC_SIM_ERRATA='' ANECHOIC_ORACLE="$oracle" ANECHOIC_BRACKET="$brackets" \
    ANECHOIC_HISTOGRAM='' ANECHOIC_TRACE="$trace"

show_serial
timeout --foreground -k 5 "$limit" build/bochs/bochs -q -f "$work/bochsrc" </dev/null >"$work/out" 2>&1 &
finish_emulator

if [ "$status" = 124 ] || [ "$status" = 137 ]; then
    say "Linux did not finish within $limit seconds (--timeout)"
    exit 124
fi
[ ! -e "$work/switched-off" ] || fail 3 "Linux panicked"
ended=$(LC_ALL=C sed -n -E 's/^linux-perf: .*, status ([01])\r?$/\1/p' "$work/serial" | tail -n 1)
if [ -z "$ended" ]; then
    tail -n 5 "$work/out" >&2
    tail -n 5 "$work/log" >&2 || true
    # Switched off by the guest, or by GRUB, which could not load the kernel.
    grep -q -E 'shutdown requested|soft power off' "$work/log" 2>/dev/null || fail 5 "Bochs ended by itself, with status $status"
    fail 3 "Linux did not finish the checks"
fi
exit "$ended"
