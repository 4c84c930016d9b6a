# The kernel as a Linux process (docs/here.md): on this machine's own processor, and below Linux on the models. Its times are this
# machine's, which has other work to do: no condition is about one. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2034

here() { # here NAME STATUS 'OPTIONS' CONDITION...
    local name=$1 want=$2 options=$3 status
    shift 3
    eval "./run-here.sh --no-install -o '$dir/$name.jsonl' $options" >"$dir/$name.out" 2>&1 </dev/null
    status=$?
    judge "$name" "$want" "$status" "$@"
}
custom here-times here 0 "--append 'bench=fp_add_latency,fadd,l1_load reps=50'" \
    'records("boot") | .[0].platform == "linux" and (.[0].loader | startswith("Linux "))' \
    'records("cpu")[0] | .core_clock_source == "chain" and .core_per_tsc > 0' \
    'results | length >= 3 and all(.flags | index("hosted"))' \
    'results | all(.event != "tsc" or (.core_per_tsc > 0 and .core_per_op > 0))'
custom here-all here 0 "--append 'bench=all reps=3'" 'results | length > 20' 'errors == []'
if [ "$(nproc)" -gt 1 ]; then
    custom here-processors here 0 "--append 'bench=core_to_core cpus=2 reps=5'" 'records("processors")[0] | .source == "linux" and .up == 2' 'errors == []'
else
    skip here-processors "this machine has one CPU"
fi

custom here-sampling here 0 "--append 'bench=l1_miss sample=timer samples=100'" \
    'samplings[0] | .unit == "ns" and .delivery == "signal" and .samples >= 50' 'profiles | length > 0 and all(.flags | index("hosted"))' \
    'records("quiet") | .[1].preemptions >= 0 and .[1].waited_ms >= 0 and .[1].steal_ms >= 0'
custom here-sampling-rejected here 2 "--append 'bench=empty sample=timer timer=apic jitter=5'" \
    'messages | length == 1 and (.[0] | test("timer=apic.*timer=linux"))'

# Words that need the machine: each is an error of its own, with the reason.
here_refused() {
    here "$1" 2 "--append 'bench=empty ring=0 sample=pmi branches=lbr steps=auto dr0=100000 turbo=off prefetch=off apic=on rest=hlt console=com1 exit=monitor'" \
        'messages | length == 11 and all(test("Linux|standard output|threads that wait|run-here.sh -i"))'
}
custom here-refused here_refused

# What a line of here-faults.txt is named after ends it, and nothing else: those named FINE are measured. Where Linux runs no 32-bit
# code, its gates and segments do not exist, and each line that needs them is #GP.
here_faults() {
    local bits32=false
    ! runs_bits32 || bits32=true
    build/host/anechoic code --on here -f tests/boot/here-faults.txt -o "$dir/$1.all" limit=1 >"$dir/$1.out" 2>&1
    local status=$?
    grep '^{' "$dir/$1.all" >"$dir/$1.jsonl"
    if grep -q '"what":"system calls"' "$dir/$1.jsonl"; then
        say "skipped $1: this machine's Linux cannot end code at a system call"
        return
    fi
    judge "$1" 1 "$status" 'results | map(.variant) | length == 3 and .[-1] == "FINE.last" and all(startswith("FINE"))' \
        "$bits32"' as $bits32 | errors | length == 30 and all(.variant as $v | ($v | split(".")) as [$kind, $call] |
            if ($bits32 | not) and ($v | test("bits32|INT 80h")) then .name | startswith("#GP")
            elif $kind == "CALL" then .name == "system call" and (.error_code_text | startswith($call))
            elif $kind == "ENDED" then .message | test("had not returned")
            else .name | startswith("#" + $kind) end)'
}
custom here-faults here_faults

# A hundred lines of chance.
here_random() {
    local status
    awk -v seed="${1#here-random-}" 'BEGIN {
        srand(seed)
        for (i = 0; i < 100; i++) {
            line = "random" i ": .byte " int(rand() * 256)
            for (n = int(rand() * 12); n > 0; n--) line = line "," int(rand() * 256)
            print line
        }
    }' >"$dir/$1.txt"
    build/host/anechoic code --on here -f "$dir/$1.txt" -o "$dir/$1.all" limit=1 >"$dir/$1.out" 2>&1
    status=$?
    grep '^{' "$dir/$1.all" >"$dir/$1.jsonl"
    judge "$1" 1 "$status" '(results + errors) | map(.variant) | unique | length == 100'
}
custom here-random-1 here_random
for seed in 2 3 4 5; do long custom "here-random-$seed" here_random; done

