# Experiments on several processors: lines between them, their time stamps, barriers, locks, interrupts.
# Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154

# QEMU: no figure means anything, but all of them come, and nothing hangs.
for flavour in x86_64 i586; do
    usual_for x86_64 $flavour boot "lines-matrix-$flavour" 0 \
        "--smp 4 --flavour $flavour --append 'bench=core_to_core:trips=100,core_to_core:by=2:trips=100 cpu=all reps=3'" \
        'rows | length == 12 and all(.cells | length == 6)' \
        'matrices | map(select(.params.by == 1)) | map(.row) == [0,1,2,3] and map(.values | map(select(. != null and . > 0)) | length) == [0,1,2,3]' \
        'matrices | map(.last) == [false,false,false,true,false,false,false,true]'
    usual_for x86_64 $flavour boot "lines-others-$flavour" 0 \
        "--smp 3 --flavour $flavour \
            --append 'bench=false_sharing:adds=100,lock_contention:takes=20,bandwidth:bytes=4096,ipi:rest=0..1:ipis=20,fwq_together:quanta=100 \
            reps=2 limit=30'" \
        'rows | map(.bench) | group_by(.) | map({key: .[0], value: length}) | from_entries ==
            {false_sharing: 11, lock_contention: 3, bandwidth: 6, ipi: 4, fwq_together: 3}' \
        'rows | all(.flags == ["emulated"])'
done
# Eight processors of which cpu= names three; and a sample of the pairs.
boot lines-chosen 0 "--smp 8 --append 'bench=core_to_core:trips=10 cpu=1,4-5 reps=2 limit=30'" \
    'rows | map(.cells[0:2] | map(.value)) | sort == [[1,4],[1,5],[4,5]]' 'matrices | map(.row) == [1,4,5]'
boot lines-sample 0 "--smp 4 --append 'bench=core_to_core:trips=10:pairs=3 reps=2'" 'rows | length == 3' \
    'answers | .["pairs measured"] == 3'
boot lines-one 1 "--append 'bench=core_to_core'" 'error_says("2 processors are needed, and 1 is used")' 'rows == []'
boot lines-no-prefetchw 1 "--smp 2 --flavour i586 --cpu pentium3 --append 'bench=core_to_core:by=3'" 'error_says("this CPU has no PREFETCHW")'
# More than can be done in time: each part ends after a quarter of limit=, and what was done is its result.
boot lines-budget 0 "--smp 2 \
    --append 'bench=tsc_skew:exchanges=1000000:ms=1,ipi:rest=0..1:ipis=1000000,lock_contention:takes=20000,false_sharing:distance=64:adds=1000000 \
    reps=1000 limit=2'" \
    'rows | map(.bench) | unique == ["false_sharing","ipi","lock_contention","tsc_skew"]' \
    'records("value"; (.note // "" | test("^of [0-9]+, with processor [01]; stopped after a quarter of limit=$"))) | map([.bench, .name]) as $parts
        | [["tsc_skew","exchanges"],["ipi","interrupts"],["lock_contention","repetitions"],["false_sharing","repetitions"]] - $parts == []'
# One that never returns, one that traps, one that does not come to the barrier: each is named, and the rest goes on.
for f in "1 ended" "2 invalid" "4 ended"; do
    read -r what text <<<"$f"
    boot "lines-fault-$what" 1 "--smp 2 --append 'bench=test_several:what=$what,core_to_core:trips=10 limit=1 reps=2'" \
        'error_says("processor 1.*\($text)")' 'rows | length == 1'
done
sim_boot lines-set-back 1 '--cpu skylake --smp 2' 'bench=test_several:what=5,core_to_core:trips=10 cpus=2 limit=1 reps=2' \
    'error_says("processor 1: instructions counted -[0-9]+, which is no count")' 'rows | length == 1'
# Round robin, one instruction a tick. The two clocks are one, so 0 is what is measured, within what is claimed.
boot lines-barriers 0 "--smp 2 --icount --append 'bench=test_several:what=0'" 'answers | .barriers == 1000000 and .wrong == 0'
boot lines-no-skew 0 "--smp 3 --icount --append 'bench=tsc_skew:exchanges=100:ms=1'" \
    'rows | length == 2 and all(.cells | (.[1].value | fabs) <= .[2].value and (.[3].value | fabs) <= .[4].value)'
# A million instructions would take Bochs a minute where QEMU takes a second.
sim_boot lines-barriers-bochs 0 '--cpu p3 --smp 2' 'bench=test_several:what=0:n=20000' 'answers | .barriers == 20000 and .wrong == 0'
# Bochs without the model, since a model's clock gives no result. (The Pentium III of Debian 13's Bochs has no local APIC.)
# The other processor's TSC is set 123,456 ticks ahead; between reading and writing it some instructions pass.
sim_boot lines-skew 0 '--stock --cpu skylake --smp 2' 'bench=tsc_skew:ms=1:exchanges=200,test_several:what=3:n=123456,tsc_skew:ms=1:exchanges=200' \
    'rows | length == 2 and (.[0].cells | (.[1].value | fabs) <= .[2].value)' \
    'rows | .[1].cells | .[1].value - 123456 | fabs <= 30' 'rows | .[1].cells[2].value < 60'

# A round trip takes the line there and back: two transfers, counted by both together, and the oracle saw as many.
ping_pong() { # ping_pong NAME CPU EVENT
    local name=$1 cpu=$2 event=$3 status verdict
    ./run-bochs.sh --no-install --cpu "$cpu" --smp 2 --oracle "$dir/$name.oracle" --timeout 300 \
        --bracket trips=core_to_core_begin:core_to_core_end -o "$dir/$name.jsonl" --append 'bench=core_to_core:trips=50 reps=4' >"$dir/$name.out" 2>&1
    status=$?
    verdict=$(jq -s -c 'map(select(.label == "trips" and .lines.in + .lines.lost > 100)) |
        map({cpu, lost: .lines.lost}) | sort == [{cpu: 0, lost: 200}, {cpu: 1, lost: 200}]' "$dir/$name.oracle" 2>&1)
    if [ "$verdict" != true ]; then
        fail "$name" "the oracle: $(jq -c '{label: .label, cpu, lines}' "$dir/$name.oracle" 2>&1 | tr '\n' ' ' | cut -c1-300)"
        return
    fi
    judge "$name" 0 "$status" 'matrices | map(select(.flags == ["modelled"])) | length == 2 and .[1].values == [2, null] and .[1].unit == $event'
}
ping_pong_boot() { selected "$1" && background ping_pong "$@"; }
ping_pong_boot lines-transfers-p3 p3 bus_hitm_drv
ping_pong_boot lines-transfers-p55c p55c data_read_miss
ping_pong_boot lines-transfers-willamette willamette '1stl_cache_load_miss_retired'
ping_pong_boot lines-transfers-skylake skylake 'mem_load_retired:l1_miss'
# AMD's counter of misses counts stores to a line that the other one has, too: it would be four. So there is none.
sim_boot lines-transfers-zen4 0 '--cpu zen4 --smp 2' 'bench=core_to_core:trips=50 reps=2' \
    'answers | .["line transfers"] == "absent"' 'matrices | map(select(.flags == ["modelled"])) == []'
# Core 2 has an event that the model lacks.
sim_boot lines-transfers-core2 0 '--cpu core2 --smp 2' 'bench=core_to_core:trips=50 reps=2' \
    'answers | .["line transfers"] == "unmodelled"' 'matrices | map(select(.flags == ["modelled"])) == []'
