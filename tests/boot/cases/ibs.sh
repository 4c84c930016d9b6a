# Instruction-based sampling on the models: each sample against the oracle's trace (tests/boot/ibs.jq). Sourced by
# tests/boot/run.sh.
# shellcheck shell=bash disable=SC2016,SC2154,SC2261

# ibs_oracle NAME WORDS PERIOD TRACE: NAME is ibs-oracle-CPU-WHAT, or ends with -i586.
ibs_oracle() {
    local cpu verdict flavour=()
    cpu=${1#ibs-oracle-}
    [[ $1 != *-i586 ]] || flavour=(--flavour i586)
    ./run-bochs.sh --no-install --cpu "${cpu%%-*}" "${flavour[@]}" --oracle "$dir/$1.oracle" --trace "RETIRED_INSTRUCTIONS,user,limit=$4" -o "$dir/$1.jsonl" \
        --append "ring=3 sample=ibs period=$3 samples=400 reps=1 all=1 $2" >"$dir/$1.out" 2>&1 || { fail "$1" "exit status $?"; return; }
    tail -n 1 "$dir/$1.oracle" >"$dir/$1.last" # the call that is sampled
    rm "$dir/$1.oracle"
    verdict=$(jq -s -r --slurpfile oracle "$dir/$1.last" --argjson period "$3" --argjson least 100 --argjson most 126 \
        -f tests/boot/ibs.jq "$dir/$1.jsonl" 2>&1)
    if [ "$verdict" = true ]; then say "ok $1"; else fail "$1" "$verdict"; fi
}
# What fits the L2, and what only the L3 or memory holds.
custom ibs-oracle-zen4-l2 ibs_oracle bench=l1_miss:sweeps=12 496 100000
long custom ibs-oracle-zen4-l3 ibs_oracle bench=l1_miss:bytes=2097152:sweeps=1 496 100000
long custom ibs-oracle-zen-l3 ibs_oracle bench=l1_miss:bytes=1048576:sweeps=1 240 100000
long custom ibs-oracle-bulldozer-l2 ibs_oracle bench=l1_miss:sweeps=24 496 100000
long custom ibs-oracle-bulldozer-i586 ibs_oracle bench=l1_miss:sweeps=24 496 100000
long custom ibs-oracle-fam10h-l2 ibs_oracle 'bench=l1_miss:sweeps=12 ibs=cycles' 496 100000
# Only what missed the L3 makes a sample: all of a walk through twice as much, nothing of what the L3 holds.
long sim_boot ibs-l3miss-zen4 0 '--cpu zen4' 'bench=l1_miss:bytes=67108864:sweeps=1 ring=3 sample=ibs ibs=l3miss period=1008 samples=100 reps=1' \
    'samplings[0].samples == 100' '[records("memory"; .by == "level")[].what] == ["memory"]'
long sim_boot ibs-l3hit-zen4 0 '--cpu zen4' 'bench=l1_miss:bytes=2097152:sweeps=1 ring=3 sample=ibs ibs=l3miss period=1008 samples=100 reps=1' \
    'samplings | .[0].samples == 0 and .[0].interrupts == 0'
# Fetches, with Zen's edge of the enable bit and without: a loop is in the L1I.
for cpu in fam10h zen; do
    long sim_boot "ibs-fetch-$cpu" 0 "--cpu $cpu" 'bench=l1_miss ring=3 sample=ibs-fetch samples=200' \
        'samplings | .[0].samples >= 100 and .[0].lost == 0 and .[0].interrupts < 2 * .[0].samples' \
        '[records("memory"; .by == "level")[].what] == ["L1"]'
done
# By NMI, on the CPU without a choice of units.
custom ibs-oracle-fam10h-nmi ibs_oracle 'bench=l1_miss:sweeps=12 ibs=cycles pmi=nmi' 496 100000

# ibs NAME CPU LEAST 'words' 'jq condition' ...: at least so many samples.
ibs() {
    local name=$1 cpu=$2 least=$3 words=$4 condition
    shift 4
    ./run-bochs.sh --no-install --cpu "$cpu" --oracle "$dir/$name.oracle" --trace RETIRED_INSTRUCTIONS,user -o "$dir/$name.jsonl" \
        --append "ring=3 reps=1 warmup=0 all=1 $words" >"$dir/$name.out" 2>&1 || { fail "$name" "exit status $?"; return; }
    for condition in "$@"; do
        jq -en --argjson least "$least" --slurpfile r "$dir/$name.jsonl" --slurpfile o "$dir/$name.oracle" "$condition" \
            >"$dir/$name.jq" 2>&1 || { fail "$name" "$(head -c 300 "$dir/$name.jq")"; return; }
    done
    say "ok $name"
}

# Fetches are of the 32-byte blocks that the payload's code enters: from an instruction on that a branch led to, or from a block's
# beginning. RAND lets each period begin at 0 to 15, and the handler's end has some fetches, too.
IBS_FETCHES='
    def number: explode | reduce .[] as $c (0; 16 * . + if $c > 96 then $c - 87 else $c - 48 end);
    ($o[-1].trace.at | map(select(.ip) | .ip |= number | .next |= number)) as $t |
    [$r[] | select(.t == "sampling")][0] as $run |
    [range($t | length) | . as $i | $t[$i] | .ip as $ip |
        (if $i == 0 or $t[$i - 1].taken then $ip else empty end),
        (if $i > 0 and ($t[$i - 1].taken | not) and $ip % 32 == 0 then $ip else empty end),
        (if (.taken | not) and ($ip / 32 | floor) != ((.next - 1) / 32 | floor) then .next - .next % 32 else empty end)] as $fetches |
    [$r[] | select(.t == "sample") | .samples[]] as $s |
    ($s | all((.ip[2:] | number) as $ip | $fetches | index($ip)) and all((has("latency") | not) and .level and .physical == .ip)) and
    ($s | length) == $run.samples and $run.unit == "fetches" and $run.samples >= $least and
    $run.samples >= (($fetches | length) / $run.period | floor) and $run.samples <= ($fetches | length) / ($run.period - 48)'

IBS_CHEAP='[$r[] | select(.t == "sampling")] | all(.handler_instructions > 60 and .handler_instructions <= 100)'

# (12 sweeps: how many fetches the loop takes is a matter of its layout, with GCC 14 half as many as with GCC 12.)
custom ibs-fetch-oracle-zen4 ibs zen4 10 'bench=l1_miss:sweeps=12 sample=ibs-fetch period=240' "$IBS_FETCHES" "$IBS_CHEAP"
for cpu in bulldozer zen; do
    long custom "ibs-fetch-oracle-$cpu" ibs $cpu 5 'bench=l1_miss:sweeps=12 sample=ibs-fetch period=240' "$IBS_FETCHES" "$IBS_CHEAP"
done
# period=auto, repeated: 16 times a prime, and as many samples as are wanted.
sim_boot ibs-auto-zen4 0 '--cpu zen4' 'bench=stride_thrash:n=20000 ring=3 sample=ibs samples=200' \
    'samplings | length == 1 and .[0].period % 16 == 0 and .[0].samples >= 100 and .[0].samples <= 400 and .[0].event == "ibs_op"' \
    'samplings | .[0].period / 16 | . as $p | [range(2; $p) | select($p % . == 0)] == []' \
    'records("profile"; .by == "data address") | length > 0 and all(.unknown == 0)'
# Two processors at the same time, each with its own IBS and entry.
sim_boot ibs-together-zen4 0 '--cpu zen4 --smp 2' 'cpu=all together=1 bench=l1_miss:sweeps=12 ring=3 reps=1 sample=ibs period=496' \
    'samplings | map([.cpu, .together]) == [[0,2],[1,2]] and all(.samples > 100 and .samples == .interrupts - .outside and .lost == 0)' \
    '[records("memory"; .by == "level")[] | [.cpu, .what]] == [[0,"L2"],[1,"L2"]]'
# Who has none, or not that.
boot ibs-none 1 "--cpu EPYC --append 'bench=stride_thrash sample=ibs'" 'error_says("has no Instruction-Based Sampling; use sample=timer")'
long sim_boot ibs-refused-intel 1 '--cpu skylake' 'bench=stride_thrash sample=ibs' \
    'error_says("has no Instruction-Based Sampling; use sample=pebs or sample=pmi")'
long sim_boot ibs-refused-10h 1 '--cpu fam10h' 'bench=stride_thrash sample=ibs ibs=ops' 'error_says("has no count of ops; use sample=ibs ibs=cycles")'
# Cycles where it is not asked for ops; lines a way of L1 apart.
long sim_boot ibs-l1-fam10h 0 '--cpu fam10h' 'bench=l1_profile:n=640000' \
    'samplings | length == 1 and .[0].unit == "cycles" and .[0].samples > 2000' \
    'records("deduction") | length == 1 and .[0].verdict == "conflict" and .[0].difference % 32768 == 0'
long sim_boot ibs-refused-filter 1 '--cpu zen' 'bench=stride_thrash sample=ibs ibs=l3miss' 'error_says("has no L3 filter")'
long sim_boot ibs-refused-latency 1 '--cpu zen4' 'bench=stride_thrash sample=ibs latency=200' 'error_says("has no latency filter")'
bad ibs-period 'sample=ibs period=1000' 'steps of 16'
# The data sources before Zen.
long custom ibs-oracle-fam10h-l3 ibs_oracle 'bench=l1_miss:bytes=1048576:sweeps=1 ibs=cycles' 240 100000
