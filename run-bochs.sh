#!/bin/bash
# Build the kernel and boot it in Bochs with a modelled PMU; what is missing on this machine is installed first.
#
#   ./run-bochs.sh --cpu CPU [OPTION...]
#
#   --cpu CPU           p5 (Pentium), p55c (Pentium MMX), ppro (Pentium Pro), p2 (Pentium II) or p3 (Pentium III)
#   --append "WORDS"    the kernel's command line; without an exit= word, exit=bochs is put in front
#   -o FILE             where the records go (default build/run/records.jsonl)
#   --stock             Debian's own Bochs, which has no PMU (and no Pentium Pro)
#   --errata LIST       errata of the CPU that the model shall have, separated by commas
#   --oracle FILE       one JSON line for each pass through a bracket: what the instructions in it did
#   --bracket LIST      the brackets, LABEL=FROM:TO separated by commas, with the kernel's symbols or hexadecimal
#                       addresses (see sim/bochs/bracket.cc; default: every payload, without its CALL and RET)
#   --histogram LIST    the oracle counts these events by instruction address, too
#   --timeout S         give up after S seconds (default 120)
#   --no-install        do not install packages: list those that are missing, and exit with 5
#   -h, --help          this text
#
# The first run builds Bochs into the cache (tools/bochs.sh), which takes some minutes. Shows the kernel's text as it
# comes; its records, the lines that begin with {, go to the file.
# Exit status: 0 done, 1 a benchmark failed, 2 the command line was wrong (the kernel's or this one), 3 the kernel
# could not run or panicked, 4 what was asked for cannot be had, 5 packages, build or emulator failed, 124 time-out.
set -eu

root=$(cd "$(dirname "$0")" && pwd)
. "$root/tools/run-common.sh"

cpu='' words='' stock=no errata='' oracle='' brackets='' histogram=''
records_file=$root/build/run/records.jsonl limit=120
NO_INSTALL=${NO_INSTALL:-0}

while [ $# -gt 0 ]; do
    case $1 in
    --cpu=* | --append=* | --errata=* | --oracle=* | --bracket=* | --histogram=* | --timeout=*)
        set -- "${1%%=*}" "${1#*=}" "${@:2}" # --option=value is --option value
        ;;
    esac
    case $1 in
    --cpu | --append | -o | --errata | --oracle | --bracket | --histogram | --timeout)
        [ $# -ge 2 ] || wrong "$1 wants a value"
        case $1 in
        --cpu) cpu=$2 ;;
        --append) words=$2 ;;
        -o) records_file=$2 ;;
        --errata) errata=$2 ;;
        --oracle) oracle=$2 ;;
        --bracket) brackets=$2 ;;
        --histogram) histogram=$2 ;;
        --timeout) limit=$2 ;;
        esac
        shift
        ;;
    --stock) stock=yes ;;
    --no-install) NO_INSTALL=1 ;;
    -h | --help)
        usage
        exit 0
        ;;
    *) wrong "unknown option $1" ;;
    esac
    shift
done

# Bochs has no Pentium Pro: a Pentium II without what that added, and the model's CPUID.
case $cpu in
p5) model=pentium ;;
p55c) model=pentium_mmx ;;
ppro) model='p2_klamath, exclude_features="mmx,sysenter_sysexit"' ;;
p2) model=p2_klamath ;;
p3) model=p3_katmai ;;
'') wrong "which CPU? --cpu p5, p55c, ppro, p2 or p3" ;;
*) wrong "--cpu is p5, p55c, ppro, p2 or p3, not $cpu" ;;
esac
check_limit
if [ $stock = yes ]; then
    [ "$cpu" != ppro ] || fail 4 "Debian's Bochs has no Pentium Pro; without --stock there is one"
    [ -z "$errata$oracle$brackets$histogram" ] || wrong "--stock has no model, so no errata and no oracle"
fi
[ -n "$oracle" ] || [ -z "$brackets$histogram" ] || wrong "--bracket and --histogram want --oracle FILE"
exit_word exit=bochs
open_records
if [ -n "$oracle" ]; then
    { mkdir -p "$(dirname "$oracle")" && : >"$oracle"; } || wrong "cannot write $oracle"
    oracle=$(realpath "$oracle")
