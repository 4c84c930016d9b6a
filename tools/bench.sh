#!/usr/bin/env bash
# The project's own figures, each beside its limit. Usage: tools/bench.sh (or make bench)
# Times are medians, measured in turn with a kernel that ends at once, since machines differ and are shared: the
# ratio is the figure, not the seconds.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
runs=${RUNS:-11}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

row() { printf '%-62s %14s   %s\n' "$1" "$2" "$3"; } # what, figure, limit
heading() { printf '\n%s\n' "$1"; }
median() { sort -n | awk '{ v[NR] = $1 } END { printf "%.3f", v[int((NR + 1) / 2)] }'; }
now() { date +%s.%N; }

boot() { # boot KERNEL WORDS...: QEMU as run-qemu.sh starts it
    local kernel=$1
    shift
    qemu-system-x86_64 -nodefaults -no-user-config -vga std -display none -no-reboot -m 256 -cpu max \
        -device isa-debug-exit,iobase=0xf4,iosize=4 -serial "file:$work/serial" -kernel "$kernel" -append "exit=qemu $*" \
        $icount >/dev/null 2>&1 || true
}
icount=''
seconds() { local t; t=$(now); boot "$@"; echo "$t $(now)" | awk '{ print $2 - $1 }'; }

heading "start: qemu -kernel to the end record, the three benchmarks; $runs runs in turn"
for flavour in i586 x86_64; do
    : >"$work/ours"; : >"$work/exit"; : >"$work/ratio"
    for _ in $(seq "$runs"); do
        a=$(seconds "$build/boot/exit.elf")
        b=$(seconds "$build/$flavour/anechoic.elf")
        grep -aq '"t":"end".*"status":0' "$work/serial" || { echo "bench: the run failed" >&2; exit 1; }
        echo "$a" >>"$work/exit"; echo "$b" >>"$work/ours"
        echo "$b $a" | awk '{ print $1 / $2 }' >>"$work/ratio"
    done
    row "$flavour, seconds" "$(median <"$work/ours")" "1.0"
    row "$flavour, times the kernel that ends at once ($(median <"$work/exit") s)" "$(median <"$work/ratio")" "3"
done

heading "sizes, bytes"
for flavour in i586 x86_64; do
    row "$flavour kernel, text + data" "$(size "$build/$flavour/kernel.elf" | awk 'NR == 2 { print $1 + $2 }')" 163840
done
row "ISO" "$(stat -c %s "$build/anechoic.iso")" 6000000

heading "build"
start=$(now)
make -s -j"$(nproc)" BUILD="$work/build" kernels >/dev/null
row "clean build of both kernels without newlib, seconds" "$(echo "$start $(now)" | awk '{ printf "%.1f", $2 - $1 }')" 10

heading "exactness: instructions, as QEMU's -icount shift=0 counts them"
# Between the two RDTSC of each bracket, in the disassembly (the payload's RET is added).
for flavour in i586 x86_64; do
    objdump -d --no-show-raw-insn "$build/$flavour/kernel.elf" | awk -v flavour="$flavour" '
        /^[0-9a-f]+ <.*_(call|back)>:/ { next } # labels inside a bracket
        /^[0-9a-f]+ </ { name = $2; gsub(/[<>:]/, "", name); n = -1; if (name !~ /^bracket_[a-z]*$/) name = ""; next }
        name && /\trdtsc/ { if (n >= 0) { print flavour, name, n + 1; name = "" } else n = 0; next }
        name && n >= 0 && /\t/ { n++ }' >>"$work/brackets"
done
while read -r flavour name n; do row "$flavour $name, empty, in the disassembly" "$n" 8; done <"$work/brackets"
icount='-icount shift=0,sleep=off -rtc base=2020-01-01,clock=vm -seed 1'
records() { tr -d '\r' <"$work/serial" | grep -a '^{"n".*"t":"result"'; }
boot "$build/x86_64/anechoic.elf" bench=empty,test_1000,fwq:quanta=100000 reps=1000
row "empty, raw ticks (one RDTSC among them)" "$(records | jq -r 'select(.bench=="empty").raw_min')" 9
row "empty, largest corrected value of 1000" "$(records | jq -r 'select(.bench=="empty").max')" 0
row "1,000 instructions, least of 1000" "$(records | jq -r 'select(.bench=="test_1000").min')" 1000
row "1,000 instructions, most of 1000" "$(records | jq -r 'select(.bench=="test_1000").max')" 1000
row "fwq, late quanta of 100,000 (over the least)" "$(records | jq -r 'select(.bench=="fwq").fwq.late_min')" 0
