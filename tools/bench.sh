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

row() { # row NAME FIGURE LIMIT
    case $2 in '' | null) echo "bench: $1: no figure" >&2; exit 1 ;; esac
    printf '%-62s %14s   %s\n' "$1" "$2" "$3"
}
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

heading "start in Bochs: processor time of run-bochs.sh and all that it runs, bench=empty; median of 5"
for cpu in p5 skylake; do
    : >"$work/start"
    for _ in 1 2 3 4 5; do
        (TIMEFORMAT='%U %S' && time ./run-bochs.sh --no-install --no-build --cpu $cpu -o "$work/records" --append bench=empty >/dev/null) \
            2>&1 | awk '{ print $1 + $2 }' >>"$work/start"
        grep -q '"t":"end".*"status":0' "$work/records" || { echo "bench: the run failed" >&2; exit 1; }
    done
    row "$cpu, seconds" "$(median <"$work/start")" 0.6
done

heading "sizes, bytes"
for flavour in i586 x86_64; do
    row "$flavour kernel, text + data" "$(size "$build/$flavour/kernel.elf" | awk 'NR == 2 { print $1 + $2 }')" 720896
done
row "ISO" "$(stat -c %s "$build/anechoic.iso")" 6000000

heading "other processors"
# As many as QEMU starts; guest time, which here is the host's.
for flavour in i586 x86_64; do
    icount='-smp 255' boot "$build/$flavour/anechoic.elf" cpus=all bench=empty
    record=$(grep -a '"t":"processors"' "$work/serial" | tr -d '\r')
    row "$flavour, processors that run" "$(jq .up <<<"$record")" 255
    row "$flavour, seconds until they do" "$(jq '.start_ms / 1000 * 1000 | round / 1000' <<<"$record")" 2
done
row "memory of each, bytes" "$(jq .bytes_each <<<"$record")" 65536
# Differences of the repetitions' raw values beside seven at rest, and alone.
alone=$(mktemp -p "$work") beside=$(mktemp -p "$work")
icount='-smp 8 -icount shift=0,sleep=off'
boot "$build/x86_64/anechoic.elf" bench=fp_add_latency,l1_miss,stride_thrash all=1
grep -a '"t":"reps"' "$work/serial" | jq -c '[.bench, .variant, .raw]' >"$alone"
boot "$build/x86_64/anechoic.elf" cpus=8 rest=hlt bench=fp_add_latency,l1_miss,stride_thrash all=1
grep -a '"t":"reps"' "$work/serial" | jq -c '[.bench, .variant, .raw]' >"$beside"
[ -s "$alone" ] || { echo "bench: the run failed" >&2; exit 1; }
row "repetitions beside seven that rest, lines that differ from alone" "$(diff "$alone" "$beside" | grep -c '^[<>]' || true)" 0
icount=''

heading "build"
start=$(now)
make -s -j"$(nproc)" BUILD="$work/build" kernels >/dev/null
row "clean build of both kernels without newlib, seconds" "$(echo "$start $(now)" | awk '{ printf "%.1f", $2 - $1 }')" 10

heading "exactness: instructions, as QEMU's -icount shift=0 counts them"
# Between the two RDTSC of each bracket, in the disassembly (the payload's RET is added).
for flavour in i586 x86_64; do
    objdump -d --no-show-raw-insn "$build/$flavour/kernel.elf" | awk -v flavour="$flavour" '
        /^[0-9a-f]+ <.*_(call|back)>:/ { next } # labels inside a bracket
        /^[0-9a-f]+ </ { name = $2; gsub(/[<>:]/, "", name); n = -1; if (name !~ /^bracket_[a-z]*$/ || name == "bracket_many") name = ""; next }
        name && /\trdtsc/ { if (n >= 0) { print flavour, name, n + 1; name = "" } else n = 0; next }
        name && n >= 0 && /\t/ { n++ }' >>"$work/brackets"
