# The boots. See tests/boot/run.sh for the form of a case. Sourced by it.
# shellcheck shell=bash disable=SC2154,SC2261

RESULTS='[.[] | select(.t=="result")]'
END='.[-1].t == "end"'
MAIN="$RESULTS | map(.bench) | unique == [\"fp_add_latency\",\"l1_miss\",\"stride_thrash\"]"
EMULATED="$RESULTS | all(.flags | index(\"emulated\"))"
POSITIVE="$RESULTS | length > 0 and all(.min >= 0 and .median > 0 and .max >= .min)"
error() { echo "[.[] | select(.t==\"error\")] | length == ${2:-1} and any(tostring | test(\"$1\"))"; }
UNMEASURED="$RESULTS | length == 0"

# ---- the three benchmarks on every CPU model, both kernels ----
for cpu in pentium pentium3 core2duo qemu64 max EPYC; do
    boot "i586-$cpu" 0 "--flavour i586 --cpu $cpu" "$MAIN" "$EMULATED" "$POSITIVE" "$END" \
        '.[0].t == "boot" and .[0].flavour == "i586" and .[0].platform == "qemu-tcg"' \
        '.[1].t == "cpu" and .[1].tsc_hz > 1e8 and (.[1].caches | length) >= 2' \
        '.[0].pool_bytes >= 67108864 and .[0].pool_base % 4096 == 0'
done
for cpu in core2duo qemu64 max EPYC; do
    boot "x86_64-$cpu" 0 "--flavour x86_64 --cpu $cpu" "$MAIN" "$EMULATED" "$POSITIVE" "$END" \
        '.[0].flavour == "x86_64"' "$RESULTS | map(.variant) | index(\"sse2\") != null" \
        '.[0].pool_bytes >= 67108864 and .[0].pool_type == "WB"'
done
boot all-i586 0 "--flavour i586 --cpu pentium --append bench=all" \
    "$RESULTS | map(.bench) | unique == [\"empty\",\"fp_add_latency\",\"fwq\",\"l1_miss\",\"regions\",\"stride_thrash\"]"
boot all-x86_64 0 "--append bench=all" "$RESULTS | length == 7" "$EMULATED"
boot smp 0 "--smp 4" "$MAIN"
boot list 0 "--append bench=list" '[.[] | select(.t=="bench")] | length == 6' "$UNMEASURED" \
    '[.[] | select(.t=="bench") | .bench] | all(startswith("test_") | not)'

# ---- every loader, every firmware ----
for medium in iso usb; do
    boot "$medium-bios" 0 "--$medium" "$MAIN" '.[0].loader | startswith("GRUB")' '.[0].protocol == 2' \
        '.[0].flavour == "x86_64"'
    boot "$medium-bios-i586" 0 "--$medium --cpu pentium --flavour i586" "$MAIN" '.[0].flavour == "i586"'
    boot "$medium-uefi64" 0 "--$medium --uefi=64" "$MAIN" '.[0].protocol == 2' \
        '.[0].consoles | any(startswith("framebuffer"))' '.[0].acpi_oem != ""'
    boot "$medium-uefi32" 0 "--$medium --uefi=32" "$MAIN" '.[0].protocol == 2' \
        '.[0].consoles | any(startswith("framebuffer"))'
done
boot iso-uefi64-i586 0 "--iso --uefi=64 --flavour i586" "$MAIN" '.[0].flavour == "i586"'
boot iso-multiboot1 0 "--iso --multiboot1 --append 'reps=7 bench=empty'" '.[0].protocol == 1' \
    "$RESULTS | length == 1 and .[0].reps == 7"
boot iso-words 0 "--iso --append 'bench=stride_thrash:lines=1..3:n=100 reps=5 conf=99'" \
    "$RESULTS | map(.params.lines) == [1,2,3]" "$RESULTS | all(has(\"ci99\") and .reps == 5)"

