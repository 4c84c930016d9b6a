#!/bin/bash
# Build the kernel as a Linux process and run it on this machine's own processor, at ring 3. Missing packages are installed first.
#
#   ./run-here.sh [OPTION...]
#
#   --flavour F         x86_64, the default, and the only one that a process can be
#   --append "WORDS"    the kernel's command line, such as "bench=all reps=100"; docs/here.md says what is refused
#   --module FILE       hand this file to the kernel, such as one with snippets (docs/code.md): may be repeated
#   -i, --interactive   type at the kernel's prompt (docs/monitor.md), on this terminal; exit=monitor is put in front unless WORDS
#                       hold an exit= word; no time limit but a given one
#   -o FILE             where the records go (default build/run/records.jsonl)
#   --timeout S         give up after S seconds (default 120)
#   --raw               print the records as well, as they come, for programs such as anechoic run
#   --no-install        do not install missing packages: name them and exit with 5
#   --no-build          run what was built before, as it is
#   -h, --help          this text
#
# Prints the kernel's text as it comes. Its records, the lines that begin with {, go to the file. Nothing is booted and nothing of
# the machine is changed; what Linux does in between is told with the results.
# Exit status: 0 done, 1 a benchmark failed or found nothing, 2 wrong command line (the kernel's or this one), 3 the kernel could not
# run or panicked, 4 this machine is no x86-64, 5 packages or the build failed, 124 no end before the time limit.
set -eu

root=$(cd "$(dirname "$0")" && pwd)
. "$root/tools/run-common.sh"

words='' records_file=$root/build/run/records.jsonl limit='' raw=no interactive=no modules=()
NO_INSTALL=${NO_INSTALL:-0} NO_BUILD=${NO_BUILD:-0}

while [ $# -gt 0 ]; do
    case $1 in
    --append=* | --timeout=* | --module=* | --flavour=* | --accel=* | --cpu=* | --smp=* | --image=* | --pxe=* | --mac=* | --choose=* | --secure-boot=* | --qemu-arg=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;; # --option=value is --option value
    esac
    case $1 in
    --append | -o | --timeout | --module | --flavour)
        [ $# -ge 2 ] || wrong "$1 needs a value"
        case $1 in
        --flavour) [ "$2" = x86_64 ] || wrong "--flavour is x86_64 here, not $2; ./run-qemu.sh has i586, too" ;;
        --append) words=$2 ;;
        --module) module_option "$2" ;;
        -o) records_file=$2 ;;
        --timeout) limit=$2 ;;
        esac
        shift
        ;;
    -i | --interactive) interactive=yes ;;
    --raw) raw=yes ;;
    --no-install) NO_INSTALL=1 ;;
    --no-build) NO_BUILD=1 ;;
    -h | --help)
        usage
        exit 0
        ;;
    --accel | --cpu | --smp | --iso | --usb | --floppy | --image | --pxe | --ipxe | --mac | --choose | --uefi | --uefi=* | --secure-boot | \
        --multiboot1 | --icount | --qemu-arg) wrong "$1 is an emulator's option: this runs on the machine's own processor; ./run-qemu.sh has it" ;;
    *) stray_argument "$1" ;;
    esac
    shift
done

check_interactive
check_limit
[ "$(uname -sm)" = 'Linux x86_64' ] || fail 4 "this is $(uname -sm); the kernel runs here on Linux x86_64 alone"
open_records
cd "$root"
! builds || need build
build build/here build/events.db
make_work

arguments=(--module build/events.db)
for file in "${modules[@]}"; do arguments+=(--module "$file"); done
[ $interactive = no ] || exit_word exit=monitor
read -r -a line <<<"${words//[$'\t\n']/ }"

if [ $interactive = yes ]; then
    [ -z "$terminal_was" ] || stty -icanon -echo min 1 <&"$terminal"
    set +e
    timeout --foreground -k 5 "$limit" build/here "${arguments[@]}" --prompt "$work/serial" "${line[@]}" <&"$terminal"
    status=$?
    set -e
    : >"$work/stderr"
    collect_records
    [ -n "$ended" ] || fail 3 "the process ended before its end record (status $status)"
    exit "$status"
fi

# Both ends of the pipe are this script's: no line is lost if the process is killed.
show=(grep --line-buffered -a -v '^{')
[ $raw = no ] || show=(cat)
set +e
timeout --foreground -k 5 "$limit" build/here "${arguments[@]}" "${line[@]}" 2>"$work/stderr" | tee "$work/serial" | "${show[@]}"
status=${PIPESTATUS[0]}
set -e
# timeout says 137 also where somebody else has killed the process.
[ "$status" != 137 ] || [ "$SECONDS" -ge "$limit" ] || status=killed
cat "$work/stderr" >&2
collect_records
[ -n "$ended" ] || [[ " $words " = *" records=none "* ]] || fail 3 "the process ended before its end record (status $status)"
exit "$status"
