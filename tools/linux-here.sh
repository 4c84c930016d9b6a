#!/bin/bash
# Run the kernel as a Linux process (run-here.sh) below Debian's own Linux in Bochs with a modelled PMU: where a machine's own
# counters are not to be had, this shows how they are counted through Linux. What is missing on this machine is installed first.
#
#   tools/linux-here.sh [OPTION...]
#
#   --cpu CPU           the processor: one of those below (default skylake)
#   --append "WORDS"    the kernel's command line, such as "bench=truth"
#   --module FILE       hand this file to the kernel: may be repeated
#   --linux "WORDS"     further words for Linux, such as nmi_watchdog=1
#   --kernel FILE       this bzImage (default: Debian 12's for 64 bits, tools/linux-kernel.sh)
#   -o FILE             where the records go (default build/run/records.jsonl)
#   --timeout S         give up after S seconds (default 300)
#   --no-install        do not install packages: list those that are missing, and exit with 5
#   -h, --help          this text
#
# build/here is Linux' init, alone with its modules. Prints its text; its records go to the file.
# Exit status: that of the kernel's end record (0 done, 1 a benchmark failed, 2 wrong words), 2 wrong command line, 3 Linux did not
# get as far, 5 packages, kernel, build or emulator failed, 124 time-out.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/run-common.sh"
. "$root/tools/bochs-machine.sh"
. "$root/tools/linux-guest.sh"

cpu=skylake words='' linux='' kernel='' records_file=$root/build/run/records.jsonl limit=300 modules=()
NO_INSTALL=${NO_INSTALL:-0}
# With Linux' own driver for the counters, and long mode.
cpus=''
for name in $(model_names p6 arch amd); do [[ $(bochs_flavours "$name") != *x86_64* ]] || cpus+=" $name"; done

while [ $# -gt 0 ]; do
    case $1 in
    --cpu=* | --append=* | --module=* | --linux=* | --kernel=* | --timeout=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    esac
    case $1 in
    --cpu | --append | --module | --linux | --kernel | -o | --timeout)
        [ $# -ge 2 ] || wrong "$1 needs a value"
        case $1 in
        --cpu) cpu=$2 ;;
        --append) words=$2 ;;
        --module) module_option "$2" ;;
        --linux) linux=$2 ;;
        --kernel) kernel=$2 ;;
        -o) records_file=$2 ;;
        --timeout) limit=$2 ;;
        esac
        shift
        ;;
    --no-install) NO_INSTALL=1 ;;
    -h | --help)
        usage
        echo "Processors:$cpus"
        exit 0
        ;;
    *) stray_argument "$1" ;;
    esac
    shift
done
[[ "$cpus " = *" $cpu "* ]] || wrong "--cpu is one of$cpus, not $cpu"
check_limit
if [ -n "$kernel" ]; then
    { [ -f "$kernel" ] && [ -r "$kernel" ]; } || wrong "cannot read $kernel"
    kernel=$(realpath "$kernel")
fi
open_records
cd "$root"

need build iso sim
build build/here build/events.db build/bochs/bochs
[ -n "$kernel" ] || kernel=$(tools/linux-kernel.sh --bits 64) || exit 5
make_work

strip -o "$work/init" build/here
files=("init=$work/init" events.db=build/events.db)
arguments='--init --module /events.db'
for i in "${!modules[@]}"; do
    files+=("$i.mod=${modules[i]}")
    arguments+=" --module /$i.mod"
done
# Linux hands on what is behind --; memory is the process's pool, and the initramfs twice.
linux_image "$kernel" "$linux -- $arguments ${words//[$'\t\n']/ }" "${files[@]}"
megs=256 bochsrc "$work" "$(bochs_model "$cpu")" nogui 20000000 "$work/linux.iso" cdrom
export ANECHOIC_SIM="$cpu" ANECHOIC_SIM_ERRATA='' ANECHOIC_ORACLE='' ANECHOIC_BRACKET='' ANECHOIC_HISTOGRAM='' ANECHOIC_TRACE=''
show_serial
timeout --foreground -k 5 "$limit" build/bochs/bochs -q -f "$work/bochsrc" </dev/null >"$work/out" 2>&1 &
finish_emulator
collect_records
[ -n "$ended" ] || {
    tail -n 5 "$work/out" >&2
    fail 3 "the process has written no end record"
}
exit "$ended"
