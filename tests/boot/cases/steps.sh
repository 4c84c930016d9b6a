# Cycle by cycle (steps=) on the modelled PMU. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2016,SC2154

# stepped NAME CPU: each step's counts are those of the oracle's trace of the payload up to that instruction. By version 2, 3 and 4 of
# architectural performance monitoring and by AMD's PerfMonV2 the counters freeze in different ways.
stepped() {
    local name=$1 cpu=$2 event=INSTRUCTION_RETIRED misses=true words verdict
    case $cpu in
    core2) words=r0cc4:u,r01cb:u ;;
    haswell) words=r20c4:u misses=false ;;
    zen4) event=RETIRED_INSTRUCTIONS words=r00c4:u misses=false ;;
    *) words=r20c4:u,r08d1:u ;;
    esac
    ./run-bochs.sh --no-install --cpu "$cpu" --oracle "$dir/$name.oracle" --trace "$event,user" -o "$dir/$name.jsonl" \
        --append "bench=stride_thrash:n=200 ring=3 reps=1 events=instructions:u,$words steps=auto" >"$dir/$name.out" 2>&1 ||
        { fail "$name" "exit status $?"; return; }
    verdict=$(jq -s -c --argjson misses $misses --slurpfile oracle "$dir/$name.oracle" -f tests/boot/steps.jq "$dir/$name.jsonl" 2>&1)
    if [ "$(jq ".insns == 210 and .taken == 3 and .length and .rows and .came == [] and .before >= 0 and .untimed and (.misses // 1) > 0" \
        <<<"$verdict" 2>/dev/null)" != true ]; then
        fail "$name" "$(cut -c1-300 <<<"$verdict")"
        return
    fi
    judge "$name" 0 0 'records("step") | length > 200' 'notes("model") == []'
}
for cpu in core2 haswell skylake zen4; do
    case $cpu in haswell) how=long ;; *) how= ;; esac
    $how custom "steps-$cpu" stepped $cpu
done

# Code that faults or never returns is ended, with the counters stopped or not; what comes after it is measured. A snippet's table is that of 2 N
# copies, each an instruction of a cycle.
module stepped64 64 a=90 loop=90ebfe fault=0f0b b=480fafc0
sim_boot steps-contained 1 "--cpu skylake --module $dir/stepped64.mod" 'bench=code:unroll=3 reps=3 limit=1 ring=3 steps=0..60:4' \
    'map(select(.t == "error") | [.variant, .byte, .vector]) == [["loop", 1, null], ["fault", 0, 6]]' \
    'map(select(.t == "steps") | [.variant, .events, .rows, .ended]) == [["a", ["instructions"], 12, true], ["b", ["instructions"], 12, true]]' \
    'records("step") | length == 24 and all((has("cycles") | not) and .frozen == 3 and .count == [.asked + 4])'

# The words of anechoic code, which prints the kernel's table.
stepped_code() {
    local want got
    build/host/anechoic code nop --unroll 2 -e instructions,branches --reps 3 -o "$dir/$1.jsonl" -x --no-install steps=6..9 >"$dir/$1.out" 2>&1
    got=$(grep -A 4 -F 'asked instructions' "$dir/$1.out" | sed 's/ *$//')
    want='     asked instructions         branches
         6           14     +14        3      +3
         7           15      +1        4      +1
         8           16      +1        4
         9           17      +1        4'
    if [ "$got" != "$want" ]; then fail "$1" "not its table: $got"; else judge "$1" 0 0 'records("step") | length == 4'; fi
}
custom steps-code stepped_code

# On another processor, and an event that the model lacks: it has no column.
sim_boot steps-elsewhere 0 '--cpu skylake --smp 2' 'cpu=1 bench=stride_thrash:n=50 reps=2 events=r00c5,instructions steps=0..8:4' \
    'map(select(.t == "steps") | [.cpu, .events, .unmodelled]) == [[1, ["instructions"], ["r00c5"]]]' \
    'map(select(.t == "step") | .count | length) == [1, 1, 1]' 'map(select(.t == "step") | .came[0])[1:] == [4, 4]' \
    'notes("model") | length == 1' 'notes("clock") == []'

sim_boot steps-p3 2 '--cpu p3' 'bench=stride_thrash steps=auto' 'error_says("sample=pmi or timer shows")' 'results == []'
