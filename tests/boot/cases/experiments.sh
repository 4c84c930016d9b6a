# The article's experiments against the oracle, sample by sample, and its page. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154,SC2261

# Sprunt's figure 5 has 65 and more and 46.5 % at +69; the rest of the distribution is made up.
SKID='--skid 64:120,65:85,66:130,67:200,68:465 --seed 1'

# experiment NAME CPU BENCH N PERIOD 'words' 'run-bochs.sh options' CONDITION...
experiment() {
    local name=$1 cpu=$2 bench=$3 n=$4 period=$5 words=$6 options=$7 lines=8 status verdict
    shift 7
    [ "$cpu" != prescott ] || lines=16 # its L1 has eight ways
    # shellcheck disable=SC2086 # options are words
    ./run-bochs.sh --no-install --cpu "$cpu" $options --oracle "$dir/$name.oracle" --histogram $MISS -o "$dir/$name.jsonl" \
        --append "bench=$bench:n=$n all=1 $words" >"$dir/$name.out" 2>&1
    status=$?
    verdict=$(jq -s -c --arg event $MISS --arg target "$(address_of "${bench}_load")" --arg limit "$(address_of payload_end)" \
        --argjson n "$n" --argjson period "$period" --argjson lines $lines --slurpfile oracle "$dir/$name.oracle" \
        -f tests/boot/experiment.jq "$dir/$name.jsonl" 2>&1)
    if [ "$verdict" != '[]' ]; then
        fail "$name" "$(cut -c1-300 <<<"$verdict")"
        return
    fi
    judge "$name" 0 "$status" 'notes("interrupts") == []' \
        'samplings | all(.lost == 0 and .ring == 3 and .period == $period)' "$@"
}
experiment_boot() { selected "$1" && background experiment "$@"; }
for cpu in $(model_names netburst); do
    for pmi in fixed nmi; do
        usual_for 'willamette-nmi prescott-fixed' $cpu-$pmi experiment_boot "experiment-figure5-$cpu-$pmi" $cpu pebs_vs_iebs 19800 99 "pmi=$pmi" "$SKID" \
            'samplings | map(.by) == ["pmi","pebs"] and all(.samples == 200 and .delivery == $pmi)' \
            'samplings | .[0].handler_instructions > 50 and .[0].handler_instructions <= 100' \
            'ours | .["PEBS at +0"] == 100 and .["PMI at +0"] == 0 and .["nearest sample by PMI"] == 65 and .["PMI at +69"] > 36 and .["PMI at +69"] < 57'
    done
    # Sample by sample, of which there are fewer than the article's 800 (experiment-table1-full): they take most of the time
    # on their way over the serial line.
    case $cpu in prescott) each=10 ways=8 lines=16 ;; *) each=20 ways=4 lines=8 ;; esac
    for buffer in 1 64; do
        usual_for 'willamette-64 prescott-1' $cpu-$buffer experiment_boot "experiment-table1-$cpu-$buffer" $cpu l1_profile 15840 99 \
            "period=99 buffer=$buffer" '' \
            'samplings | length == 1 and .[0].samples == 160 and .[0].interrupts == (160 / $buffer | floor)' \
            'profiles | map(select(.by == "data address") | .lines[]) | length == $lines and all(.count == $each) and (.[1:] | all(.step == 8192))' \
            'profiles | map(select(.by == "instruction") | .lines[]) | length == 1 and .[0].instructions == 0' \
            'records("deduction")[0] | .verdict == "conflict" and .difference == 8192 and .sets_used == 1 and .set_lines == $lines and .ways == $ways and
                (has("warning") | not)' \
            'ours | .samples == 160 and .["fewest samples of an address"] == $each and .["most samples of an address"] == $each'
    done
done
# With a multiple of eight only one address is sampled, which the deduction reports; jitter finds the others.
experiment_boot experiment-table1-multiple willamette l1_profile 16640 104 period=104 '' \
    'profiles | map(select(.by == "data address") | .lines[]) | length == 1 and .[0].count == 160' \
    'records("deduction")[0] | .addresses == 1 and (.warning | test("jitter="))'
sim_boot experiment-table1-jitter 0 '--cpu willamette' 'bench=l1_profile:n=800000 period=1000 jitter=9' \
    'profiles | map(select(.by == "data address") | .lines[]) | length == 8 and all(.count > 60 and .count < 140)' \
    'records("deduction")[0] | .jitter and .lines == 8 and (has("warning") | not)'