# ---- machines that lack something ----
boot no-tsc 3 "--flavour i586 --cpu 486" "$(error 'time-stamp counter')" "$UNMEASURED" '.[-1].status == 3' 'length == 2'
boot no-long-mode 3 "--flavour x86_64 --cpu pentium" "$(error 'long mode')" '.[-1].status == 3'
boot no-sse2 3 "--cpu max,-sse2" "$(error 'no SSE2')" '.[-1].status == 3'
boot halts 0 "--append 'exit=halt bench=empty'" "$RESULTS | length == 1"
boot exit-unknown 2 "--append exit=foo" "$(error 'unknown value.*foo')" "$UNMEASURED"
boot no-apic 0 "--cpu max,-apic" '.[1].apic == "absent"' '[.[] | select(.t=="note" and .what=="apic")] | length == 1' "$MAIN"
boot no-acpi 0 "--qemu-arg=-M --qemu-arg=pc,acpi=off" "$MAIN" '.[0].acpi_oem == ""'
boot small-memory 0 "--qemu-arg -m --qemu-arg 4" "$MAIN"
boot large-memory 0 "--qemu-arg -m --qemu-arg 6G" "$MAIN" '.[0].pool_bytes > 2000000000' '.[0].memory_kib > 6000000'

# ---- exactness: with -icount shift=0 the TSC counts instructions ----
for f in "i586 pentium" "x86_64 max"; do
    read -r flavour cpu <<<"$f"
    for s in cpuid lfence; do
        case $s-$flavour in # Intel ones: on AMD's the LFENCE must be switched on first, which emulators refuse
        lfence-i586) cpu=pentium3,+sse2 ;;
        lfence-x86_64) cpu=core2duo ;;
        esac
        boot "exact-$flavour-$s" 0 \
            "--flavour $flavour --cpu $cpu --icount --append 'bench=empty,test_1000 reps=1000 all=1 serialize=$s'" \
            "$RESULTS | length == 2 and all(.min == .max and .reps == 1000)" \
            "$RESULTS | .[0].max == 0 and .[1].min == 1000" \
            "$RESULTS | .[0].overhead <= 9" \
            '[.[] | select(.t=="reps" and .bench=="empty") | .overhead as $o | .raw[] - $o] | length == 1000 and all(. == 0)' \
            '[.[] | select(.t=="reps" and .bench=="test_1000") | .overhead as $o | .raw[] - $o] | length == 1000 and all(. == 1000)'
    done
    boot "fwq-$flavour" 0 "--flavour $flavour --cpu ${cpu%%,*} --icount --append bench=fwq" \
        "$RESULTS | .[0].reps == 10000 and .[0].fwq.late_min == 0 and .[0].fwq.detour_max_tsc == 0"
done

# ---- regions: what each holds follows from its listing (bench/regions.c), whatever the markers cost ----
REGIONS='[.[] | select(.t=="region")]'
for f in "i586 pentium cpuid 0" "i586 pentium cpuid 3" "x86_64 max cpuid 3" "x86_64 core2duo lfence 0"; do
    read -r flavour cpu s ring <<<"$f"
    boot "regions-$flavour-$s-ring$ring" 0 \
        "--flavour $flavour --cpu $cpu --icount --append 'bench=regions:n=37 ring=$ring serialize=$s'" \
        "$REGIONS | map(.label) == [\"loop\",\"inner\",\"left\",\"right\",\"empty\"]" \
        "$REGIONS | map(.entered) == [1,37,1,1,1] and all(.exited == .entered and .reps == 20)" \
        "$REGIONS | map(.total) == [1+12*37,370,150,80,0] and all(.min == .total and .max == .total and .ci95 == 0)" \
        "$REGIONS | map(.per_entry) == [1+12*37,10,150,80,0] and map(.first) == map(.per_entry)" \
        "$REGIONS | map(.nested_markers) == [74,0,1,1,0]" \
        "$REGIONS | all(.flags == [\"emulated\"] and .overhead_later > 20 and .overhead_first == .overhead_later)"
    boot "regions-wrong-$flavour-$s-ring$ring" 0 \
        "--flavour $flavour --cpu $cpu --icount --append 'bench=test_regions ring=$ring serialize=$s reps=5'" \
        "$REGIONS | map(.id) == [0,1,7,8,9,98,99]" \
        "$REGIONS | map(.total) == [30,42,null,null,null,14,5]" \
        "$REGIONS | map([.entered,.exited]) == [[3,3],[1,1],[0,1],[1,0],[1,1],[2,2],[1,1]]" \
        "$REGIONS | map(.flags[1:]) == [[],[],[\"unbalanced\",\"end-before-begin\"],[\"unbalanced\"],[\"end-before-begin\"],[],[]]" \
        '[.[] | select(.t=="note" and .what=="regions")] | length == 1 and (.[0].message | test("15 markers"))'
