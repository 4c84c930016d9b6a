# Sampling by interrupts of the modelled PMU or of timers: every overflow is a sample, at the instruction that the oracle
# has. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154,SC2261

LOOP='bench=stride_thrash:n=100000 reps=1' # once: every period of it is a sample

# ---- Pentium and P6 ----

for cpu in ppro p2 p3; do
    for pmi in fixed nmi; do
        of_each_family $cpu sim_boot "sampling-$cpu-$pmi" 0 "--cpu $cpu" "$LOOP ring=3 sample=pmi pmi=$pmi events=inst_retired:u,data_mem_refs:u period=1000" \
            'samplings | length == 2 and all(.delivery == $pmi and .lost == 0)' \
            'each_overflow(1000)' cheap_handler
    done
done
# Each interrupt is in the trace, between the hooks of the turn that it came in.
for f in "p3 3 fixed 241" "skylake 0 nmi 2"; do
    read -r cpu ring pmi vector <<<"$f"
    sim_boot "sampling-trace-$cpu" 0 "--cpu $cpu" \
        "bench=traced:n=1000 ring=$ring sample=pmi pmi=$pmi events=instructions:$([ "$ring" = 3 ] && echo u || echo k) period=1000 reps=1 trace=2048" \
        '(samplings | .[0].interrupts) as $n | $n >= 20 and (trace_pairs | map(select(.[0] == 256)) | length == $n and all(.[1] == $vector))' \
        'trace_pairs | map(select(.[0] == 1) | .[1]) == [range(1000; 0; -1)]' \
        '[.[] | select(.t == "trace" or .t == "trace_entries")] | all(has("time") or has("from") or has("overhead") | not)'
done
sim_boot sampling-p3-auto 0 '--cpu p3' "${LOOP% *} ring=3 sample=pmi events=inst_retired:u,data_mem_refs:u samples=500" \
    'samplings | length == 2 and all(.period_auto and .samples >= 250 and .samples <= 1000 and .lost == 0 and .tries <= 4)'
sim_boot sampling-p3-jitter 0 '--cpu p3' "$LOOP ring=3 sample=pmi events=inst_retired:u period=520 jitter=100" \
    'profiles[0].distinct > 40' 'samplings | .[0].samples > 150 and .[0].jitter == 100 and .[0].seed == 1'
sim_boot sampling-p3-storm 0 '--cpu p3' "$LOOP ring=3 sample=pmi events=inst_retired:u period=1 samples=100" \
    'samplings[0] | stormy and .lost == 1400'
sim_boot sampling-p3-storm-0 0 '--cpu p3' "$LOOP ring=0 sample=pmi pmi=nmi events=inst_retired period=1 samples=100" \
    'samplings[0] | stormy'
# The handler's own events overflow the counter before it returns: none is lost to an entry that is still masked.
for cpu in p3 coreduo skylake k8 zen4; do
    for pmi in fixed nmi; do
        of_each_family $cpu sim_boot "sampling-$cpu-short-$pmi" 0 "--cpu $cpu" "$LOOP ring=0 sample=pmi pmi=$pmi events=instructions period=20 samples=100" \
            'samplings[0] | stormy'
    done
done
sim_boot sampling-p3-ring0 0 '--cpu p3' "$LOOP ring=0 sample=pmi events=inst_retired period=10007" \
    'samplings | (.[0] | has("handler_share") | not) and .[0].samples >= 9' cheap_handler
for cpu in $(model_names p5); do
    # The wire is three instructions late, and the counter restarts after it.
    usual_for p5 $cpu sim_boot "sampling-$cpu-socket" 0 "--cpu $cpu --ebs-socket" "$LOOP ring=3 sample=nmi events=instructions:u period=1000" \
        'samplings | length == 1 and .[0].samples == (.[0].occurred / 1003 | floor)' cheap_handler
    usual_for p5 $cpu sim_boot "sampling-$cpu-no-socket" 1 "--cpu $cpu" "$LOOP ring=3 sample=nmi events=instructions:u period=1000" \
        'samplings == []' 'error_says("wires PM0 to NMI")'
    usual_for p5 $cpu sim_boot "sampling-$cpu-pmi" 1 "--cpu $cpu" "$LOOP ring=3 sample=pmi events=instructions:u period=1000" \
        'samplings == []' 'error_says("no performance interrupt")'
