# Rates at the monitor's prompt (live, log): on modelled processors against a payload whose instructions are known, with keys typed.
# Uses at_prompt() and says() of monitor.sh. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154

# prompted NAME: an empty prompt has come. Of a line that is longer than its row the prompt is drawn again, with "<" or words behind it.
prompted() {
    local part next=''
    while IFS= read -r -t "${TIMEOUT:-120}" -d '>' part <&"$from"; do
        printf '%s>' "$part" >>"$dir/$1.session"
        [[ $part == *anechoic ]] || continue
        IFS= read -r -t "${TIMEOUT:-120}" -N 2 next <&"$from"
        printf '%s' "$next" >>"$dir/$1.session"
        [ "$next" != $' \e' ] || return 0
    done
    printf '%s' "$part" >>"$dir/$1.session"
    return 1
}

# shown NAME TEXT: it has come.
shown() {
    local part all=''
    while IFS= read -r -t "${TIMEOUT:-120}" -d "${2: -1}" part <&"$from"; do
        all+=$part${2: -1}
        printf '%s' "$part${2: -1}" >>"$dir/$1.session"
        [[ $all != *"$2" ]] || return 0
    done
    return 1
}

# with_keys NAME COMMAND: what typed() of monitor.sh does, and a line ~TEXT~KEYS is these keys, when the text has come.
with_keys() {
    local name=$1 line
    : >"$dir/$name.session"
    # shellcheck disable=SC2034 # keep_pipes() reads it
    coproc MONITOR { exec timeout "${TIMEOUT:-120}" script -qfec "$2" /dev/null 2>&1; }
    local script=$MONITOR_PID from to
    keep_pipes
    while IFS= read -r line; do
        case $line in
        '~'*)
            line=${line#'~'}
            shown "$name" "${line%%'~'*}" || break
            printf '%b' "${line#*'~'}" >&"$to"
            ;;
        *)
            prompted "$name" || break
            printf '%s\r' "$line" >&"$to"
            ;;
        esac
    done
    prompted "$name"
    wait "$script"
    status=$?
    cp "$dir/$name.session" "$dir/$name.out"
}

# rates_sim NAME CPU EVENTS EVENT [WORDS]: EVENTS are as many as the counters take, the first of them instructions; EVENT is one too
# many, which is said, in these WORDS. The benchmark's payload is measured first: what an interval of a second counts besides so
# many of it is what reading and repeating cost, at most 1,000 instructions. The model's processor retires one in each tick, here 10 million
# a second, and so does the loop that waits.
rates_sim() {
    local name=$1 status first=${3%%,*} bench=fp_add_latency:n=1000000
    with_keys "$name" "./run-bochs.sh --no-install -i --cpu $2 --ips 10000000 -o $dir/$name.jsonl" <<EOF
run bench=$bench events=$first reps=3
log $3 every 1000 for 2 $bench
log $first every 50 for 2
log $3,$4 every 50 for 2
live $3 50 l1_miss
~Interval 3,~xq
log $first every 50 for 1000
~    2 ~\\003
log $first every 50 for 1 ring=3
exit
EOF
    says "$name" "events do not fit the counters at once" "${5:-Not with them: $4}" "q leaves. Interval 1, modelled, cpu 0, ring 0: l1_miss" \
        'stopped by Ctrl-C after' || return
    tr '\r' '\n' <"$dir/$name.session" | grep -qE "^$first +(4[5-9]|[5-9][0-9])[0-9]{4}  \[##########\] +@+\$" ||
        { fail "$name" "live has not shown half a million instructions in 50 ms"; return; }
    judge "$name" 0 "$status" counts_only \
        '(results[0] | .raw_min - .overhead) as $p | intervals | map(select(.bench != "idle")) |
            length == 2 and all(.[]; .rounds > 0 and .events[0].count > 9e6 and .events[0].event == "\($first)" and
            (.events[0].count - $p * .rounds | . > 0 and . <= 1000))' \
        'intervals | map(select(.bench == "idle" and .of == 2 and .ring == 0)) | length == 2 and
            all(.[]; .rounds == null and .interrupts == 0 and (.events[0].count | . > 4.9e5 and . < 1e6))' \
        'intervals | map(select(.of == 1000)) | length > 0 and length < 1000 and map(.number) == [range(1; length + 1)]' \
        'intervals | map(select(.of == 1)) | length == 1 and .[0].ring == 3 and .[0].events[0].count > 0'
}
custom rates-sim-p55c rates_sim p55c instructions,cycles branches
long custom rates-sim-p3 rates_sim p3 inst_retired,cpu_clk_unhalted dcu_lines_in
custom rates-sim-prescott rates_sim prescott instr_retired,branch_retired,uops_retired,global_power_events instr_completed,instr_retired:u,instr_retired:k \
    '4 fit: instr_retired, branch_retired, uops_retired,'

# Another processor is counted by its own counters, beside a benchmark on the one that draws.
rates_elsewhere() {
    local name=$1 status
    with_keys "$name" "./run-bochs.sh --no-install -i --cpu p3 --smp 2 -o $dir/$name.jsonl" <<'EOF'
run bench=fp_add_latency:n=1000 events=inst_retired cpu=1 reps=3
log inst_retired every 50 for 2 fp_add_latency:n=1000 cpu=1
log inst_retired every 50 for 2 with=fp_add_latency@1
log inst_retired every 50 for 2 cpu=2
live inst_retired 50 fp_add_latency cpu=1
~Interval 3,~q
exit
EOF
    says "$name" 'no such processor: "2"' 'modelled, cpu 1, ring 0: fp_add_latency x87' || return
    judge "$name" 0 "$status" counts_only \
        '(results[0] | .raw_min - .overhead) as $p | intervals | map(select(.cpu == 1)) | length == 2 and
            all(.[]; .rounds as $r | $r > 100 and (.events[0].count - $p * $r | . > 0 and . < 6 * $r + 1000))' \
        'intervals | map(select(.with)) | length == 2 and all(.[]; .cpu == 0 and .with[0].cpu == 1 and .with[0].rounds > 100)'
}
custom rates-elsewhere rates_elsewhere

# Without counters there is the time stamp, and how often a benchmark goes round.
rates_qemu() {
    local name=$1 status
    at_prompt "$name" i586 exit=monitor,qemu <<'EOF'
live cycles
live tsc 50
^C
log tsc every 50 for 2 fp_add_latency
log tsc every 0 for 2
exit
EOF
    says "$name" 'live: no performance counter counts on this processor. Valid: tsc.' 'q leaves. Interval 1, ' '"0" is not an interval' || return
    judge "$name" 0 "$status" 'records("cpu")[0].tsc_hz as $hz | rates($hz)' \
        'intervals | length == 2 and all(.[]; .rounds > 0 and .events[0].event == "tsc" and .flags == ["emulated"])'
}
custom rates-qemu rates_qemu
