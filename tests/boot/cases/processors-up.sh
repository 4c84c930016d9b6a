# Bring-up of processors, and calls of them, in QEMU. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2016

# One thread of the host for all of them: 255 get in each other's way where two processors are shared.
ONE_THREAD='--qemu-arg -accel --qemu-arg tcg,thread=single'

# Beside seven that rest, a payload measures exactly what it measures alone: each repetition of it.
beside() { # beside NAME FLAVOUR
    local name=$1 words='bench=fp_add_latency,l1_miss,stride_thrash all=1 reps=20' status
    ./run-qemu.sh --no-install --timeout "${TIMEOUT:-120}" --flavour "$2" --smp 8 --icount -o "$dir/$name.alone" --append "$words" >"$dir/$name.out" 2>&1
    ./run-qemu.sh --no-install --timeout "${TIMEOUT:-120}" --flavour "$2" --smp 8 --icount -o "$dir/$name.jsonl" \
        --append "cpus=8 rest=hlt $words" >>"$dir/$name.out" 2>&1
    status=$?
    measured() { jq -c 'select(.t=="result" or .t=="reps") |
        [.bench,.variant,.params,.event,.first,.raw,.raw_min,.min,.median,.mean,.max,.overhead,.flags]' "$1"; }
    if [ "$(measured "$dir/$name.alone")" != "$(measured "$dir/$name.jsonl")" ]; then
        fail "$name" "$(diff <(measured "$dir/$name.alone") <(measured "$dir/$name.jsonl") | head -n 4 | cut -c1-200)"
        return
    fi
    judge "$name" 0 "$status" 'up(8)' 'results | length > 2'
}

for flavour in i586 x86_64; do
    # One processor: the words change nothing.
    usual_for x86_64 $flavour boot "processors-1-$flavour" 0 "--flavour $flavour --append 'cpus=all rest=spin bench=empty'" \
        'processors == []' 'results | length == 1'
    for n in 2 3 8; do
        usual_for '2-x86_64 8-x86_64 3-i586' $n-$flavour boot "processors-$n-$flavour" 0 \
            "--flavour $flavour --smp $n --append 'cpus=all bench=test_processors:what=0'" 'up($n)' 'same($n)' \
            'processors | .[0].rest == "hlt" and .[0].source == "madt" and .[0].apic_ids == "0-\($n - 1)"'
    done
    for rest in hlt mwait spin; do
        usual_for 'hlt-x86_64 mwait-x86_64 spin-x86_64 mwait-i586' $rest-$flavour boot "processors-rest-$rest-$flavour" 0 \
            "--flavour $flavour --smp 3 --append 'cpus=3 rest=$rest bench=test_processors:what=1:n=20 limit=60'" 'up(3)' \
            'processors[0].rest == $rest' 'numbers | .calls == 100 and .busy == 0'
    done
    # Endless functions: with interrupts disabled, enabled, and at CPL 3.
    boot "processors-stop-$flavour" 0 "--flavour $flavour --smp 2 --append 'cpus=2 bench=test_processors:what=2:n=20'" 'up(2)' \
        'numbers | .lost == 60 and .stopped == 60 and .inside == 60 and .again == 60 and .strays == 1'
    boot "processors-trap-$flavour" 0 "--flavour $flavour --smp 4 --append 'cpus=4 bench=test_processors:what=3'" 'up(4)' \
        'numbers | .["#UD"] == 3 and .["#DF"] == 3 and .again == 3'
    boot "processors-panic-$flavour" 3 "--flavour $flavour --smp 3 --append 'cpus=3 bench=test_processors:what=4'" '.[-1].t == "end"' \
        'error_says("failed on processor 2: #MC")' 'errors[0].cpu == 2 and .[-1].status == 3'
    # What is not asked for is not started.
    usual_for x86_64 $flavour boot "processors-not-asked-$flavour" 0 "--flavour $flavour --smp 4 --append bench=empty" 'processors == []' \
        'records("cpu") | length == 1'
    usual_for x86_64 $flavour boot "processors-some-$flavour" 0 "--flavour $flavour --smp 8 --append 'cpus=3 bench=test_processors:what=0'" \
        'processors | .[0].up == 3 and .[0].asked == 3 and .[0].usable == 8' 'same(3)'
    selected "processors-beside-$flavour" && background beside "processors-beside-$flavour" "$flavour"
    usual_for x86_64 $flavour boot "processors-mp-table-$flavour" 0 \
        "--flavour $flavour --smp 2,sockets=2 --qemu-arg -machine --qemu-arg pc,acpi=off --append 'cpus=2 bench=test_processors:what=0'" \
        'up(2)' 'same(2)' 'processors[0].source == "mp-table"'
done

# UEFI: GRUB puts the first module at 2000h. The page in which processors start is none of it (kernel/start_page.h), which is checked
# after the start: a module that changed would end the session.
for bits in 64 32; do
    boot "processors-uefi$bits" 0 "--iso --uefi=$bits --smp 2 --append 'cpus=2 bench=test_processors:what=0'" 'up(2)' \
        '[.[] | select(.t == "error" or .t == "note" and .what == "events")] == []' 'results == []'
done

# MWAIT that misses the store (tests/boot/loader.c). deaf: after a second an NMI, and from then on they rest in HLT. dead: not even an NMI
# is heard, so that the processors are given up after ten seconds. Nothing hangs.
mwait_misses() {
    local name=$1 flavour=${1##*-} mode=${1#processors-mwait-} status
    mode=${mode%-*}
    status=$(qemu "$name" "" -smp 3 -serial "file:$dir/$name.com1" -kernel build/boot/loader.elf \
        -initrd "build/$flavour/anechoic.elf" -append "$mode exit=qemu cpus=3 rest=mwait bench=$2" </dev/null)
    records_of "$dir/$name.com1" "$dir/$name.jsonl"
    judge "$name" "$3" "$status" "${@:4}"
}
for flavour in i586 x86_64; do
    custom "processors-mwait-deaf-$flavour" mwait_misses test_processors:what=1:n=3 0 'processors[0].up == 3' \
        'numbers | .calls == 15 and .busy == 0' \
        '[.[] | select(.what == "processors") | .message | select(test("missed the store that ends MWAIT"))] | length == 2' \
        '[.[] | select(.what == "interrupts")] == []'
    long custom "processors-mwait-dead-$flavour" mwait_misses empty 0 \
        'processors | .[0].up == 1 and (.[0].not_up | map(.why)) == ["stuck", "stuck"]' 'results | length == 1'
done

# APIC IDs with gaps, where a level's number is no power of two.
boot processors-sockets 0 "--smp 12,sockets=2,cores=3,threads=2 --append 'cpus=all bench=test_processors:what=0'" 'up(12)' 'same(12)' \
    'processors[0].apic_ids == "0-5,8-13"'
boot processors-dies 0 "--smp 8,sockets=1,dies=2,cores=2,threads=2 --append 'cpus=all bench=test_processors:what=0'" 'up(8)' 'same(8)'
# Sockets that are empty: listed, and not enabled.
boot processors-empty-sockets 0 "--smp 2,maxcpus=4 --append 'cpus=all bench=test_processors:what=0'" \
    'processors | .[0].up == 2 and .[0].usable == 2 and .[0].disabled == 2' 'same(2)'
boot processors-64 0 "--smp 64 --append 'cpus=all bench=test_processors:what=0'" 'up(64)' 'same(64)' 'processors[0].apic_ids == "0-63"'
boot processors-255 0 "--timeout 300 $ONE_THREAD --smp 255 --append 'cpus=all bench=test_processors:what=0'" 'up(255)' 'same(255)' \
    'processors[0].apic_ids == "0-254"'
long boot processors-255-i586 0 "--timeout 300 $ONE_THREAD --flavour i586 --smp 255 --append 'cpus=all bench=test_processors:what=0'" 'up(255)' 'same(255)'
# Old ones: without MTRRs and PAT, without 4 MiB pages.
boot processors-pentium 0 "--flavour i586 --cpu pentium --smp 2 --append 'cpus=2 bench=test_processors:what=0'" 'up(2)' \
    'numbers | .themselves > 0 and .alike == 2 and .known == 2'
boot processors-cpu-records 0 "--smp 3 --append 'cpus=3 bench=empty'" 'records("cpu") | length == 1'
bad cpus-0 cpus=0 'not a number of processors'
bad cpus-300 cpus=300 'more processors than there are'
bad cpus-word cpus=two 'not a number of processors'
boot bad-cpus-3 2 "--smp 2 --append 'cpus=3'" 'error_says("1 to 2, or all")' 'results == []' '.[-1].status == 2'
boot bad-rest-mwait 2 "--flavour i586 --cpu pentium --append 'cpus=1 rest=mwait'" 'error_says("this CPU has no MWAIT")' 'results == []' '.[-1].status == 2'
boot bad-rest-mwait-icx 2 "--cpu Icelake-Server,model=106,+monitor --append 'cpus=1 rest=mwait'" \
    'error_says("may fail to end this CPU.s MWAIT .erratum ICX143")' 'results == []'
bad rest rest=foo 'hlt, mwait, spin'