# The article's size; on an idle machine less than 60 s. (The page, below, is made of the same.)
long sim_boot experiment-table1-full 0 '--cpu willamette --timeout 300' bench=l1_profile \
    'samplings | .[0].samples == 800 and .[0].lost == 0 and .[0].period == 99999 and .[0].occurred == 80000001' \
    'profiles | map(select(.by == "data address") | .lines[]) | length == 8 and all(.count == 100)'
# On later CPUs: each sample, its address and level, and what is made of them, against the oracle's trace.
# memory_boot NAME CPU THRESHOLD NEXT 'words' CONDITION...
memory_profile() {
    local name=$1 cpu=$2 threshold=$3 next=$4 words=$5 status verdict
    shift 5
    ./run-bochs.sh --no-install --cpu "$cpu" --oracle "$dir/$name.oracle" --trace INSTRUCTION_RETIRED,user -o "$dir/$name.jsonl" \
        --append "bench=l1_profile:n=6400 all=1 sample=pebs $words" >"$dir/$name.out" 2>&1
    status=$?
    verdict=$(jq -s -c --argjson threshold "$threshold" --argjson next "$next" \
        --argjson recorded "$([ "$cpu" = core2 ] && echo false || echo true)" --slurpfile oracle "$dir/$name.oracle" \
        -f tests/boot/memory.jq "$dir/$name.jsonl" 2>&1)
    if [ "$verdict" != '[]' ]; then
        fail "$name" "$(cut -c1-400 <<<"$verdict")"
        return
    fi
    judge "$name" 0 "$status" 'samplings | length == 1 and .[0].lost == 0' \
        'profiles | map(select(.by == "instruction") | .lines[]) | .[0].instructions == 0 and (.[1:] | length <= 1 and all(.count == 1))' \
        'records("deduction")[0] | .verdict == "conflict" and .difference == 8192 and .lines >= 2 * .ways' "$@"
}
memory_boot() { selected "$1" && background memory_profile "$@"; }
LATENCIES='events=r01cd:u latency=8 period=7'
BY_NAME='events=MEM_TRANS_RETIRED.LOAD_LATENCY_GT_8:u period=7' # of Intel's lists
memory_boot memory-skylake skylake 8 false "$BY_NAME" \
    'records("memory"; .by == "all") | length == 1 and .[0].traits == {load: .[0].count} and (.[0] | has("histogram") or has("latencies") | not)'
memory_boot memory-core2 core2 0 true 'period=41' \
    '[profiles[] | {addresses, corrected_code, samples}] | unique | map(.addresses) == [null,"registers"] and .[0].corrected_code == .[0].samples'
for cpu in sandybridge haswell icelake; do
    long memory_boot memory-$cpu $cpu 8 "$([ $cpu = sandybridge ] && echo true || echo false)" "$LATENCIES"
done
# Its own ways, of which Skylake has two.
long sim_boot memory-ways 0 '--cpu skylake' 'bench=l1_profile:n=800000' 'samplings | map(.event) == ["mem_load_retired:l1_miss:u","r01cd:u"]' \
    'samplings | .[0].samples == 800 and .[1].samples > 500 and .[1].samples < 2000' \
    'ours | .["found in the L2"] == 100 and .["median latency"] == null'
# Twelve ways: 32 lines and not 24, of which an odd period may have a factor.
long sim_boot memory-twelve-ways 0 '--cpu icelake' 'bench=l1_profile:n=80000 sample=pebs events=r08d1:u' \
    'profiles | map(select(.by == "data address")) | length > 0 and all(.distinct == 32 and .unknown == 0)'
# IBS tags any op; those that are loads all miss the L1, at sixteen addresses.
# IBS' periods are random: 865 samples at 16 addresses are 54 each, with a standard deviation of 7.1. A bound of
# 4.5 of them at either side is passed once in 5,000 builds; 30, the bound before, once in 350.
sim_boot memory-zen4 0 '--cpu zen4' 'bench=l1_profile:n=80000' 'samplings | map(.by) == ["ibs"]' \
    'records("memory") | map(select(.by == "level")) | length == 1 and .[0].what == "L2" and .[0].count > 500 and (.[0] | has("latency_least") | not)' \
    'ours | .["data addresses"] == 16 and .["from one to the next"] == 8192 and .["found in the L2"] == 100 and .["fewest samples of an address"] >= 22 and
        .["most samples of an address"] <= 86' \
    'profiles | map(select(.by == "instruction") | .lines[] | select(.levels) | .instructions) | .[0] == 0'