fi
cd "$root"

if [ $stock = yes ]; then
    need build iso bochs
    build build/i586/anechoic.elf
    bochs=(bochs-bin)
    display='rfb, options="timeout=0"' # nogui is not there; nobody has to look
else
    need build iso sim
    build build/i586/anechoic.elf build/bochs/bochs
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
    found=$(nm build/i586/anechoic.elf | awk -v name="$1" '$3 == name { print $1 }')
    [ -n "$found" ] || return 1
    echo "$found"
}

# resolve LIST: the brackets with addresses instead of symbols.
resolve() {
    local bracket label from to call out='' part
    for bracket in ${1//,/ }; do
        label=${bracket%%=*} part=${bracket#*=}
        [[ $bracket = ?*=?*:?* ]] || wrong "--bracket: LABEL=FROM:TO wanted, not $bracket"
        from=${part%%:*} to=${part#*:} call=''
        [[ $from != call@* ]] || call=call@ from=${from#call@}
        from=$(address "$from") || wrong "--bracket: the kernel has no symbol ${part%%:*}"
        [ "$to" = ret ] || to=$(address "$to") || wrong "--bracket: the kernel has no symbol ${part#*:}"
        out="$out${out:+,}$label=$call$from:$to"
    done
    echo "$out"
}

if [ -n "$oracle" ]; then
    # The kernel's brackets carry a symbol at the CALL of their payload.
    [ -n "$brackets" ] || brackets=$(nm build/i586/anechoic.elf |
        awk '$3 ~ /^bracket_.*_call$/ { printf "%spayload=call@%s:ret", comma, $1; comma = "," }')
    [ -n "$brackets" ] || fail 5 "the kernel has no symbols bracket_..._call for the oracle"
    brackets=$(resolve "$brackets") || exit
fi

tools/mkiso.sh --flavour i586 --append "$words" "$work/anechoic.iso" || fail 5 "the image could not be made"

# Bochs's clock is one tick an instruction: at 10 million a second the serial line, the timers and the calibrations
# against them take few of them, and it is all the same to what is counted.
cat >"$work/bochsrc" <<RC
plugin_ctrl: unmapped=1, biosdev=1, speaker=0
config_interface: textconfig
display_library: $display
cpu: model=$model, count=1, ips=10000000, reset_on_triple_fault=0
clock: sync=none, time0=946684800
megs: 128
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path=$work/anechoic.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$work/serial
log: $work/log
panic: action=fatal
error: action=report
info: action=ignore
RC

if [ $stock = no ]; then
    export ANECHOIC_SIM="$cpu" ANECHOIC_SIM_ERRATA="$errata" ANECHOIC_ORACLE="$oracle" \
        ANECHOIC_BRACKET="$brackets" ANECHOIC_HISTOGRAM="$histogram"
fi
show_serial
# Bochs opens the serial line's file when the first byte comes: held open here, so that the reader sees its end also
# without one. Debian's has a debugger, which wants to be told to continue.
echo c >"$work/debugger"
timeout --foreground -k 5 "$limit" "${bochs[@]}" -q -f "$work/bochsrc" <"$work/debugger" >"$work/out" 2>&1 \
    8>"$work/serial" &
finish_emulator
collect_records

# Bochs ends with 1 even when the kernel switched it off; 2 is the glue's, for a wrong value. What the kernel came to
# stands in its last record, or without records in its last line.
[ -n "$ended" ] || ended=$(tail -n 1 "$work/raw" | LC_ALL=C sed -n -E 's/.*[ ,]status ([0-3])\r?$/\1/p')
if [ "$status" = 2 ] && grep -q '^anechoic:' "$work/out"; then
    grep '^anechoic:' "$work/out" >&2
    exit 2
fi
if [ -z "$ended" ] || { [ ! -e "$work/switched-off" ] && ! grep -q 'shutdown requested' "$work/log" 2>/dev/null; }; then
    tail -n 5 "$work/out" >&2
    tail -n 10 "$work/log" >&2 || true
    fail 5 "Bochs ended with status $status, and not through the kernel's exit"
fi
exit "$ended"