done
sim_boot sampling-p5-timer 0 '--cpu p5' "${LOOP% *} ring=3 sample=timer samples=200" \
    'samplings | .[0].samples >= 100 and .[0].samples <= 400 and .[0].unit == "apic-clocks"'

# ---- Intel's architectural counters and AMD's ----

# Sample by sample: with a period of 1 each miss is one, on the instruction after it. NAME is sampling-CPU-each. There are
# more lines than the set has ways, so that loads miss wherever the kernel's own lines are.
each_sample() {
    local status verdict event word flavour=x86_64 bytes=3 cpu
    cpu=$(cut -d- -f2 <<<"$1")
    case $cpu in p3 | coreduo) flavour=i586 bytes=2 ;; esac # a load through a register
    case $cpu in
    p3) event=DCU_LINES_IN ;;
    coreduo) event=LLC_REFERENCES ;;
    core2) event=MEM_LOAD_RETIRED:L1D_MISS ;;
    skylake) event=MEM_LOAD_RETIRED:L1_MISS ;;
    k8) event=DATA_CACHE_MISSES ;;
    zen4) event=MAB_ALLOCATION_BY_TYPE:LS ;;
    esac
    word=$(jq -r --arg event $event 'with_entries({key: .value, value: .key})[$event] // $event' tests/boot/words.json | tr A-Z a-z)
    ./run-bochs.sh --no-install --cpu "$cpu" --flavour "$flavour" --oracle "$dir/$1.oracle" --histogram $event -o "$dir/$1.jsonl" --append \
        "bench=stride_thrash:n=250:lines=16 ring=3 sample=pmi events=$word:u period=1 reps=1 all=1 text=none" >"$dir/$1.out" 2>&1
    status=$?
    verdict=$(jq -s -c --arg event $event --argjson bytes $bytes --arg limit "$(address_of payload_end "$flavour")" \
        --slurpfile oracle "$dir/$1.oracle" -f tests/boot/samples.jq "$dir/$1.jsonl" 2>&1)
    if [ "$(jq '.compared >= 40 and .samples >= 200 and .wrong == []' <<<"$verdict" 2>/dev/null)" != true ]; then
        fail "$1" "$(cut -c1-300 <<<"$verdict")"
        return
    fi
    judge "$1" 0 "$status" 'samplings | length == 1 and .[0].lost == 0'
}
for cpu in p3 coreduo core2 skylake k8 zen4; do of_each_family $cpu custom "sampling-$cpu-each" each_sample; done

# Architectural Intel, with and without global status and fixed counters, and AMD, whose LVT stays open: every overflow asks
# once, the LVT is armed again, none is lost; NMI likewise.
# What the handler takes while it has stopped the counters is in the oracle's instructions alone: those of the last pass with
# interrupts, less those of the pass before it without.
cheap() { # cheap NAME CPU EVENTS PMI
    local status took pmi=$4
    ./run-bochs.sh --no-install --cpu "$2" --oracle "$dir/$1.oracle" -o "$dir/$1.jsonl" \
        --append "$LOOP ring=3 sample=pmi pmi=$4 events=$3 period=1000" >"$dir/$1.out" 2>&1
    status=$?
    took=$(jq -s 'def n: (.interrupts // {}) | add // 0; map(select(.insns > 100000)) | (map(select(n > 9)) | last) as $with |
        (map(select(n == 0)) | last) as $without | ($with.insns - $without.insns) / ($with | n)' "$dir/$1.oracle" 2>&1)
    if [ "$(jq -n "$took > 50 and $took <= 115" 2>/dev/null)" != true ]; then
        fail "$1" "the handler takes $took instructions"
        return
    fi
    # (Of cycles nobody knows how many there were.)
    judge "$1" 0 "$status" 'samplings | length == 2 and all(.delivery == $pmi and .lost == 0)' \
        'samplings | all(.samples >= 1 and (if .event == "ref-cycles:u" then has("occurred") | not else .samples == (.occurred / 1000 | floor) end)
            and .interrupts == .samples)' cheap_handler
}
for cpu in coreduo core2 skylake k8 zen4; do
    case $cpu in
    k8 | zen4) events=retired_instructions:u,r0040:u ;;
    coreduo) events=instruction_retired:u,branches:u ;;
    *) events=instruction_retired:u,ref-cycles:u ;; # the latter on a fixed counter only
    esac
    # Core Duo and K8 have neither global status nor fixed counters.
    for pmi in fixed nmi; do
        usual_for 'coreduo-nmi k8-nmi skylake-fixed skylake-nmi zen4-fixed zen4-nmi' $cpu-$pmi custom "sampling-$cpu-$pmi" cheap $cpu $events $pmi
    done
    of_each_family $cpu sim_boot "sampling-$cpu-ring0" 0 "--cpu $cpu" "$LOOP ring=0 sample=pmi pmi=nmi events=${events%%:*} period=10007" \
        'samplings | .[0].samples >= 9 and .[0].lost == 0' cheap_handler
