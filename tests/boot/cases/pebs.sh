# PEBS of the architectural models, sample by sample against the oracle's trace. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2261

# Each sample is the very occurrence that its period leads to: address, registers, and of loads data address, level and
# latency. NAME is pebs-CPU-WHAT, WHAT being what is counted (tests/boot/pebs.jq).
pebs_samples() {
    local cpu what words period=13 threshold=0 has='["regs"]' least status verdict
    IFS=- read -r _ cpu what <<<"$1"
    case $what in
    all) period=131 least=60 words=events=r01c0:u ;;
    taken) least=10 words=events=br_inst_retired.near_taken:u ;;
    missed) least=500 words=events=mem_load_retired.l1_miss:u has='["regs","data"]' ;;
    tagged) least=140 threshold=6 words='events=r01cd:u latency=7' has='["regs","data","level","latency"]' ;;
    esac
    case $cpu-$what in
    core2-all) period=31 least=200 words=events=instruction_retired:u ;;
    core2-missed) words=events=mem_load_retired.l1d_miss:u has='["regs"]' ;;
    icelake-all | tigerlake-all) words=events=r0100:u ;; # fixed counter 0
    esac
    ./run-bochs.sh --no-install --cpu "$cpu" --oracle "$dir/$1.oracle" --trace INSTRUCTION_RETIRED,user,regs -o "$dir/$1.jsonl" --append \
        "bench=stride_thrash:n=8000:lines=16 ring=3 sample=pebs $words period=$period reps=1 all=1 samples=500" >"$dir/$1.out" 2>&1
    status=$?
    verdict=$(jq -s -c --slurpfile oracle "$dir/$1.oracle" --arg what "$what" --argjson period $period --argjson threshold $threshold \
        --argjson has "$has" -f tests/boot/pebs.jq "$dir/$1.jsonl" 2>&1)
    if [ "$(jq ".samples >= $least and .wrong == []" <<<"$verdict" 2>/dev/null)" != true ]; then
        fail "$1" "$(cut -c1-300 <<<"$verdict")"
        return
    fi
    judge "$1" 0 "$status" "$SAMPLING | length == 1 and .[0].by == \"pebs\""
}
for what in core2-missed skylake-tagged icelake-all; do custom "pebs-$what" pebs_samples; done
for what in core2-all sandybridge-{all,taken,tagged} haswell-{all,taken,tagged} skylake-{all,taken,missed} icelake-{taken,missed,tagged} \
    tigerlake-{all,missed,tagged}; do
    long custom "pebs-$what" pebs_samples
done
