# Unexpected interrupts, and local APICs as firmware may leave them (tests/boot/loader.c): disabled, in x2APIC
# mode, with interrupts in service. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2261

for f in i586 x86_64; do
    # Six unused vectors, among them both of the 8259s' spurious ones and the APIC's.
    boot "stray-vectors-$f" 0 "--flavour $f --append 'bench=test_strays,stride_thrash ring=0 warmup=0 reps=1'" 'strays(6)' \
        'results | length == 2 and (.[0].flags | index("stray"))'
    # An NMI where GS is not the kernel's.
    boot "stray-nmi-$f" 0 "--flavour $f --append 'bench=test_nmi,stride_thrash ring=0 warmup=0 reps=1'" 'strays(1)' \
        'results | length == 2'
    # A fault there, after which the kernel's own traps and per-CPU block are as before.
    boot "stray-gs-$f" 1 "--flavour $f --append 'bench=test_gs,test_ud,stride_thrash ring=0 warmup=0 reps=1'" \
        '[errors[].bench] == ["test_gs","test_ud"]' 'results | length == 1'
    # A device's interrupt of our own class while a timer samples (each of the two passes of a run has its ten repetitions,
    # with interrupts enabled in the second only), and one of another class, which waits.
    boot "stray-class-$f" 0 "--flavour $f --icount --append 'bench=test_self,stride_thrash:n=1000000 ring=0 warmup=0 reps=10 \
        sample=timer timer=apic samples=300'" 'samplings | length == 2 and all(.samples >= 150 and .samples <= 600)' \
        '[notes("interrupts")[].message] | length == 2 and any(startswith("vector 69 is pending"))'
done

# left NAME FLAVOUR MODE WORDS STATUS CONDITION...: QEMU's local APIC as it is left.
left() {
    local name=$1 flavour=$2 mode=$3 words=$4 want=$5 status
    shift 5
    status=$(qemu "$name" "" -m 128 -icount shift=0 -serial "file:$dir/$name.com1" -kernel build/boot/loader.elf \
        -initrd "build/$flavour/anechoic.elf" -append "$mode exit=qemu $words" </dev/null)
    records_of "$dir/$name.com1" "$dir/$name.jsonl"
    judge "$name" "$want" "$status" "$@"
}
left_boot() { selected "$1" && background left "$@"; }

for f in i586 x86_64; do
    # One of the highest class in service, one that waits, and a task priority above all.
    left_boot "apic-in-service-$f" $f inservice 'bench=stride_thrash:n=1000000 reps=10 sample=timer timer=apic samples=300' 0 \
        'samplings | length == 1 and .[0].samples >= 150' 'apic_note("^2 interrupts were still in service or pending")' \
        'notes("interrupts") == []'
    left_boot "apic-off-$f" $f apicoff 'bench=stride_thrash:n=1000000 reps=10 sample=timer samples=300' 0 '.[1].apic == "disabled"' \
        'apic_note("the firmware disabled the local APIC: .*; apic=on enables it")' 'samplings | .[0].unit == "pit-clocks" and .[0].samples >= 5'
    # Before version 9 QEMU's cannot be enabled any more, like a P6's.
    usual_for x86_64 $f left_boot "apic-off-on-$f" $f apicoff 'apic=on bench=empty' 0 \
        '[notes("apic")[].message] as $notes | .[1].apic as $apic
            | {disabled: "could not enable it", xapic: "apic=on has enabled it"}[$apic] as $said | $notes | length == 1 and (.[0] | test($said))'
    usual_for x86_64 $f left_boot "apic-off-timer-$f" $f apicoff 'bench=empty sample=timer timer=apic' 1 'error_says("no local APIC works here")'
done
boot apic-on 0 "--append 'apic=on bench=empty'" '.[1].apic == "xapic"' 'notes("apic") == []'
bad apic 'apic=off' 'unknown value.*off'

# In Bochs with the model, through GRUB.
through() { # through NAME STATUS 'run-bochs.sh options' MODE 'words' CONDITION...
    local name=$1 want=$2 options=$3 words="$4 exit=bochs $5"
    shift 5
    selected "$name" && background sim "$name" "$want" "--through build/boot/loader.elf $options" "$words" "$@"
}
through sampling-skylake-in-service 0 '--cpu skylake' inservice "$LOOP ring=3 sample=pmi events=instructions:u period=1000" \
    'samplings | length == 1 and .[0].samples == (.[0].occurred / 1000 | floor)' 'apic_note("^2 interrupts were still in service or pending")' cheap_handler
through sampling-skylake-apic-off 1 '--cpu skylake' apicoff "$LOOP ring=3 sample=pmi events=instructions:u period=1000" \
    'error_says("the firmware disabled the local APIC; use apic=on")' 'samplings == []'
through truth-skylake-apic-off 0 '--cpu skylake' apicoff 'bench=truth reps=20' none_differs \
    'notes("truth") | any(.message | test("APIC.s timer: interrupt, interrupts"))'

# x2APIC: the truths about interrupts are there (of these CPUs Skylake has an event for them, CBh), and every overflow is a
# sample.
for cpu in haswell skylake icelake; do
    usual_for skylake $cpu through "x2apic-$cpu-truth" 0 "--cpu $cpu" x2apic 'bench=truth' '.[1].apic == "x2apic"' none_differs \
        'notes("truth") == []' \
        'truths | map(select(.program == "interrupt" or .program == "interrupts") | .measured)
            | sort == (if $cpu == "skylake" then [1, 5] else [] end)'
    for pmi in fixed nmi; do
        usual_for skylake $cpu through "x2apic-$cpu-$pmi" 0 "--cpu $cpu" x2apic \
            "$LOOP ring=3 sample=pmi pmi=$pmi events=instruction_retired:u,ref-cycles:u period=1000" \
            '.[1].apic == "x2apic"' 'samplings | length == 2 and all(.delivery == $pmi and .lost == 0)' \
            'samplings | all(.samples >= 1 and .interrupts == .samples and (has("occurred") == (.event != "ref-cycles:u")))' \
            'samplings | map(select(.occurred)) | length == 1 and all(.samples == (.occurred / 1000 | floor))' cheap_handler
    done