done

# ---- what is a sample, and how many ----

# Samples are the oracle's interrupts inside of the payload, and those before its first instruction and after
# its last; the harness's are counted. NAME is sampling-outside-CPU-PMI-EVENT-PERIOD.
outside() {
    local cpu pmi event period flavour verdict status
    IFS=- read -r _ _ cpu pmi event period <<<"$1"
    case $cpu in p3 | willamette) flavour=i586 ;; *) flavour=x86_64 ;; esac
    ./run-bochs.sh --no-install --cpu "$cpu" --flavour $flavour --oracle "$dir/$1.oracle" -o "$dir/$1.jsonl" --append \
        "bench=stride_thrash:n=2000 ring=0 sample=pmi pmi=$pmi events=$event period=$period reps=40 all=1" >"$dir/$1.out" 2>&1
    status=$?
    verdict=$(jq -s -c --slurpfile oracle "$dir/$1.oracle" --arg from "$(address_of payload_start $flavour)" \
        --arg to "$(address_of payload_end $flavour)" '
        def low: ltrimstr("0x") | ("0" * (16 - length)) + .;
        (.[] | select(.t == "sampling")) as $s | [.[] | select(.t == "sample") | .samples[]
            | .there = ((.ip | low) >= ($from | low) and (.ip | low) < ($to | low))]
        | ($oracle[-1].label | ltrimstr("payload@") | low) as $first
        | {first: (map(select((.ip | low) == $first)) | length), inside: (map(select(.there and (.outside | not))) | length),
           oracle: ([$oracle[-40:][] | .interrupts // {} | .[]] | add // 0),
           behind: (map(select((.there | not) and (.outside | not))) | length), wrong: (map(select(.there and .outside)) | length),
           marked: (map(select(.outside)) | length), samples: $s.samples, outside: $s.outside}' "$dir/$1.jsonl" 2>&1)
    if [ "$(jq '.oracle >= .inside - .first and .oracle <= .inside and .wrong == 0 and .samples == .inside + .behind and
        .behind <= .samples / 10 and .outside >= .marked and .outside > 0' <<<"$verdict" 2>/dev/null)" != true ]; then
        fail "$1" "$(cut -c1-300 <<<"$verdict")"
        return
    fi
    judge "$1" 0 "$status" 'samplings | length == 1 and .[0].lost == 0'
}
for how in skylake-nmi-instructions-2155 skylake-fixed-instructions-2155 willamette-nmi-branches-99 p3-nmi-inst_retired-577 zen4-fixed-branches-31; do
    usual_for 'skylake-nmi-instructions-2155 willamette-nmi-branches-99 p3-nmi-inst_retired-577 zen4-fixed-branches-31' $how custom \
        "sampling-outside-$how" outside
done
# A period of nearly all that a call has events, bracket and harness included, and more than the payload has: what overflows
# is the harness, and costs the payload nothing. NAME is sampling-none-inside-CPU-EVENT.
none_inside() {
    local cpu event words occurred status
    IFS=- read -r _ _ _ cpu event <<<"$1"
    words="bench=stride_thrash:n=2000 events=$event sample=pmi pmi=nmi ring=0 reps=1"
    ./run-bochs.sh --no-install --cpu "$cpu" -o "$dir/$1.jsonl" --append "$words period=20" >"$dir/$1.out" 2>&1
    occurred=$(jq 'select(.t=="sampling") | .occurred' "$dir/$1.jsonl")
    ./run-bochs.sh --no-install --cpu "$cpu" -o "$dir/$1.jsonl" --append "$words period=$((occurred - 4))" >"$dir/$1.out" 2>&1
    status=$?
    judge "$1" 0 "$status" 'samplings | length == 1 and (.[0] | .samples == 0 and .outside == 1 and (has("handler_tsc") | not))'
}
custom sampling-none-inside-skylake-instructions none_inside
custom sampling-none-inside-willamette-branches none_inside

# The requested number of samples for any length of the payload; on every CPU, since each family continues counting between calls in its own way.
for cpu in ppro p3 willamette prescott coreduo core2 skylake k8 zen4; do
    of_each_family $cpu sim_boot "sampling-enough-$cpu" 0 "--cpu $cpu" 'bench=stride_thrash sample=pmi events=branches' enough \
        'profiles | .[0].lines[0] | .share > 0.7 and (.symbol | startswith("stride_thrash"))'
    of_each_family $cpu sim_boot "sampling-enough-$cpu-nmi" 0 "--cpu $cpu" 'bench=l1_miss ring=3 sample=pmi pmi=nmi events=instructions:u' enough
done
sim_boot sampling-enough-p5 0 '--cpu p5 --ebs-socket' 'bench=stride_thrash ring=3 sample=nmi events=instructions:u' enough
sim_boot sampling-enough-pebs 0 '--cpu willamette' 'bench=stride_thrash ring=3 sample=pebs events=memory_loads:u' enough
sim_boot sampling-enough-timer 0 '--cpu p3' 'bench=stride_thrash sample=timer' enough
# Failures are reported: too few samples, a period that leaves the payload no time, an event that it lacks.
sim_boot sampling-few 0 '--cpu p3' 'bench=stride_thrash sample=pmi events=branches reps=10' \
    'samplings[0] | .reps == 10 and .samples < 500 and .wanted == 1000 and (.flags | index("few"))'
# The share is of the time, which the model has none of.
sim_boot sampling-heavy 0 '--cpu p3' "$LOOP ring=3 sample=pmi events=inst_retired:u period=200" \
    'samplings[0] | (has("handler_share") | not) and (.flags | index("handler-heavy") | not)'
sim_boot sampling-never 0 '--cpu p3' 'bench=stride_thrash ring=3 sample=pmi events=fp_assist:u' \
    'samplings[0] | .occurred == 0 and .samples == 0 and (.flags | index("few"))'

# Each event has its result or its error, also those after one that fails.
sim_boot sampling-each-event 1 '--cpu willamette' \
    'bench=l1_profile:n=8000 sample=pebs events=memory_stores,mispred_branch_retired,memory_loads period=1000' \
    'samplings | map(.event) == ["memory_stores","memory_loads"]' 'error_says("PEBS takes tagged events, not mispred_branch_retired")' \
    'records("done")[0] | .measurements == 1 and .failed == 1'

# What the ring makes impossible: nothing to sample, and a count that says nothing.
for e in 'p3 0 inst_retired:u' 'willamette 0 branches:u' 'skylake 0 cycles:u' 'k8 3 cycles:k' 'p5 3 instructions:k'; do
    read -r cpu ring event <<<"$e"
    [ "$cpu" = p5 ] || sim_boot "sampling-ring-$cpu" 1 "--cpu $cpu" "bench=stride_thrash ring=$ring sample=pmi events=$event" 'samplings == []' \
        'error_says("\($event) counts at CPL \(3 - $ring) only")'
    sim_boot "counting-ring-$cpu" 0 "--cpu $cpu" "bench=stride_thrash ring=$ring events=$event,instructions" \
        'notes("events") | length == 1 and (.[0].message | test("^\($event) counts at CPL \(3 - $ring) only.*ring=\(3 - $ring)"))' \
        'results | map(.event) == [$event,"instructions"]'
done

# ---- NetBurst ----

# Period 1: an overflow at each event. Every one but the first asks, and the counter begins anew with each interrupt: as
# many samples as the oracle has interrupts, half as many as it has misses at CPL 3. The payload's own load misses in each
# round after the first (on a Prescott some hit: the handler's accesses disturb the tree of its pseudo-LRU). Before it, the
# payload's argument and the line of its first round may miss too, once each: it depends on where the kernel's data lie.
every_second() {
    local cpu=${1#sampling-} status samples at_target
    cpu=${cpu%-*}
    ./run-bochs.sh --no-install --cpu "$cpu" --oracle "$dir/$1.oracle" --histogram $MISS -o "$dir/$1.jsonl" --append \
        "bench=pebs_vs_iebs:n=990 sample=pmi events=$MISS:force_ovf:u period=1" >"$dir/$1.out" 2>&1
    status=$?
    read -r samples at_target < <(jq -s -r --arg miss $MISS --arg target "$(address_of pebs_vs_iebs_load)" '
        def half: . / 2 | floor;
        last | .events[$miss].u as $all | .histogram[$miss][$target] as $own |
        select(.interrupts == {"0": ($all | half)}) | "\($all | half) \(($all | half) - ($all - $own | half))"' "$dir/$1.oracle")
    : "${samples:=null}" "${at_target:=null}"
    judge "$1" 0 "$status" 'samplings | .[0].samples == $samples and .[0].lost == 0 and .[0].samples > 400' cheap_handler \
        'profiles | [.[0].lines[] | select(.instructions == 1).count] == [$at_target]'
}
for cpu in $(model_names netburst); do
    of_each_family $cpu custom "sampling-$cpu-force_ovf" every_second
    for pmi in fixed nmi; do
        of_each_family $cpu sim_boot "sampling-$cpu-$pmi" 0 "--cpu $cpu" "$LOOP ring=3 sample=pmi pmi=$pmi events=instr_retired:u,uops_retired:u period=1000" \
            'samplings | length == 2 and all(.delivery == $pmi and .lost == 0)' \
            'each_overflow(1000)' cheap_handler
        # A storm is ended, told, and the next benchmark is none the worse.
        of_each_family $cpu sim_boot "sampling-$cpu-storm-$pmi" 0 "--cpu $cpu" \
            "bench=empty,pebs_vs_iebs:n=99 sample=pmi pmi=$pmi ring=0 events=instr_retired:force_ovf period=1 samples=100 reps=1" \
            'samplings | length == 2 and (.[1] | stormy and .lost == 1400)'
        of_each_family $cpu sim_boot "sampling-$cpu-storm-user-$pmi" 0 "--cpu $cpu" \
            "bench=pebs_vs_iebs:n=99,stride_thrash sample=pmi pmi=$pmi ring=3 events=instr_retired:force_ovf:u period=1 samples=100 reps=1 all=1" \
            'samplings | length == 2 and all(.samples > 90 and .samples + .outside + .lost == .interrupts and .lost >= 400 and .lost <= 1400)' \
            '(samplings | map(.samples)) as $in | records("sample") | ["pebs_vs_iebs", "stride_thrash"] as $b
                | [range(2) as $i | map(select(.bench == $b[$i]) | .samples[]) | length == 100 and (map(select(.outside | not)) | length) == $in[$i]] | all'
    done
done
sim_boot sampling-willamette-jitter 0 '--cpu willamette' "$LOOP ring=3 sample=pmi events=instr_retired:u period=1000 jitter=99" \
    'samplings | .[0].handler_instructions > 90 and .[0].handler_instructions <= 120'

# PEBS at CPL 0, where the handler's own misses are counted and recorded too: a draining has enough of them for a
# record or more with a period of 3, and few enough for the room after the threshold. NAME is pebs-ring0-CPU-PERIOD-BUFFER.
pebs_ring0() {
    local status verdict cpu period buffer lines=8 n=6400
    IFS=- read -r _ _ cpu period buffer <<<"$1"
    [ "$cpu" != prescott ] || lines=16 # its L1 has eight ways
    ./run-bochs.sh --no-install --cpu "$cpu" --oracle "$dir/$1.oracle" --histogram $MISS -o "$dir/$1.jsonl" \
        --bracket "pass=sampling_on:pmu_netburst_pebs_stop,payload=call@$(address_of bracket_cpuid_call):ret" \
        --append "bench=l1_profile:n=$n all=1 ring=0 sample=pebs events=$MISS period=$period buffer=$buffer" >"$dir/$1.out" 2>&1
    status=$?
    verdict=$(jq -s -c --arg event $MISS --arg target "$(address_of l1_profile_load)" --argjson n $n --argjson period "$period" \
        --argjson lines $lines --slurpfile oracle "$dir/$1.oracle" -f tests/boot/pebs_ring0.jq "$dir/$1.jsonl" 2>&1)
    if [ "$verdict" != '[]' ]; then fail "$1" "$(cut -c1-300 <<<"$verdict")"; return; fi
    judge "$1" 0 "$status" 'samplings | length == 1 and (.[0] | .ring == 0 and .by == "pebs" and .lost == 0 and .interrupts > 200)'
}
custom pebs-ring0-prescott-5-2 pebs_ring0
for how in northwood-3-2 northwood-3-8 northwood-4-2; do long custom pebs-ring0-$how pebs_ring0; done

# So many of the handler's own that they fill PEBS's buffer: that records are missing is said.
sim_boot pebs-ring0-full 0 '--cpu prescott' "bench=l1_profile:n=6400 ring=0 sample=pebs events=$MISS period=3 buffer=8" \
    'samplings | length == 1 and (.[0].flags | index("lost") and index("more-lost"))'

# ---- payloads that have more than a bracket around them ----

sim_boot sampling-regions 0 '--cpu p3' 'bench=regions sample=pmi events=inst_retired:u ring=3 samples=100' 'samplings[0].samples >= 50'
# Code after the payloads, here the bracket, has no symbol.
sim_boot sampling-bracket 0 '--cpu p3' 'bench=empty sample=pmi events=inst_retired:u ring=3 period=2' \
    '[profiles[] | .lines[] | has("symbol")] | (map(select(.)) | length) <= 1 and (map(select(not)) | length) >= 1'

# ---- without a PMU ----

# Timers, on machines without a PMU. Under -icount a tick is an instruction, so that the handler's cost is exact, and each of the
# loop's 52 instructions (50 loads, DEC, JNZ) has the same share. A timer in step with the loop finds a few of them, so
# several lengths and numbers of samples are tried: without jitter= 250 samples of the 32-bit kernel are at two addresses.
sampled=(250 256 290 300 310 333 499 512)
for f in "i586 pentium3 apic" "i586 pentium3,-apic pit" "x86_64 max apic" "x86_64 max,-apic pit"; do
    read -r flavour cpu unit <<<"$f"
    for ring in 0 3; do
        n=${sampled[0]} sampled=("${sampled[@]:1}")
        boot "sampling-timer-$flavour-$unit-ring$ring" 0 "--flavour $flavour --cpu $cpu --icount \
            --append 'bench=stride_thrash:n=1000000,stride_thrash:n=700000 ring=$ring sample=timer samples=$n reps=10'" \
            'samplings | length == 2 and all(.unit == "\($unit)-clocks" and .samples >= $n * 0.8 and .samples <= $n * 1.2 and
                drawn(if $unit == "pit" then 1.1 else 0 end))' \
            'samplings | all(.jitter == (.period / 4 | floor) and .seed == 1 and .lost == 0)' \
            'samplings | all(.handler_tsc > 20 and .handler_tsc <= 150)' 'profiles | all(.distinct > 10)' evenly \
            'notes("interrupts") == []'
    done
done
# The requested timer, through both 8259s or one, and through LINT0 if a local APIC is enabled. In the expected number, and all
# one period apart without jitter: within 1.5 %, since Bochs's 8254 goes by whole microseconds, of ten instructions each. In QEMU
# an instruction takes a nanosecond. At CPL 3 with the jitter that timers have by themselves (of the RTC the handler's only).
# Between two calls of the payload one that was outside of it may be missing.
timer_case() { # sets words and conditions, by $timer, $ticks and $ring
    words='' conditions=(timed 'apart($ticks; 0.015)' 'samplings[0] | has("jitter") | not')
    if [ "$ring" = 0 ]; then
        words=jitter=0
    elif [ "$timer" = pit ]; then
        conditions=('timed_with(drawn(0))' 'apart($ticks; 0.265)' 'samplings[0] | .jitter == (.period / 4 | floor)')
    fi
}
# In the usual run each timer at one ring of each machine, and at both of each flavour.
for f in "i586 pentium3" "i586 pentium3,-apic" "x86_64 max" "x86_64 max,-apic"; do
    read -r flavour cpu <<<"$f"
    for t in "pit 997 835580" "rtc 8 244141"; do
        read -r timer period ticks <<<"$t"
        for ring in 0 3; do
            case $cpu-$timer in pentium3-pit | pentium3,-apic-rtc | max-rtc | max,-apic-pit) own=0 ;; *) own=3 ;; esac
            timer_case
            # At CPL 0 it is a matter of luck: a period that is the same each time.
            [ $ring = 0 ] || conditions+=('profiles[0].distinct > 5')
            usual_for $own $ring boot "sampling-timer-$timer-${cpu/,-/-no-}-ring$ring" 0 "--flavour $flavour --cpu $cpu --icount \
                --append 'bench=stride_thrash:n=1000000 ring=$ring sample=timer timer=$timer period=$period reps=10 all=1 $words'" \
                "${conditions[@]}" 'samplings | .[0].unit == "\($timer)-clocks" and .[0].period == $period' \
                'samplings | .[0].handler_tsc > 20 and .[0].handler_tsc <= 150' \
                'notes("interrupts") == []'
        done
    done
done
# The model has no times; its timers interrupt all the same, with --ips=10000000 once in TICKS instructions: 520,002 belong to the payload, and to each handler
# some hundred. Drawn periods scatter: five times sqrt(62 / 48).
# (1009: of 997 the payload takes 62.996 periods, so that one more or less is a matter of the timer's phase.)
for cpu in p5 p3 k8; do
    for t in "pit 1009 8456" "rtc 32 9766"; do
        read -r timer period ticks <<<"$t"
        for ring in 0 3; do
            timer_case
            usual_for 'p5-pit-0 p5-rtc-3 k8-pit-3 k8-rtc-0' $cpu-$timer-$ring sim_boot "sampling-$cpu-timer-$timer-ring$ring" 0 "--cpu $cpu --ips 10000000" \
                "bench=stride_thrash:n=500000 ring=$ring sample=timer timer=$timer period=$period reps=1 all=1 $words" untimed \
                'samplings | .[0].unit == "\($timer)-clocks" and .[0].period == $period' \
                'samplings[0].samples - 524000 / $ticks | fabs <= if $ring == 0 or $timer == "rtc" then 1.5 else 7 end' "${conditions[-1]}"
        done
    done
    usual_for p3 $cpu sim_boot "sampling-$cpu-timer-rtc-auto" 0 "--cpu $cpu" "bench=stride_thrash:n=500000 ring=3 sample=timer timer=rtc samples=50" \
        untimed 'samplings | .[0].period_auto and .[0].tries == 1 and .[0].samples >= 25 and .[0].samples <= 100'
done
boot sampling-timer-no-apic 1 "--cpu max,-apic --append 'bench=empty sample=timer timer=apic'" 'error_says("no local APIC works here")' 'samplings == []'
# A machine that has neither RTC nor 8254.
BARE='--qemu-arg -M --qemu-arg microvm,rtc=off,pit=off,pic=on,isa-serial=on'
boot sampling-timer-no-rtc 1 "$BARE --append 'bench=stride_thrash sample=timer timer=rtc'" 'error_says("no RTC answers here")' 'samplings == []'
boot sampling-timer-no-pit 1 "$BARE --append 'tsc=1000000000 bench=stride_thrash:n=1000000 sample=timer timer=pit period=100'" \
    'error_says("the timer does not interrupt")' 'samplings == []'
# The TSC's rate is unknown: auto keeps clear of periods that leave the payload no time.
boot sampling-timer-no-rate 0 "$BARE --append 'bench=stride_thrash:n=1000000 sample=timer samples=2000'" \
    'notes("clock") | length == 1' 'samplings | length == 1 and .[0].samples >= 20'
# A payload that faults takes sampling with it, and the next one is none the worse.
for f in "i586 pentium3" "x86_64 max"; do
    read -r flavour cpu <<<"$f"
    for ring in 0 3; do
        for t in "apic 300" "pit 300" "rtc 100"; do
            read -r timer wanted <<<"$t"
            usual_for 'i586-apic-0 i586-pit-3 i586-rtc-0 x86_64-apic-3 x86_64-pit-0 x86_64-rtc-3' $flavour-$timer-$ring \
                boot "sampling-trap-$flavour-$timer-ring$ring" 1 "--flavour $flavour --cpu $cpu --icount \
                --append 'warmup=0 bench=test_pf,stride_thrash:n=1000000 ring=$ring sample=timer timer=$timer samples=$wanted reps=10'" \
                'records("error"; .bench == "test_pf") | length == 1' \
                'samplings | length == 1 and .[0].samples >= $wanted / 2 and .[0].lost == 0' \
                'notes("interrupts") == []'
        done
    done
done
boot sampling-timer-kept 0 "--append 'bench=stride_thrash:n=1000000 sample=timer period=100000 samples=5 reps=20'" 'samplings[0].samples <= 5'
# QEMU's AMD processors have a PMU whose counters are not there, its Intel ones have none.
for cpu in max Nehalem; do
    boot sampling-without-pmu-$cpu 2 "--cpu $cpu --append 'sample=pmi events=cycles'" 'error_says("this CPU has no working counter")'
done
# Words that are wrong.
bad sampling-by 'sample=never' 'unknown value.*never'
bad sampling-period 'sample=timer period=0' 'out of range'
bad sampling-alone 'period=100' 'this word needs sample='
bad sampling-timer 'sample=timer timer=hpet' 'unknown value.*hpet'
bad sampling-timer-period 'sample=timer timer=rtc period=100' 'a power of two from 4 to 16384'
bad sampling-timer-alone 'bench=pebs_vs_iebs timer=rtc' 'this word needs sample='
bad sampling-jitter 'sample=timer timer=rtc jitter=5' 'the RTC has powers of two only'

# ---- several events at once ----

# Each event has the profile that it has when it is sampled alone, sample by sample, also where two overflow with the same instruction
# (instructions and cycles, which are the same here). A Pentium 4 interrupts with the event after the overflow: where another's interrupt
# comes in between, the sample is one event early, so that its period is longer. NAME is sampling-at-once-CPU.
at_once() {
    local cpu events words n alone status period=97 loads=20000
    local profiles='[.[] | select(.t=="profile") | {event, samples, lines: [.lines[] | {address, count}]}] | sort_by(.event)'
    cpu=$(cut -d- -f4 <<<"$1")
    case $cpu in
    willamette | prescott) events=instr_retired:u,memory_loads:u,branch_retired:u period=997 loads=100000 ;;
    skylake) events=instructions:u,mem_inst_retired:all_loads:u,branches:u,ref-cycles:u ;;
    k8 | zen4) events=instructions:u,cycles:u ;; # an interrupt is a branch, and an access to data
    *) events=instructions:u,branches:u ;;
    esac
    n=$(tr , '\n' <<<"$events" | wc -l)
    words="bench=stride_thrash:n=$loads reps=1 ring=3 sample=pmi events=$events period=$period text=none"
    ./run-bochs.sh --no-install --cpu "$cpu" -o "$dir/$1-alone.jsonl" --append "$words" >"$dir/$1-alone.out" 2>&1
    ./run-bochs.sh --no-install --cpu "$cpu" -o "$dir/$1.jsonl" --append "$words at_once=1 all=1" >"$dir/$1.out" 2>&1
    status=$?
    alone=$(jq -s -S "$profiles" "$dir/$1-alone.jsonl")
    if [ "$(jq length <<<"$alone")" -lt "$n" ] || [ "$alone" != "$(jq -s -S "$profiles" "$dir/$1.jsonl")" ]; then
        fail "$1" "profiles differ: $(diff <(echo "$alone") <(jq -s -S "$profiles" "$dir/$1.jsonl") | head -n 4 | tr '\n' ' ')"
        return
    fi
    judge "$1" 0 "$status" \
        'samplings | length == $n and all(.at_once == $n and .lost == 0 and .samples >= 2 and
            if .event | test("cycles") then has("occurred") | not else .samples + .outside == (.occurred / $period | floor) end)' \
        '. as $all | samplings | all(. as $s | [$all[] | select(.t == "sample" and .event == $s.event) | .samples[]] | length == $s.samples + $s.outside and
            all(.counter == $s.counter))'
}
for cpu in p3 willamette coreduo prescott skylake k8 zen4; do
    case $cpu in p3 | willamette | skylake) how= ;; *) how=long ;; esac
    $how custom "sampling-at-once-$cpu" at_once
done
# Each event gets a period of its own, and enough samples. What the handler costs is of a sample.
sim_boot sampling-at-once-auto 0 '--cpu p3' "${LOOP% *} ring=3 sample=pmi events=inst_retired:u,br_inst_retired:u samples=500 at_once=1" \
    'samplings | length == 2 and all(.samples >= 500 and .samples <= 1000 and .lost == 0) and .[0].period > 20 * .[1].period and
        .[0].handler_instructions == .[1].handler_instructions'
long sim_boot sampling-at-once-lost 0 '--cpu p3' "$LOOP ring=3 sample=pmi events=inst_retired:u,br_inst_retired:u period=97 samples=50 at_once=1" \
    'samplings | (map(.samples) | add) == 100 and all(.samples + .lost == (.occurred / 97 | floor))'
sim_boot sampling-at-once-many 1 '--cpu p3' "$LOOP ring=3 sample=pmi events=inst_retired:u,br_inst_retired:u,data_mem_refs:u at_once=1" \
    'error_says("these 3 events do not fit on the counters of one run")' 'samplings == []'
