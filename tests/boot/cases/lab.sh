# Experiments: what they may use, how they end, and the three shipped ones, whose answers are the model's geometry.
# Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154

# In the order of experiments/selftest.c; trap, gap and the rest end with an error each.
lab_test() { echo "bench=test_lab:what=$1..$2 reps=3 limit=1"; }

# ---- what the three find ----
# answers CPU WAYS WAY LINE TLB SEEN: the L1D's ways, bytes of one, of a line; translations held; is CPL 3's history seen.
answers() {
    local cpu=$1 ways=$2 way=$3 line=$4 tlb=$5 seen=$6
    of_each_family "$cpu" sim_boot "lab-answers-$cpu" 0 "--cpu $cpu --timeout 300" \
        "bench=stride_sets:stride=512,stride_sets:stride=8192,stride_sets:stride=$((3 * line)),tlb_reach:most=256,branch_history reps=2 warmup=1" \
        'cache_is($ways; $way; $line)' \
        'answers | .["translations held"] == $tlb and .["seen at CPL 0"] == $seen' \
        'records("value"; has("value") and (.flags != ["modelled"])) == []' \
        '[records("row"; .bench == "tlb_reach")[] | .cells | [.[0].value, .[1].value > 0]] |
            . == [] or . == [[32,false],[64,false],[65,true],[128,true]]'
}
answers p5 2 4096 32 64 1
answers p55c 4 4096 32 64 1
answers p3 4 4096 32 absent unmodelled
answers willamette 4 2048 64 64 unmodelled
answers prescott 8 2048 64 64 unmodelled
answers skylake 8 4096 64 unmodelled unmodelled
answers icelake 12 4096 64 unmodelled unmodelled
answers k8 2 32768 64 unmodelled unmodelled
answers zen4 8 4096 64 unmodelled unmodelled
# Without counters there is no answer, and that is no failure. Ranges are taken, and ring=3.
boot lab-no-counters 0 "--append 'bench=tlb_reach,stride_sets:stride=1K..1040,branch_history'" \
    'records("value") | length == 7 and all(.flags == ["absent"] and (has("value") | not))'
sim_boot lab-ring3 0 '--cpu p5' 'bench=stride_sets ring=3 reps=2' 'answers | .["lines that stay"] == 2' 'records("value") | all(.ring == 3)'
for cpu in p5 p55c willamette; do # whatever other code has left in the TLB
    for words in 'reps=1 warmup=0' 'reps=3' 'reps=5 warmup=4 serialize=cpuid'; do
        usual_for p5 $cpu sim_boot "lab-reach-$cpu-${words//[ =]/}" 0 "--cpu $cpu" "bench=tlb_reach $words" 'answers | .["translations held"] == 64'
    done
done

# ---- what they are made of ----
for f in "p5 i586" "willamette i586" "skylake i586" "skylake x86_64" "zen4 x86_64"; do
    read -r cpu flavour <<<"$f"
    [ $flavour = i586 ] && huge=null || huge=3
    # Pages of all kinds; then the ways to end, after each of which the next one runs.
    usual_for 'p5-i586 skylake-x86_64' $cpu-$flavour sim_boot "lab-space-$cpu-$flavour" 1 "--cpu $cpu --flavour $flavour" "$(lab_test 1 9)" \
        'if $cpu == "p5" then messages | any(test("no page attribute table")) else answers["write-combining"] == 2 end' \
        'answers | .small == 1500 and .["small, uncached"] == 7 and .large == 5 and .huge == $huge and .["each its own"] == 567' \
        'records("error"; .vector == 14) | map([.error_code, .registers.cr2[-3:], .registers.cs]) == [["0x2","005","0x8"],["0x6","000","0x43"]]' \
        'records("error"; .vector == 6) | map(.registers.cs) == ["0x43","0x8"]' \
        'messages | map(sub(".*test_lab: "; "")) | .[-3:][0:2] == ["ended at " + (.[-3] | sub("ended at "; "")), "seven is no number"] and
            (.[-1] | test("bytes of memory are wanted"))' \
        'records("done")[0] | .measurements == 9 and .failed == (if $cpu == "p5" then 8 else 7 end)'