done

boot quiet-icount 0 "--icount" \
    '[.[] | select(.t=="quiet")] | length == 2 and all(.verdict == "quiet" and .tsc_step == 1)' \
    '.[1].tsc_hz as $hz | ($hz - 1e9 | fabs) / 1e3 <= .[1].tsc_uncertainty_ppm'

identical() { # two runs give identical records
    for i in 1 2; do
        ./run-qemu.sh --no-install --icount --append 'bench=all all=1' -o "$dir/$1.$i.jsonl" >"$dir/$1.out" 2>&1 \
            </dev/null || { fail "$1" "run $i failed"; return; }
    done
    if cmp "$dir/$1.1.jsonl" "$dir/$1.2.jsonl" >"$dir/$1.out" 2>&1; then say "ok $1"; else fail "$1" "they differ"; fi
}
custom identical-records identical

# ---- wrong command lines: nothing is measured, the word is named ----
bad() { # bad NAME 'words' 'pattern in the error record' [number of errors]
    boot "bad-$1" 2 "--append '$2'" "$(error "$3" "${4:-1}")" "$UNMEASURED" '.[-1].status == 2'
}
bad benchmark 'bench=nonsense' 'unknown benchmark.*nonsense'
bad parameter 'bench=l1_miss:foo=1' 'unknown parameter.*foo=1'
bad value 'bench=stride_thrash:lines=0' 'out of range.*0'
bad value-text 'bench=stride_thrash:lines=x' 'out of range.*x'
bad reps 'reps=0' 'out of range.*reps|reps.*out of range|out of range'
bad key 'nonsense=1' 'unknown word.*nonsense=1'
bad word 'nonsense' 'unknown word'
bad twice 'reps=3 reps=4' 'given twice'
bad two 'reps=0 bench=nonsense' 'word 2' 2
bad events 'events=nonsense' 'no performance counters here.*nonsense'
bad console 'console=com9' 'no serial port'
bad variant 'bench=fp_add_latency:variant=mmx' 'unknown variant'
bad bytes 'bench=l1_miss:bytes=1G' 'more memory than there is.*bytes=1G'
bad lines 'bench=stride_thrash:lines=1..4096:stride=16M' 'more memory than there is'
boot bad-control 2 "--append $'reps=5 a\\001b=1'" "$(error 'control character')" "$UNMEASURED"
boot bad-long 2 "--append '$(printf 'reps=5 %.0s' {1..700})'" "$(error 'longer than 4096')" "$UNMEASURED"
boot bad-long-exit 2 "--append '$(printf 'reps=5 %.0s' {1..700}) exit=qemu'" "$(error 'longer than 4096')" "$UNMEASURED"
boot bad-serialize 2 "--cpu pentium --flavour i586 --append serialize=lfence" "$(error 'unknown value.*lfence')" "$UNMEASURED"

# ---- payloads that fault: that benchmark ends, the others run ----
for f in "i586 pentium" "x86_64 max"; do
    read -r flavour cpu <<<"$f"
    boot "faults-$flavour" 1 \
        "--flavour $flavour --cpu $cpu --append bench=test_ud,test_de,test_gp,test_pf,test_stack,empty" \
        '[.[] | select(.t=="error") | .vector] == [6,0,13,14,8]' \
        "$RESULTS | map(.bench) == [\"empty\"]" '.[-1].status == 1' \
        '[.[] | select(.t=="error")] | all(.registers | length > 8)' '.[-2] | .t == "done" and .failed == 5'
done

for f in "i586 pentium" "x86_64 max"; do
    read -r flavour cpu <<<"$f"
    boot "panic-$flavour" 3 "--flavour $flavour --cpu $cpu --append bench=test_panic,empty" \
        '[.[] | select(.t=="error")] | length == 1 and .[0].what == "kernel" and .[0].vector == 8' \
        "$UNMEASURED" '.[-1].status == 3'
done

# ---- consoles: QEMU by hand, since run-qemu.sh wants the first serial port for itself ----

