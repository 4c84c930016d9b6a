# Questions at the monitor's prompt: what registers say, ratios, every event. at_prompt and says: monitor.sh. Sourced by
# tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154

# QEMU has no counters; tables and words are there all the same.
monitor_decode() {
    local name=$1 status
    at_prompt "$name" i586 exit=monitor,qemu -cpu pentium3 <<'EOF'
decode 0x00d1012e as evntsel0
decode l2_ld:m:e:u
decode 0x4300c0 as cesr
decode 0x4300c0 of evntsel
decode 12z as evntsel
decode no_such_event
ratio ipc
sections empty reps=4
sections nonsense
ratio list
ratio no-such-ratio
ratio cycles/instructions reps=6
exit
EOF
    says "$name" 'EVNTSEL0 (MSR 0x186) = 0xd1012e' 'l2_rqsts:i: requests to L2' ' l2_rqsts:i:u' \
        'wrmsr 0x186 0x410c29' 'has no register "cesr" that selects events. Valid:' '"of" is not valid here' \
        'VALUE: "12z" is not a number' 'a Pentium III has no event of this name' 'unknown benchmark: "nonsense"' \
        'ratio: of which benchmark?' 'l1d-miss-ratio: dcu_lines_in / data_mem_refs' 'unknown ratio: "no-such-ratio"' || return
    judge "$name" 0 "$status" 'results | map([.bench, .reps, .event]) == [["empty", 4, "tsc"], ["empty", 6, "tsc"]]' \
        'any(.[]; .t == "note" and .what == "events" and (.message | startswith("QEMU emulates no performance counters")))'
}
custom monitor-decode monitor_decode

# What the model counts is known: 1,000 dependent additions of one x87 instruction each; and lines that miss L1. Of cycles nothing is made.
sim_boot ratio-p3 0 '--cpu p3' \
    'bench=fp_add_latency,l1_miss:sweeps=1 reps=3 ratio=flops/instructions:u,branches/instructions,cycles/instructions,l1d-miss-ratio,l1d-miss-penalty-cycles' \
    '[records("derived"; .bench == "l1_miss" and .name == "L1D miss ratio")[].value] | length == 1 and .[0] > 0.8 and .[0] < 1' \
    'any(.[]; .t == "derived" and (.formula | test("cycles|outstanding"))) | not' \
    '(results | map({key: "\(.bench) \(.event)", value: .median}) | from_entries) as $m
     | [records("derived"; .name == "branches / instructions")[] | .value == $m["\(.bench) branches"] / $m["\(.bench) instructions"]] == [true, true]' \
    '["fp_add_latency", "l1_miss"] == [records("note")[] | .message | capture("^(?<b>.*): cycles / instructions: its numerator has no value$").b]' \
    'any(.[]; .t == "note" and .message == "fp_add_latency: L1D miss penalty, cycles: its numerator has no value")' \
    'any(.[]; .t == "note" and (.message | startswith("fp_add_latency: flops / instructions:u: its denominator is 0")))'

# User and kernel: code at CPL 3 counts nothing at CPL 0, and the other way round; four counters take all three at once, two do not.
levels() { # levels CPU-RING PERCENT SEVERAL
    local percent=$2 several=$3
    sim_boot levels-$1 0 "--cpu ${1%-*}" "bench=fp_add_latency events=instructions,branches:u reps=3 ring=${1#*-} levels=1" \
        '(results | map({key: .event, value: .median}) | from_entries) as $m
         | records("levels") | length > 0 and all(.event == "instructions" and .both > 1 and .user_percent == $percent
             and .user == $m["instructions:u"] and .kernel == $m["instructions:k"] and .user + .kernel == .both
             and (.flags | index("several-runs") != null) == $several)'
}
levels skylake-3 100 false
levels p3-0 0 true