done
# A line, a translation, and all: misses of the next load.
sim_boot lab-flush-p5 0 '--cpu p5' "$(lab_test 10 10)" 'flushed(0; 1; 0)'
sim_boot lab-flush-willamette 0 '--cpu willamette' "$(lab_test 10 10)" 'flushed(0; 1; 1)'
sim_boot lab-flush-skylake 0 '--cpu skylake' "$(lab_test 10 10)" 'flushed("unmodelled"; "unmodelled"; 1)'
# Counters that run on; a counter that does not run; samples; a series of 250 in three records.
for cpu in p5 p3 willamette skylake zen4; do
    sim_boot "lab-counters-$cpu" 1 "--cpu $cpu" "$(lab_test 11 11)" 'answers | .["between two readings"] == 1000 and .["from the preset on"] == 0' \
        'error_says("counter 1 is not running")'
done
# A counter that went backwards is an error.
for cpu in p5 skylake; do
    sim_boot "lab-set-back-$cpu" 1 "--cpu $cpu" "$(lab_test 14 14)" 'answers | keys == ["start"]' \
        'error_says("instructions counted -[0-9]+, which is no count")'
done
sim_boot lab-samples 0 '--cpu skylake' "$(lab_test 12 13)" 'answers | .samples > 20 and .inside >= .samples - 2 and .["a load"] == 1' \
    'records("series") | map([.first, (.values | length)]) == [[0,100],[100,100],[200,50]] and (map(.values[]) | .[0:4] == [0.5,1,2.5,3])'
sim_boot lab-samples-p5 1 '--cpu p5' "$(lab_test 12 12)" 'error_says("no performance interrupt")'

# ---- between CPL 0 and 3 there are as many instructions as the header says ----
lab_cross() { # NAME is lab-cross-CPU-FLAVOUR
    local cpu flavour want got status
    read -r cpu flavour <<<"$(cut -d- -f3- <<<"$1" | tr - ' ')"
    ./run-bochs.sh --no-install --cpu "$cpu" --flavour "$flavour" --oracle "$dir/$1.oracle" -o "$dir/$1.jsonl" \
        --bracket to=lab_at_cpl:lab_nothing,back=user_done:lab_at_cpl_ret --append "$(lab_test 0 0)" >"$dir/$1.out" 2>&1
    status=$?
    want=$(jq -L tests/boot -c -s 'include "conditions"; answers | [.["to CPL 0"], .["to CPL 3"], .["from CPL 3"] - 1]' "$dir/$1.jsonl") # less the RET
    got=$(jq -c -s 'map(.insns) | [.[0:3], .[3:6], .[6:9]] | unique | .[]' "$dir/$1.oracle")
    if [ "$want" != "$got" ]; then fail "$1" "the header says $want, and there are $got"; return; fi
    judge "$1" 0 "$status"
}
for f in p5-i586 skylake-i586 skylake-x86_64 prescott-x86_64; do usual_for 'p5-i586 skylake-x86_64' $f custom "lab-cross-$f" lab_cross; done

# ---- bad input ----
bad lab-unknown bench=tlb_reech 'unknown benchmark.*' && bad lab-parameter bench=tlb_reach:pages=5 'most='
bad lab-value bench=tlb_reach:most=100 'no power of two'
bad lab-sampled 'bench=tlb_reach sample=timer' 'an experiment measures by itself'
boot lab-stride 1 "--append 'bench=stride_sets:stride=16,empty'" 'error_says("stride=16 is less than a line of 64 bytes")' 'results | length == 1'
boot lab-list 0 "--append 'bench=list'" \
    'records("bench"; .experiment) | map(.bench) == ["bandwidth","bogus","branch_history","core_to_core","false_sharing","fwq_together","hwlat","ipi",
        "lock_contention","overheads","stride_sets","tlb_reach","tsc_skew","wc"] and all(.unit == "")'
boot lab-all 0 "--append 'bench=all reps=2'" 'records("value") == []'

