# PEBS of the architectural models against the oracle, sample by sample: each record names the instruction, its registers and its
# access as the oracle's trace of the event has them. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154

# precise NAME 'run-bochs.sh options' 'words' PERIOD 'trace event' ABOVE 'fields of the data' CONDITION...
# ABOVE: of the event of latencies, what latency= says; -1: another event.
precise() {
    local name=$1 options=$2 words=$3 period=$4 event=$5 above=$6 says=$7 status verdict
    shift 7
    # shellcheck disable=SC2086 # options are words
    ./run-bochs.sh --no-install $options --oracle "$dir/$name.oracle" --trace "$event,user,regs" -o "$dir/$name.jsonl" \
        --append "$words ring=3 sample=pebs period=$period all=1 reps=1 warmup=0" >"$dir/$name.out" 2>&1
    status=$?
    verdict=$(jq -s -c --argjson period "$period" --argjson above "$above" --argjson says "$says" --slurpfile oracle "$dir/$name.oracle" \
        -f tests/boot/pebs_samples.jq "$dir/$name.jsonl" 2>&1)
    if [ "$verdict" != '[]' ]; then
        fail "$name" "$(cut -c1-600 <<<"$verdict")"
        return
    fi
    judge "$name" 0 "$status" 'samplings | length == 1 and .[0].by == "pebs" and .[0].lost == 0 and (.[0].flags | index("more-lost") | not)' "$@"
}
precise_boot() { selected "$1" && background precise "$@"; }

DATA='["data"]'
ACCESS='["data","level"]'
# One of each format; the buffer of a Core 2 is one page.
precise_boot precise-core2 '--cpu core2 --flavour i586' 'bench=l1_miss:sweeps=1 events=r01cb:u' 7 MEM_LOAD_RETIRED:L1D_MISS -1 '[]' \
    'samplings | .[0].samples > 250 and .[0].interrupts == (.[0].samples / 19 | floor)' \
    'samples | all(has("data") or has("latency") or has("level") | not)'
precise_boot precise-sandybridge '--cpu sandybridge' 'bench=l1_miss:sweeps=1 events=r01cd:u latency=6' 2 L1D:REPLACEMENT 6 "$ACCESS" \
    'samplings | .[0].samples > 225 and .[0].counter == 3' \
    'samples | all(without_times and  .traits == ["load"] and (has("tlb") | not))'
precise_boot precise-haswell '--cpu haswell --flavour i586' 'bench=l1_miss:sweeps=1 events=r01c0:u' 15 INSTRUCTION_RETIRED -1 '[]' \
    'samplings | .[0].samples > 250 and .[0].counter == 1 and .[0].interrupts == (.[0].samples / 64 | floor)' \
    'samples | all(.precise and (has("tsc") or has("corrected") | not))'
precise_boot precise-skylake '--cpu skylake' 'bench=l1_miss:sweeps=1 events=r08d1:u' 7 MEM_LOAD_RETIRED:L1_MISS -1 "$DATA" \
    'samplings[0].samples > 250' 'samples | all(.precise and (has("tsc") or has("latency") or has("level") | not))'
precise_boot precise-icelake '--cpu icelake' 'bench=l1_miss:sweeps=1 events=r01cd:u latency=3' 3 MEM_INST_RETIRED:ALL_LOADS 3 "$ACCESS" \
    'samplings[0].samples > 225' 'samples | all(.precise and without_times)'
# What each of them has beside that; interrupts one at a time, and late; without skid on a fixed counter.
long precise_boot precise-core2-instructions '--cpu core2' 'bench=l1_miss events=r00c0:u buffer=1' 31 INSTRUCTION_RETIRED -1 '[]' \
    'samplings | .[0].interrupts >= .[0].samples and .[0].interrupts <= .[0].samples + 2'
long precise_boot precise-sandybridge-branches '--cpu sandybridge --flavour i586' 'bench=l1_miss events=r01c4:u' 7 BR_INST_RETIRED:CONDITIONAL -1 '[]'
long precise_boot precise-haswell-latency '--cpu haswell' 'bench=l1_miss events=r01cd:u latency=13' 2 L1D:REPLACEMENT 13 "$ACCESS"
long precise_boot precise-skylake-late '--cpu skylake --skid 20' 'bench=l1_miss events=r01cd:u latency=3 buffer=3' 3 MEM_INST_RETIRED:ALL_LOADS 3 "$ACCESS"
long precise_boot precise-tigerlake-fixed '--cpu tigerlake' 'bench=l1_miss events=r0100:u' 31 INSTRUCTION_RETIRED -1 '[]' 'samplings[0].counter == 8'
long precise_boot precise-tigerlake-basic '--cpu tigerlake --flavour i586' 'bench=l1_miss events=r08d1:u data=addr,regs,xmm' 7 \
    MEM_LOAD_RETIRED:L1_MISS -1 "$DATA" \
    'samples | all(has("tsc") | not)'