done
# Others are started by the one that is in it, and interrupt each other.
through x2apic-others 0 '--cpu skylake --smp 3' x2apic 'cpu=each bench=fp_add_latency,ipi:ipis=20,core_to_core:trips=20 reps=2' \
    '.[1].apic == "x2apic"' '[records("processors")[].usable] == [3]' 'results | map(.cpu // 0) | unique == [0, 1, 2]' \
    'records("row"; .bench == "ipi") | length == 2' 'records("matrix"; .bench == "core_to_core") | length > 0'
# (Bochs's TSC does not have the rate that CPUID reports: hence periods of their own.)
for t in "apic 1009" "pit 997" "rtc 32"; do
    read -r timer period <<<"$t"
    usual_for apic "$timer" through "x2apic-skylake-timer-$timer" 0 '--cpu skylake' x2apic \
        "bench=stride_thrash:n=500000 ring=3 sample=timer timer=$timer period=$period" \
        '.[1].apic == "x2apic"' 'samplings | length == 1 and .[0].unit == "\($timer)-clocks" and .[0].samples > 5 and .[0].lost == 0'
done

# ---- the glue between Bochs and the model, boundary by boundary (tests/boot/boundary.c) ----

# Each overflow's NMI comes at the boundary after its instruction, also where an interrupt is due at the same one: then it
# goes first, and on_interrupt's first instruction is never interrupted. What comes in front of the bracket's first
# instruction is inside of it (3 instructions, 7 of the interrupt's handler, 6 of the NMI's), what comes in front of the first
# one outside is not; its cause, an instruction inside, is. Likewise the second bracket, around the one instruction of callee:
# the CALL is outside.
boundary() {
    local label expected='' oracle='' n=0 insns interrupts
    address() { nm build/boot/boundary.elf | awk -v name="$1" '$3 == name { print $1 }'; }
    for label in path_0 path_1 path_2 edge_from int_1 int_2 int_3 int_4 int_5 int_6 edge_from path_4 path_5 edge_to path_7 callee path_9 path_10; do
        insns=10 interrupts=0
        [ $n -lt 3 ] || [ $n -gt 12 ] || insns=16
        [ $n -lt 4 ] || [ $n -gt 13 ] || interrupts=1
        expected="${expected}pass 00000001 $(address $label) 00000001 $(address edge_from)"$'\n'
        oracle="$oracle$insns $interrupts"$'\n'
        insns=1 interrupts=0
        [ $label != callee ] || insns=7
        [ $label != path_9 ] || interrupts=1
        oracle="$oracle$insns $interrupts"$'\n'
        n=$((n + 1))
    done
    ./run-bochs.sh --no-install --cpu p3 --through build/boot/boundary.elf --oracle "$dir/$1.oracle" \
        --bracket "edges=$(address edge_from):$(address edge_to),callee=call@$(address path_7):ret" -o "$dir/$1.jsonl" --append boundary >"$dir/$1.out" 2>&1 ||
        { fail "$1" "exit status $?"; return; }
    if ! diff <(printf %s "$expected") <(tr -d '\r' <"$dir/$1.out" | grep '^pass ') >"$dir/$1.diff" ||
        ! diff <(printf %s "$oracle") <(jq -r '"\(.insns) \([.interrupts // {} | .[]] | add // 0)"' "$dir/$1.oracle") >"$dir/$1.diff"; then
        fail "$1" "$(tr '\n' ';' <"$dir/$1.diff")"
        return
    fi
    say "ok $1"
}
custom boundary-p3 boundary

# ---- the extended entries of AMD's local APIC, and IBS' interrupt through them (tests/boot/extended.c) ----

# Masked at reset, and again while the APIC is disabled by software; of each entry vector, message type and mask can be
# written. Then samples by the entry that IBS_CTL names, as NMI and by a vector, each once, after which the entry is as it was;
# none where it is masked, or where another one is not.
extended() { # extended NAME ENTRY: NAME is extended-CPU
    local entry
    entry=$(printf %08x "$2")
    ./run-bochs.sh --no-install --cpu "${1#extended-}" --through build/boot/extended.elf -o "$dir/$1.jsonl" --append extended >"$dir/$1.out" 2>&1 ||
        { fail "$1" "exit status $?"; return; }
    diff - <(tr -d '\r' <"$dir/$1.out" | grep -v -E '^(records|extended):') >"$dir/$1.diff" <<END || { fail "$1" "$(tr '\n' ';' <"$dir/$1.diff")"; return; }
version feature 00000001 00000004
$(for n in 0 1 2 3; do echo "reset 0000000$n 00010000"; done)
disabled 00000001 00010400
bits 00000000 000107ff
bits 00000001 000107fe
bits 00000002 000107fd
bits 00000003 000107fc
$(for n in 0 1 2 3; do echo "masked 0000000$n 00010400"; done)
control 00000001 $entry
nmi 00000001 00000000 00000400 00000001
again 00000001 00000000 00000400 00000001
fixed 00000000 00000001 00000050 00000001
masked 00000000 00000000 00010400 00000001
other 00000000 00000000 00000400 00000001
END
    say "ok $1"
}
custom extended-zen4 extended 0
custom extended-fam10h extended 1