done
while read -r flavour name n; do row "$flavour $name, empty, in the disassembly" "$n" 8; done <"$work/brackets"
# bracket_many, serialised by CPUID, and what it calls: the slots of so many counters, fences, payload.
for flavour in i586 x86_64; do
    for n in 3 18; do
        count=$(objdump -d --no-show-raw-insn "$build/$flavour/kernel.elf" | awk -v n="$n" '
            /^[0-9a-f]+ <.*_(call|back|start_[0-9]+|end_[0-9]+)>:/ { next }
            /^[0-9a-f]+ </ { name = $2; gsub(/[<>:]/, "", name); next }
            !/\t/ { next }
            name == "bracket_many" && /\trdtsc/ { inside = !inside; next }
            name == "bracket_many" { total += inside }
            name ~ /^slots_(start|end)$/ && !/\t(ret|nop|xchg|lea|cs)/ { slots++ }
            name == "slots_cpuid" { total++ }
            END { print total + slots / 18 * n + 2 + 1 + 1 + 1 }') # RETs: both slots', the fences', the payload's
        row "$flavour bracket_many, empty, $n counters, in the disassembly" "$count" "$((8 * n + 20))"
    done
done
icount='-icount shift=0,sleep=off -rtc base=2020-01-01,clock=vm -seed 1'
records() { tr -d '\r' <"$work/serial" | grep -a '^{"n".*"t":"result"'; }
boot "$build/x86_64/anechoic.elf" bench=empty,test_1000,fwq:quanta=100000 reps=1000
row "empty, raw ticks (one RDTSC among them)" "$(records | jq -r 'select(.bench=="empty").raw_min')" 9
row "empty, largest corrected value of 1000" "$(records | jq -r 'select(.bench=="empty").max')" 0
row "1,000 instructions, least of 1000" "$(records | jq -r 'select(.bench=="test_1000").min')" 1000
row "1,000 instructions, most of 1000" "$(records | jq -r 'select(.bench=="test_1000").max')" 1000
row "fwq, late quanta of 100,000 (over the least)" "$(records | jq -r 'select(.bench=="fwq").fwq.late_min')" 0

heading "snippets: 12,000 of 1 to 4 instructions in one boot, 100 and 200 copies, 10 repetitions"
icount=''
"$build/tests/mkmodule" "$work/snippets" 64 --count 12000 4 480fafc3
start=$(now)
./run-qemu.sh --no-install --no-build --timeout 600 --module "$work/snippets" -o "$work/records" --append "bench=code reps=10 text=none" >/dev/null
row "seconds" "$(echo "$start $(now)" | awk '{ printf "%.1f", $2 - $1 }')" 60
row "results" "$(jq -n '[inputs | select(.t == "result")] | length' "$work/records")" 12000

heading "a line of assembly: anechoic code nop, from Enter to the answer, when built; median of 5"
for on in bochs:skylake bochs:p5 qemu; do
    : >"$work/nop"
    for _ in 1 2 3 4 5; do
        start=$(now)
        "$build/host/anechoic" code --on $on -x --no-install nop >"$work/output"
        echo "$start $(now)" | awk '{ print $2 - $1 }' >>"$work/nop"
        grep -q ': 1\.00$' "$work/output" || { echo "bench: anechoic code nop on $on: $(cat "$work/output")" >&2; exit 1; }
    done
    row "$on, seconds" "$(median <"$work/nop")" 3
done

heading "looking up an event: instructions of pmu_event_parse() on the model, as the oracle counts them"
# What a machine of 50 MIPS does in 1 ms. Every name that events=list has, by itself and with each of its unit masks; so many in
# one boot that the line stays below 4096 bytes and 64 events. The last word is a typo, for which nothing is run.
limit=50000
typed() { # typed CPU WORD...: NUMBER WORD for each
    local cpu=$1 status=0
    shift
    ./run-bochs.sh --no-install --cpu "$cpu" --oracle "$work/oracle" --bracket look=pmu_event_parse:ret -o "$work/records" \
        --append "bench=empty events=$(IFS=,; echo "$*")" >"$work/output" 2>&1 || status=$?
    [ $status = 2 ] || { echo "bench: $cpu, a line with a typo: exit status $status" >&2; return 1; }
    paste -d ' ' <(jq .insns "$work/oracle" | tail -n $#) <(printf '%s\n' "$@")
}
names() { # names CPU: all that it has; absent words are skipped without a look-up
    ./run-bochs.sh --no-install --cpu "$1" -o "$work/records" --append events=list >"$work/output" 2>&1 || return
    jq -r 'select(.t == "event" and .stands_for != "absent") | .event, .event + ":" + .umasks[]?' "$work/records"
}
for cpu in skylake willamette; do
    names $cpu >"$work/names"
    middle=$(sort "$work/names" | sed -n "$((($(wc -l <"$work/names") + 1) / 2))p")
    typo=$(sed -n '/^[a-z0-9_]\{10,40\}$/p' "$work/names" | tail -n 1 | sed 's/\(.....\)./\1/')
    : >"$work/found"
    while read -ra words; do typed $cpu "${words[@]}" "$typo" >>"$work/found"; done < <(
        awk '{ if (n == 60 || length(line) + length($0) > 3800) { print line; line = ""; n = 0 } line = line (n++ ? " " : "") $0 } END { print line }' \
            "$work/names")
    grep -vF " $typo" "$work/found" | sort -n >"$work/sorted"
    [ "$(wc -l <"$work/sorted")" = "$(wc -l <"$work/names")" ] || { echo "bench: names of $cpu were lost" >&2; exit 1; }
    row "$cpu, $middle" "$(awk -v name="$middle" '$2 == name { print $1; exit }' "$work/sorted")" $limit
    row "$cpu, the worst of $(wc -l <"$work/sorted"): $(tail -n 1 "$work/sorted" | cut -d ' ' -f 2)" "$(tail -n 1 "$work/sorted" | cut -d ' ' -f 1)" $limit
    row "$cpu, a typo ($typo), with the names that are near" "$(sed -n "s/ $typo$//p" "$work/found" | head -n 1)" -
done

heading "sampling: instructions of the model"
sampled() { # sampled CPU WORD...: the record
    ./run-bochs.sh --no-install --cpu "$1" --oracle "$work/oracle" --bracket fold=pebs_drain:ret -o "$work/records" \
        --append "ring=3 reps=1 warmup=0 ${*:2}" >"$work/output" 2>&1 || { cat "$work/output" >&2; return 1; }
    jq -c 'select(.t == "sampling")' "$work/records"
}
for cpu in p3 willamette skylake k8 zen4; do
    row "$cpu, a sample by interrupt" "$(sampled $cpu bench=stride_thrash:n=100000 sample=pmi events=instructions:u period=999 | jq '.handler_instructions | round')" 100
done
for cpu in zen4 bulldozer; do
    row "$cpu, a sample of IBS, on average" "$(sampled $cpu bench=l1_miss sample=ibs period=1008 | jq '.handler_instructions | round')" 100
done
for on in haswell skylake icelake; do
    record=$(sampled $on bench=stride_thrash:n=40000 sample=pebs events=r01cd:u latency=3 period=7 buffer=1000 samples=1000)
    row "$on, interrupts of 1,000 PEBS records" "$(jq .interrupts <<<"$record")" 1
    row "$on, folding one with an access" "$(jq -s 'map(.insns) | max / 1000 * 10 | round / 10' "$work/oracle")" 40
done