# Latency and throughput of hundreds of instructions, in five runs beside other work: 95 % of them as published. Of another CPU nobody has
# published them in this form.
here_figures() {
    local i pid load=() verdict
    if ! grep -q -A 20 'AuthenticAMD' /proc/cpuinfo || [ "$(sed -n -E 's/^(cpu family|model|stepping)[^:]*: ([0-9]+)$/\2/p' /proc/cpuinfo | head -n 3 | tr '\n' ' ')" != '25 17 1 ' ]; then
        say "skipped $1: this machine's CPU is not the one of tests/figures/zen4.tsv (CPUID 00A10F11h)"
        return
    fi
    awk -f tests/figures/snippets.awk tests/figures/zen4.tsv >"$dir/$1.txt"
    for ((i = 0; i < $(nproc); i++)); do
        while :; do :; done &
        load+=($!)
    done
    for i in 1 2 3 4 5; do
        build/host/anechoic code --on here -f "$dir/$1.txt" -o "$dir/$1.all" >"$dir/$1.out" 2>&1
        grep '^{' "$dir/$1.all" >"$dir/$1.jsonl"
        verdict=$(jq -n -c --rawfile figures tests/figures/zen4.tsv --slurpfile records "$dir/$1.jsonl" -f tests/figures/compare.jq)
        [ "$(jq '.figures >= 400 and .within >= 0.95 * .figures' <<<"$verdict")" = true ] || break
    done
    for pid in "${load[@]}"; do kill "$pid"; done
    if [ "$(jq '.figures >= 400 and .within >= 0.95 * .figures' <<<"$verdict")" != true ]; then fail "$1" "run $i: $(cut -c1-600 <<<"$verdict")"; return; fi
    say "ok $1"
}
custom here-figures here_figures

# A process that is killed leaves all records that it has printed.
here_killed() {
    local script pid='' seen
    ./run-here.sh --no-install --raw -o "$dir/$1.jsonl" --append 'bench=empty reps=1000000 all=1' >"$dir/$1.raw" 2>"$dir/$1.out" </dev/null &
    script=$!
    for ((i = 0; i < 400; i++)); do
        pid=$(pgrep -f "build/here .*reps=1000000 all=1" | tail -n 1)
        [ -z "$pid" ] || [ "$(grep -c '"t":"reps"' "$dir/$1.raw")" -lt 20 ] || break
        sleep 0.05
    done
    kill -KILL "$pid"
    wait "$script"
    seen=$?
    if [ $seen != 3 ]; then fail "$1" "exit status $seen, not 3"; return; fi
    if [ "$(grep -c '^{' "$dir/$1.raw")" -lt 20 ]; then fail "$1" "fewer than 20 records"; return; fi
    if ! cmp -s <(grep '^{' "$dir/$1.raw") "$dir/$1.jsonl"; then fail "$1" "the file lacks records that were printed"; return; fi
    say "ok $1"
}
custom here-killed here_killed

# Linux counts on a model: nothing differs, and counts are those of the bare machine in the same ring.
linux_here() {
    local cpu=${1#linux-here-} status different
    if ! tools/linux-kernel.sh --bits 64 >"$dir/$1.out" 2>&1; then
        say "skipped $1: no Linux kernel can be had ($(tail -n 1 "$dir/$1.out"))"
        return
    fi
    tools/linux-here.sh --no-install --cpu "$cpu" --append 'bench=truth cull=flagged' -o "$dir/$1.jsonl" >"$dir/$1.out" 2>&1
    status=$?
    ./run-bochs.sh --no-install --cpu "$cpu" --append 'bench=truth reps=3 ring=3' -o "$dir/$1.bare" >>"$dir/$1.out" 2>&1
    different=$(jq -n -r --slurpfile here "$dir/$1.jsonl" --slurpfile bare "$dir/$1.bare" '
        def counts: map(select(.t == "truth" and has("measured")) | {key: "\(.program) \(.event)", value: .measured}) | from_entries;
        ($bare | counts) as $bare | $here | counts | to_entries[] | select($bare[.key] and $bare[.key] != .value) | .key')
    if [ -n "$different" ]; then fail "$1" "not what the bare machine counts: ${different//$'\n'/, }"; return; fi
    judge "$1" 0 "$status" 'truths | length > 40 and all(.verdict != "differs")' \
        '[truths[] | select(has("reps")) | .reps] | min >= 15' 'records("boot")[0] | .platform == "linux" and .modelled == $cpu'
}
for cpu in skylake zen4; do custom "linux-here-$cpu" linux_here; done
for cpu in core2 sandybridge haswell icelake tigerlake k8 fam10h bulldozer zen; do long custom "linux-here-$cpu" linux_here; done