# qemu NAME WORDS QEMU-ARGUMENTS...: the kernel's status (or QEMU's own, negative); what is on standard input goes to
# QEMU's. Records are gathered by the case.
qemu() {
    local name=$1 words=$2 status
    shift 2
    timeout 60 qemu-system-x86_64 -nodefaults -display none -no-reboot -m 64 -cpu max -vga std \
        -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel build/x86_64/anechoic.elf -append "exit=qemu $words" \
        "$@" >"$dir/$name.out" 2>&1
    status=$?
    echo $((status % 2 == 1 ? (status >> 1) - 16 : -status))
}
records_of() { tr -d '\r' <"$1" | grep -a '^{' >"$2"; }

# ---- a bad loader (tests/boot/loader.c): what it withholds is said, what can be measured is ----
loader() { # loader NAME: the mode is the last word of the name
    local status mode=${1##*-}
    status=$(qemu "$1" "bench=l1_miss,stride_thrash" -serial "file:$dir/$1.com1" \
        -kernel build/boot/loader.elf -initrd "build/${1%-*}/anechoic.elf" -append "$mode exit=qemu" </dev/null)
    records_of "$dir/$1.com1" "$dir/$1.jsonl"
    judge "$1" 0 "$status" "$RESULTS | length >= 2" '[.[] | select(.t=="note" and .what=="memory")] | length >= 1' \
        ".[0].map_truncated == $([[ $mode =~ truncated|garbage ]] && echo true || echo false)" \
        ".[0].map == \"$(case $mode in nomap) echo none ;; truncated) echo mmap ;; *) echo meminfo ;; esac)\""
}
for f in i586 x86_64; do
    for mode in nomap meminfo truncated garbage; do custom "$f-$mode" loader; done
done

com2() { # everything on the second port
    local status
    status=$(qemu "$1" 'console=com2,9600 bench=empty' -serial null -serial "file:$dir/$1.com2" </dev/null)
    records_of "$dir/$1.com2" "$dir/$1.jsonl"
    judge "$1" 0 "$status" "$RESULTS | length == 1" '.[0].consoles[0] == "0x2f8,9600"'
}
custom console-com2 com2

split() { # text on the first port, records on the second
    local status
    status=$(qemu "$1" 'records=com2 bench=empty' -serial "file:$dir/$1.com1" -serial "file:$dir/$1.com2" </dev/null)
    records_of "$dir/$1.com2" "$dir/$1.jsonl"
    if grep -q '^{' "$dir/$1.com1"; then fail "$1" "records on the text port"; return; fi
    if ! grep -q 'empty' "$dir/$1.com1"; then fail "$1" "no text on the text port"; return; fi
    judge "$1" 0 "$status" "$RESULTS | length == 1"
}
custom records-com2 split

absent() { # the console's port is empty, records go to the one that is there
    local status
    status=$(qemu "$1" 'records=com2 bench=empty' -serial none -device "isa-serial,chardev=c,index=1" \
        -chardev "file,id=c,path=$dir/$1.com2" </dev/null)
    records_of "$dir/$1.com2" "$dir/$1.jsonl"
    judge "$1" 0 "$status" "$RESULTS | length == 1" \
        '[.[] | select(.t=="note" and (.message | test("no UART answers at port 0x3f8")))] | length == 1'
}
custom absent-uart absent

faces() { # records=none and text=none
    local status
    status=$(qemu "$1" 'records=none bench=empty' -serial "file:$dir/$1.com1" </dev/null)
    if [ "$status" != 0 ] || grep -q '^{' "$dir/$1.com1" || ! grep -q 'empty' "$dir/$1.com1"; then
        fail "$1" "records=none: status $status"; return
    fi
    status=$(qemu "$1" 'text=none bench=empty' -serial "file:$dir/$1.com1" </dev/null)
    records_of "$dir/$1.com1" "$dir/$1.jsonl"
    if tr -d '\r' <"$dir/$1.com1" | grep -q '^[^{]'; then fail "$1" "text=none: text all the same"; return; fi
    judge "$1" 0 "$status" "$RESULTS | length == 1"
}
custom one-face faces
boot records-rate 0 "--append 'records=com1,9600 bench=empty'" '[.[] | select(.t=="note" and (.message | test("another rate")))] | length == 1'

no_records() { # the script knows that there will be none
    ./run-qemu.sh --no-install --append 'records=none bench=empty' -o "$dir/$1.jsonl" >"$dir/$1.out" 2>&1 </dev/null ||
        { fail "$1" "exit status $?"; return; }
    if [ -s "$dir/$1.jsonl" ] || ! grep -q '^empty' "$dir/$1.out"; then fail "$1" "records, or no text"; return; fi
    say "ok $1"
}
custom records-none no_records

interrupted() { # Ctrl-C to the script: the records that had come are kept
    timeout -s INT 5 ./run-qemu.sh --no-install --append 'bench=fp_add_latency,test_slow reps=1000' -o "$dir/$1.jsonl" \
        >"$dir/$1.out" 2>&1 </dev/null
    if grep -q '"t":"result"' "$dir/$1.jsonl"; then say "ok $1"; else fail "$1" "no result was kept"; fi
}
custom interrupted interrupted

cancel() { # Ctrl-C over the serial line ends a long run, and the session is whole
    local status
    status=$( (sleep 2; printf '\003'; sleep 4) |
        qemu "$1" 'bench=test_slow reps=100000' -chardev "stdio,id=c,signal=off,logfile=$dir/$1.com1" -serial chardev:c)
    records_of "$dir/$1.com1" "$dir/$1.jsonl"
    judge "$1" 1 "$status" "$(error 'cancelled')" "$UNMEASURED" '.[-1].status == 1'
}
custom cancel cancel

# The screen: no serial port at all, and the text is read from the display memory or the picture.
# screen NAME MONITOR-COMMAND CHECK QEMU-ARGUMENTS...
monitor() {
    local name=$1 command=$2 check=$3
    shift 3
    coproc QEMU { timeout 60 qemu-system-x86_64 -nodefaults -display none -m 256 -vga std -serial none \
        -monitor stdio "$@" >"$dir/$name.out" 2>&1; }
    local pid=$QEMU_PID to=${QEMU[1]}
    for _ in {1..50}; do
        sleep 0.5
        echo "$command" 2>/dev/null 1>&"$to" || break
        if $check "$dir/$name.memory"; then
            echo quit >&"$to"
            wait "$pid"
            say "ok $name"
            return
        fi
    done
    kill "$pid" 2>/dev/null
    fail "$name" "the screen does not show what it should"
}
# Characters are every second byte; the last line of the run, and a result, must be there.
ega_shows() { [ -s "$1" ] && LC_ALL=C tr -d '\a\007' <"$1" | tr '\0' ' ' | grep -aq 'done: 4 measurements, 0 failed'; }
ega() {
    monitor "$1" "pmemsave 0xb8000 0x8000 \"$dir/$1.memory\"" ega_shows -cpu max \
        -kernel build/x86_64/anechoic.elf -append exit=halt
}
custom screen-ega ega

# A framebuffer: the picture has some thousand pixels in the kernel's own ink (D0h in every channel).
picture_shows() { [ -s "$1" ] && [ "$(LC_ALL=C tr -dc '\320' <"$1" | wc -c)" -gt 30000 ]; }
framebuffer() {
    tools/mkiso.sh --append 'exit=halt bench=all' "$dir/$1.iso" >"$dir/$1.out" 2>&1 || { fail "$1" "no image"; return; }
    cp /usr/share/OVMF/OVMF_VARS_4M.fd "$dir/$1.vars"
    monitor "$1" "screendump \"$dir/$1.memory\"" picture_shows -cpu max -cdrom "$dir/$1.iso" \
        -drive if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd \
        -drive "if=pflash,unit=1,format=raw,file=$dir/$1.vars"
}
custom screen-framebuffer framebuffer

# ---- iPXE, over the network: puts the kernel's address in front of the words ----
ipxe() {
    local status here=$dir/$1.tftp
    mkdir "$here"
    cp build/i586/anechoic.elf "$here"
    printf '#!ipxe\nkernel anechoic.elf exit=qemu bench=empty reps=7\nboot\n' >"$here/boot.ipxe"
    timeout 120 qemu-system-x86_64 -nodefaults -display none -no-reboot -m 128 -vga std -boot n \
        -device isa-debug-exit,iobase=0xf4,iosize=4 -serial "file:$here/serial" \
        -netdev "user,id=n,tftp=$here,bootfile=boot.ipxe" -device e1000,netdev=n >"$dir/$1.out" 2>&1 </dev/null
    status=$?
    records_of "$here/serial" "$dir/$1.jsonl"
    judge "$1" 33 "$status" '.[0].loader | startswith("iPXE")' "$RESULTS | length == 1 and .[0].reps == 7"
}
custom ipxe ipxe

# ---- Bochs, as Debian has it: another opinion about the same machine ----

# bochs NAME MODEL FLAVOUR WORDS: the image of these words on that CPU; records are gathered by the case. Bochs always
# exits with 1, so the end record's status counts.
bochs() {
    local name=$1 here=$dir/$1.bochs
    mkdir "$here"
    tools/mkiso.sh --flavour "$3" --append "exit=bochs $4" "$here/image.iso" || return
    cat >"$here/bochsrc" <<RC
plugin_ctrl: unmapped=1, biosdev=1, speaker=0
config_interface: textconfig
display_library: rfb, options="timeout=0"
cpu: model=$2, count=1, ips=50000000, reset_on_triple_fault=0
megs: 128
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path=$here/image.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$here/serial
log: $here/log
panic: action=fatal
error: action=report
RC
    echo c | timeout 300 bochs-bin -q -f "$here/bochsrc" >"$dir/$name.out" 2>&1 # the debugger wants "continue"
    records_of "$here/serial" "$dir/$name.jsonl"
}

on_bochs() { # NAME is bochs-FLAVOUR-MODEL
    local flavour=${1#bochs-} model
    model=${flavour#*-} flavour=${flavour%%-*}
    bochs "$1" "$model" "$flavour" 'bench=all reps=3 serialize=cpuid'
    judge "$1" 0 "$(jq '.status // empty' "$dir/$1.jsonl" | tail -n 1)" \
        '.[0].platform == "bochs"' ".[0].flavour == \"$flavour\"" "$EMULATED" "$RESULTS | map(.bench) | unique | length == 6" \
        "$RESULTS | map(select(.bench==\"empty\")) | .[0].max == 0" '.[1].caches | length >= 2'
}
if [ -e /usr/share/bochs/BIOS-bochs-latest ]; then
    for model in pentium pentium_mmx p3_katmai p4_willamette; do custom "bochs-i586-$model" on_bochs; done
    for model in core2_penryn_t9600 corei7_haswell_4770 ryzen; do custom "bochs-x86_64-$model" on_bochs; done
else
    skip bochs "no Bochs BIOS image"
fi

# ---- the modelled PMU: what the kernel counted against the oracle, value by value ----

# Where a bracket reads its first and its second counter, for the oracle (measure/bracket.S).
readings() { # readings READER
    local b=bracket_cpuid_$1
    echo "raw0=${b}1_start0:${b}1_end0,raw0=${b}2_start0:${b}2_end0,raw1=${b}2_start1:${b}2_end1"
}

# on_sim NAME CPU RING MODE [EVENTS]: three benchmarks with a long list of events (every modelled one that has a name), 20
# repetitions each. MODE raw: raw counts must be the bracket's; payload: corrected counts must be the payload's.
on_sim() {
    local name=$1 cpu=$2 ring=$3 mode=$4 events=${5:-} brackets=() status verdict reader=rdpmc
    if [ -z "$events" ]; then
        ./run-bochs.sh --no-install --cpu "$cpu" --oracle "$dir/$name.names" -o "$dir/$name.0" \
            --append 'bench=stride_thrash events=instructions reps=1 warmup=0' >"$dir/$name.out" 2>&1 ||
            { fail "$name" "no oracle"; return; }
        events=$(head -n 1 "$dir/$name.names" | jq -r '[.events | keys[] | select(test(":") | not)
            | select(. != "CLOCKS") | ascii_downcase] | join(",")')
    fi
    [ "$cpu" = p5 ] && reader=rdmsr
    [ "$mode" = raw ] && brackets=(--bracket "$(readings $reader)")
    ./run-bochs.sh --no-install --cpu "$cpu" --oracle "$dir/$name.oracle" "${brackets[@]}" -o "$dir/$name.jsonl" --append \
        "bench=fp_add_latency:n=200,stride_thrash:n=100:lines=8,l1_miss:sweeps=1 events=$events all=1 ring=$ring" \
        >"$dir/$name.out" 2>&1
    status=$?
    verdict=$(jq -s -c --arg mode "$mode" --slurpfile oracle "$dir/$name.oracle" -f tests/boot/oracle.jq "$dir/$name.jsonl" 2>&1)
    if [ "$(jq '.compared > 400 and .wrong == []' <<<"$verdict" 2>/dev/null)" != true ]; then
        fail "$name" "$(cut -c1-300 <<<"$verdict")"
        return
    fi
    judge "$name" 0 "$status" "$RESULTS | all(.flags | index(\"modelled\"))" '[.[] | select(.t=="derived")] | length > 0'
}
for cpu in p5 p55c ppro p2 p3; do
    sim_raw() { on_sim "$1" "$(cut -d- -f2 <<<"$1")" "${1: -1}" raw; }
    custom "sim-$cpu-ring-0" sim_raw
    [ $cpu = p5 ] || custom "sim-$cpu-ring-3" sim_raw
done
# Through the call gate both readings are one instruction: there the payload itself is compared, in what does not depend on
# the code before it.
gate() {
    on_sim "$1" p5 3 payload instructions_executed,data_read,data_write,data_read_or_write,branches,flops,any_segment_register_loaded,io_read_or_write_cycle,misaligned_data_memory_or_io_references
}
custom sim-p5-gate gate

steady() { # 1,000 repetitions without variance, and nothing is counted where nothing is done
    local status
    ./run-bochs.sh --no-install --cpu "${1##*-}" -o "$dir/$1.jsonl" --append \
        'bench=empty,stride_thrash reps=1000 events=instructions,cycles,branches,cache-misses' >"$dir/$1.out" 2>&1
    status=$?
    judge "$1" 0 "$status" "$RESULTS | length == 8 and all(.min == .max and .reps == 1000)" \
        "$RESULTS | map(select(.bench == \"empty\")) | all(.max == 0)"
}
for cpu in p5 p55c ppro p2 p3; do custom "steady-$cpu" steady; done

truth() { # every modelled row agrees; NAME is truth-CPU-RING
    local status cpu=${1#truth-}
    ./run-bochs.sh --no-install --cpu "${cpu%-*}" -o "$dir/$1.jsonl" --append "bench=truth ring=${cpu##*-}" >"$dir/$1.out" 2>&1
    status=$?
    judge "$1" 0 "$status" '[.[] | select((.t=="truth" or .t=="relation") and .verdict=="differs")] == []' \
        '[.[] | select(.t=="truth" and .verdict=="agrees")] | length > 50 and all(.flags | index("modelled"))' \
        '[.[] | select(.t=="truths")] | length == 1'
}
for cpu in p5 p55c ppro p2 p3; do
    for ring in 0 3; do custom "truth-$cpu-$ring" truth; done
done
boot truth-without-pmu 0 "--append bench=truth" '[.[] | select(.t=="truth" and .verdict=="agrees")] == []' \
    '[.[] | select(.t=="note")] | length > 0'

sim_regions() { # what is in a region is counted, whatever else is marked; NAME is regions-CPU-RING
    local status cpu=${1#regions-} event=inst_retired
    [[ $cpu = p5* ]] && event=instructions_executed
    ./run-bochs.sh --no-install --cpu "${cpu%-*}" -o "$dir/$1.jsonl" --append "bench=regions events=$event ring=${cpu##*-}" \
        >"$dir/$1.out" 2>&1
    status=$?
    judge "$1" 0 "$status" "[.[] | select(.t==\"region\" and .event==\"$event\")] | length > 3 and all(.flags | index(\"unbalanced\") | not)" \
        "[.[] | select(.t==\"region\" and .event==\"$event\" and .label==\"inner\")] | length == 1 and .[0].per_entry == 10"
}
for cpu in p5 p55c ppro p3; do
    for ring in 0 3; do custom "regions-$cpu-$ring" sim_regions; done
done

stock() { # Debian's own Bochs, through the same script: no PMU, and no Pentium Pro
    local status
    ./run-bochs.sh --no-install --stock --cpu p3 -o "$dir/$1.jsonl" --append bench=empty >"$dir/$1.out" 2>&1
    status=$?
    if ./run-bochs.sh --no-install --stock --cpu ppro >/dev/null 2>&1; [ $? != 4 ]; then fail "$1" "ppro: not 4"; return; fi
    judge "$1" 0 "$status" "$RESULTS | length == 1 and .[0].event == \"tsc\"" '.[1].pmu.counters == ["absent", "absent"]'
}
custom stock-bochs stock
