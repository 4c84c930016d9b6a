# Instruction-based sampling on the models: each sample against the oracle's trace (tests/boot/ibs.jq). Sourced by
# tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2261

# ibs_oracle NAME WORDS PERIOD TRACE LATENCIES: NAME is ibs-oracle-CPU-WHAT.
ibs_oracle() {
    local cpu verdict
    cpu=${1#ibs-oracle-}
    ./run-bochs.sh --no-install --cpu "${cpu%%-*}" --oracle "$dir/$1.oracle" --trace "RETIRED_INSTRUCTIONS,user,limit=$4" -o "$dir/$1.jsonl" \
        --append "ring=3 sample=ibs period=$3 samples=400 reps=1 all=1 $2" >"$dir/$1.out" 2>&1 || { fail "$1" "exit status $?"; return; }
    tail -n 1 "$dir/$1.oracle" >"$dir/$1.last" # the call that is sampled
    rm "$dir/$1.oracle"
    verdict=$(jq -s -r --slurpfile oracle "$dir/$1.last" --argjson period "$3" --argjson least 100 --argjson most 126 --argjson latency "$5" \
        -f tests/boot/ibs.jq "$dir/$1.jsonl" 2>&1)
    if [ "$verdict" = true ]; then say "ok $1"; else fail "$1" "$verdict"; fi
}
# What fits the L2, and what only the L3 or memory holds.
custom ibs-oracle-zen4-l2 ibs_oracle bench=l1_miss:sweeps=12 496 100000 '{"L2":11,"L3":50,"memory":320}'
long custom ibs-oracle-zen4-l3 ibs_oracle bench=l1_miss:bytes=2097152:sweeps=1 496 100000 '{"L2":11,"L3":50,"memory":320}'
long custom ibs-oracle-zen-l3 ibs_oracle bench=l1_miss:bytes=1048576:sweeps=1 240 100000 '{"L2":13,"L3":40,"memory":250}'
long custom ibs-oracle-bulldozer-l2 ibs_oracle bench=l1_miss:sweeps=24 496 100000 '{"L2":20,"L3":65,"memory":200}'
long custom ibs-oracle-fam10h-l2 ibs_oracle 'bench=l1_miss:sweeps=12 ibs=cycles' 496 100000 '{"L2":12,"L3":45,"memory":180}'
