#!/bin/bash
# The speed of the instrumented Bochs relative to the same Bochs without instrumentation, part of `make bench`: a guest
# (tools/bench-sim.S) runs two loops with all counters off and again with one on, in either Bochs in turn.
#
#   tools/bench-sim.sh [BOCHS]
#
# BOCHS is the instrumented one (default build/bochs/bochs). Environment: BUILD (default build), RUNS (default 5),
# CPUS (default "p5 p3").
#
# Processor time of Bochs is compared, by its median, so that other load on the machine does not matter. Prints a table
# and a verdict for each promised figure: idle at least 0.85 of the plain Bochs, counting at least 0.40.
# Exit status: 0 measured (whatever the verdicts), 5 something could not be built or run.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
. tools/bochs-machine.sh
build=${BUILD:-build}
runs=${RUNS:-5}
bochs=${1:-$build/bochs/bochs}
plain=$(tools/bochs.sh --plain)/bochs || exit 5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

mkdir -p "$work/i586"
gcc -m32 -nostdlib -static -Wl,--build-id=none,-z,noexecstack,-Ttext=0x100000,--section-start=.multiboot=0xff000 \
    -Wl,-e,entry -o "$work/i586/anechoic.elf" tools/bench-sim.S || exit 5
tools/mkiso.sh --build "$work" --flavour i586 --multiboot1 --append bench "$work/bench.iso" || exit 5
mkfifo "$work/serial"

# run KIND BOCHS MODEL: the loops' times, in milliseconds, one after the other, on a line of $work/KIND.
run() {
    local pid line last=0 now stat times=''
    bochsrc "$work" "$3" nogui 10000000 "$work/bench.iso"
    "$2" -q -f "$work/bochsrc" >"$work/out" 2>&1 </dev/null 8>"$work/serial" &
    pid=$!
    while read -r line; do
        # utime is the 14th field, the 12th after the program's name, in hundredths of a second.
        stat=$(sed 's/.*) //' "/proc/$pid/stat")
        read -ra stat <<<"$stat"
        now=$((stat[11] * 10))
        case ${line%$'\r'} in
        *'<') last=$now ;;
        *'>') times="$times $((now - last))" ;;
        esac
    done <"$work/serial"
    wait "$pid" || true
    if [ "$(wc -w <<<"$times")" != 4 ]; then
        tail -n 5 "$work/log" >&2
        echo "bench-sim: $2 did not run the guest to its end" >&2
        exit 5
    fi
    echo "$times" >>"$work/$1"
}

# median KIND COLUMN
median() { awk -v c="$2" '{ print $c }' "$work/$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

printf '%-6s%-10s%12s%12s%12s%8s%10s\n' CPU loop 'plain ms' 'idle ms' 'counting ms' idle counting
for cpu in ${CPUS:-p5 p3}; do
    case $cpu in
    p5) model=pentium ;;
    p3) model=p3_katmai ;;
    *)
        echo "bench-sim: CPUS are p5 and p3, not $cpu" >&2
        exit 5
        ;;
    esac
    rm -f "$work/plain" "$work/instrumented"
    for ((k = 0; k < runs; k++)); do
        ANECHOIC_SIM='' run plain "$plain" $model
        ANECHOIC_SIM=$cpu run instrumented "$bochs" $model
    done
    for loop in 1:simple 2:mixed; do
        column=${loop%%:*}
        printf '%s %s %s %s %s\n' "$cpu" "${loop#*:}" "$(median plain "$column")" "$(median instrumented "$column")" \
            "$(median instrumented $((column + 2)))"
    done
done | awk '{
    idle = $3 / $4; counting = $3 / $5
    printf "%-6s%-10s%12d%12d%12d%8.2f%10.2f  %s, %s\n", $1, $2, $3, $4, $5, idle, counting,
        (idle >= 0.85 ? "idle ok" : "idle TOO SLOW"), (counting >= 0.40 ? "counting ok" : "counting TOO SLOW")
}'