# ---- the thesis's studies: wc, whose counts follow from the text (experiments/wc.c), and what measuring itself counts ----
wc_boot() { # wc_boot CPU FLAVOUR CONDITION...
    sim_boot "wc-$1-$2" 0 "--cpu $1 --flavour $2" 'bench=wc:chars=10000:lines=300 reps=2 warmup=1' 'cells | .characters == 10000 and .lines == 300' \
        wc_instructions wc_branches "${@:3}"
}
# The buffers are filled by 2,500 moves of four bytes.
wc_boot p5 i586 wc_reads wc_writes 'cells | .["data reads"] - 10000 * .["loop: data reads"] | . >= 2500 and . < 2560' \
    'cells | .["data reads"] + .["data writes"] == .["data reads and writes"] and .["instructions in the V pipe"] == "unmodelled"'
for f in "willamette i586" "skylake x86_64" "skylake i586"; do
    read -r cpu flavour <<<"$f"
    long wc_boot "$cpu" "$flavour" wc_reads wc_writes
done
long wc_boot p3 i586 'cells | .["data reads"] == "absent" and .["data reads and writes"] > 60000'
boot wc-refused 1 "--append 'bench=wc:lines=3000:chars=10000,empty'" 'error_says("lines=3000 do not fit into chars=10000")' 'results | length == 1'

# A bracket counts what is the overhead of `empty` where an event is read in the same place: the first one of two on a P5. The way
# to CPL 3 and back is what include/anechoic/experiment.h says of lab_at_cpl(), its CALL and arguments, and the RET there.
overheads() { # overheads CPU FLAVOUR INSTRUCTIONS CONDITION...
    local instructions=$3
    sim_boot "overheads-$1-$2" 0 "--cpu $1 --flavour $2" 'bench=empty,overheads reps=3 events=instructions,branches' \
        'cell("a bracket"; "instruction"; 0).value as $in | $in > 5 and $in < 30 and $in == cell("a bracket"; "instruction"; 1).value and
         cell("a bracket"; "instruction"; 2).value == 147 and cell("a call"; "instruction"; 1).value == 803766.2 and
         cell("a call"; "instruction"; 0).value == $instructions' \
        'rows | length > 15 and all(.cells | all(.flags == [] or .flags == ["unmodelled"]))' "${@:4}"
}
overheads p5 i586 70 '(results | map(select(.event == "instructions") | .overhead)) == [records("row"; .label == "instruction")[0].cells[0].value]' \
    'records("row"; .label == "code cache miss")[0].cells | .[1].value > .[0].value'
for f in "p3 i586 70" "willamette i586 70" "skylake x86_64 58"; do
    read -r cpu flavour n <<<"$f"
    long overheads "$cpu" "$flavour" "$n"
done

# ---- what does not retire: no model executes speculatively, so nothing but what retires has a number; the loads are those of the bits ----
# The loop's 24 instructions a turn, its loads, and those around it.
bogus_boot() { # bogus_boot CPU FLAVOUR CONDITION...
    sim_boot "bogus-$1-$2" 0 "--cpu $1 --flavour $2" 'bench=bogus:n=1000 reps=3' \
        '(records("value"; .name == "loads that drawn bits make")[0].value) as $n | $n > 400 and $n < 600 and
         ([records("row"; .label == "instructions")[] | .cells[0].value - 24000] | .[0] >= $n and .[0] <= $n + 12 and .[1] >= 1000 and .[1] <= 1012)' \
        '[records("row"; .label == "branches")[] | .cells[0].value] == [2000, 2000]' \
        '[rows[] | .cells[1:][] | select(has("value"))] == []' "${@:3}"
}
bogus_boot willamette i586 bogus_loads 'bogus_rows(["instructions","micro-operations","loads","L1 data misses"]; 16)'
long bogus_boot p3 i586 'bogus_rows(["instructions","branches"]; 8)'
long bogus_boot skylake x86_64 bogus_loads 'bogus_rows(["micro-operations","L1 data misses"]; 8)'
# A Pentium predicts, but executes nothing in advance.
long bogus_boot p5 i586 '[records("value"; (.name | startswith("mispredicted")))[].value] | .[0] > 400 and .[1] <= 2' \
    '[rows[] | .cells[1:][].flags] | all(. == ["absent"])'