long precise_boot precise-icelake-branches '--cpu icelake' 'bench=l1_miss events=r08d1:u data=addr,regs,lbr' 17 \
    MEM_LOAD_RETIRED:L1_MISS,branches=16 -1 '["data","branches"]' \
    'samples | all(.branch_from | length > 0 and length <= 32)'
for cpu in sandybridge haswell skylake icelake tigerlake; do
    long precise_boot "precise-$cpu-taken" "--cpu $cpu" 'bench=stride_thrash:n=8000:lines=16 events=br_inst_retired.near_taken:u' 13 \
        BR_INST_RETIRED:NEAR_TAKEN -1 '[]'
done
for cpu in sandybridge skylake icelake; do # without skid: counter 1, or the first fixed one
    case $cpu in icelake) event=r0100 ;; *) event=r01c0 ;; esac
    long precise_boot "precise-$cpu-instructions" "--cpu $cpu" "bench=stride_thrash:n=8000:lines=16 events=$event:u" 131 INSTRUCTION_RETIRED -1 '[]'
done
long precise_boot precise-tigerlake-latency '--cpu tigerlake' 'bench=stride_thrash:n=8000:lines=16 events=r01cd:u latency=6' 13 \
    MEM_INST_RETIRED:ALL_LOADS 6 "$ACCESS"
# From memory: 64 lines of one set of each cache.
for cpu in haswell skylake; do
    case $cpu in haswell) stride=524288 ;; skylake) stride=786432 ;; esac
    long precise_boot "precise-$cpu-memory" "--cpu $cpu" "bench=stride_thrash:n=8000:lines=64:stride=$stride events=r01cd:u latency=100" 13 \
        L1D:REPLACEMENT 100 "$ACCESS" \
        'samples | all(.level == "memory")'
done
# All samples at the load itself, each address as often as another.
at_the_load() { # CPU EVENT LINES [long]
    local lines=$3
    ${4:-} sim_boot "precise-l1-$1" 0 "--cpu $1" "bench=l1_profile:n=80800 period=101 events=$2" \
        'samplings | .[0].samples == 800 and .[0].lost == 0' \
        'profiles | map(select(.by == "instruction") | .lines[]) | length == 1 and .[0].count == 800 and .[0].instructions == 0' \
        'profiles | map(select(.by == "data address") | .lines[]) | length == $lines and all(.count == 800 / $lines)'
}
at_the_load skylake r08d1:u 16
at_the_load icelake r08d1:u 32 long

# A buffer of 1,000 records is one interrupt, and each takes 40 instructions to fold: counted by the oracle, which has REP MOVSQ
# as one. NAME is precise-fold-CPU-WHAT.
fold() { # fold NAME WORDS
    local name=$1 cpu=${1#precise-fold-} status most
    cpu=${cpu%%-*}
    ./run-bochs.sh --no-install --cpu "$cpu" --oracle "$dir/$name.oracle" --bracket fold=pebs_drain:ret -o "$dir/$name.jsonl" \
        --append "bench=stride_thrash:n=40000 ring=3 sample=pebs buffer=1000 samples=1000 reps=1 warmup=0 $2" >"$dir/$name.out" 2>&1
    status=$?
    most=$(jq -s 'map(.insns) | max' "$dir/$name.oracle")
    if ! [ "${most:-0}" -gt 15000 ] || [ "$most" -gt 40000 ]; then
        fail "$name" "the drain of 1,000 records took ${most:-no} instructions"
        return
    fi
    judge "$name" 0 "$status" 'samplings | length == 1 and .[0].samples == 1000 and .[0].interrupts == 1'
}
custom precise-fold-skylake-access fold 'events=r01cd:u latency=3 period=7'
custom precise-fold-icelake-access fold 'events=r01cd:u latency=3 period=7'
for cpu in sandybridge haswell skylake; do long custom precise-fold-$cpu-registers fold 'events=r01c0:u period=39'; done
for cpu in sandybridge haswell; do long custom precise-fold-$cpu-access fold 'events=r01cd:u latency=3 period=7'; done
long custom precise-fold-icelake-registers fold 'events=r00c0:u period=39'
long custom precise-fold-icelake-xmm fold 'events=r01cd:u latency=3 period=7 data=addr,regs,xmm'
long custom precise-fold-icelake-branches fold 'events=r01cd:u latency=3 period=7 data=addr,regs,lbr'