# The article's figure 5 in each way that a CPU has.
figure5_boot() { sim_boot "experiment-ways-$1" 0 "--cpu $1" "bench=pebs_vs_iebs:n=9900" "${@:2}"; }
long figure5_boot core2 'samplings | map(.by) == ["pmi","pebs"]' 'ours | .["PEBS at +0"] == 100 and .["PMI at +0"] == 0'
long figure5_boot sandybridge 'samplings | map(.by) == ["pmi","pebs","pebs"]' 'ours | .["PEBS at +0"] == 100'
figure5_boot skylake 'samplings | map(.event) == ["L1-dcache-load-misses:u","mem_load_retired:l1_miss:u","inst_retired:prec_dist:u"]' \
    'samplings | map(.samples) | .[:2] == [100,100] and .[2] >= 98' \
    'ours | .["PEBS at +0"] == 100 and .["PMI at +0"] == 0 and .["instructions by PREC_DIST"] >= 98'
long figure5_boot zen4 'samplings | map(.by) == ["pmi","ibs"]' 'ours | .["L1 misses by IBS at +0"] > 95 and .["instructions by IBS"] == 227'
# What the words of the command line say goes before.
sim_boot experiment-words 0 '--cpu willamette' 'bench=pebs_vs_iebs:n=990 sample=pmi ring=0 events=cycles period=5000 reps=2' \
    'samplings | length == 1 and .[0].ring == 0 and .[0].event == "cycles" and .[0].period == 5000 and .[0].reps == 2' \
    'records("experiment") == []'
sim_boot experiment-p3 1 '--cpu p3' 'bench=pebs_vs_iebs:n=9900' 'samplings | map(.by) == ["pmi"] and .[0].event == "dcu_lines_in:u" and .[0].samples == 100' \
    'error_says("no PEBS")'
sim_boot experiment-p5 1 '--cpu p5' bench=l1_profile 'samplings == []' 'error_says("lacks the events that this benchmark samples")'

# The page with everything, at full size.
sim_boot article 0 '--cpu willamette --skid 64:535,68:465 --timeout 300' 'bench=article' \
    'records("experiment") | (map(.experiment) | unique) ==
        ["cascade","counters","fp_add_latency","l1_miss","l1_profile","pebs_vs_iebs","tags"] and
        all(has("ours") or .note != null) and (map(select(.what == "counts that differ") | .ours) == [0,0])' \
    '[records("experiment")[] | {(.what): .ours}] | add | .samples == 800 and .["PEBS at +0"] == 100' \
    'records("experiment"; .what == "PMI at +69") | length == 1 and all(.conf == 95 and .of == 800 and
        .low > 45 and .low < 46.5 and .high > 46.5 and .high < 54)' \
    'records("derived"; (.formula | test("cycles"))) == []' \
    'records("experiment"; .unit == "uops/cycle" and .what == "one thread") | length == 2 and
        all(.event == "uops_retired / cycles" and (has("ours") | not) and (.note | test("^not modelled")))'

# Two threads of one core: what each counts beside the other is what it counts alone.
long sim_boot article-threads 0 '--cpu prescott --threads 2 --timeout 300' 'bench=article' \
    '[records("experiment")[] | {(.what): .ours}] | add | .samples == 800 and .["instructions sampled"] == 1' \
    'records("experiment"; (.what | test("thread, beside"))) | map(.experiment) == ["fp_add_latency","fp_add_latency","l1_miss","l1_miss"]
        and .[0].ours == .[1].ours and .[2].ours == .[3].ours and all(.ours > 1 and .flags == ["modelled"])' \
    'records("pair"; .event == "uops_retired") | length == 4 and all(.how == "threads" and .alone == .together and .slowdown == 1)' \
    'records("experiment"; .what == "two threads") | length == 2 and all((has("ours") | not) and (.note | test("^not modelled")))'

# The second thread's records: its own counter, DS area and bit of 3F1h.
sim_boot pebs-second-thread 0 '--cpu prescott --threads 2' 'cpu=1 bench=l1_miss:sweeps=20 ring=3 sample=pebs events=memory_loads:u period=100' \
    'samplings | length == 1 and (.[0] | .cpu == 1 and .counter == 17 and .lost == 0 and .samples > 1000 and .samples == (.occurred / 100 | floor))'

# Long mode: records of PEBS in their 64-bit layout.
sim_boot pebs-x86_64 0 '--cpu prescott --flavour x86_64' 'bench=l1_profile:n=800000' '.[0].flavour == "x86_64"' \
    '[records("experiment")[] | {(.what): .ours}] | add | .samples == 800 and .["instructions sampled"] == 1
        and .["data addresses"] == 16 and .["from one to the next"] == 8192 and .["fewest samples of an address"] == 50' \
    '[records("experiment"; .what == "fewest samples of an address")[].note] ==
        ["800 samples at 16 addresses are 50 each; the article\u0027s 800 at 8 are 100 each"]'
