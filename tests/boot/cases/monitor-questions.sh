# Questions at the monitor's prompt: what registers say, ratios, every event. at_prompt and says: monitor.sh. Sourced by
# tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154

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
sections empty reps=4
sections nonsense
exit
EOF
    says "$name" 'EVNTSEL0 (MSR 0x186) = 0xd1012e' 'l2_rqsts:i: requests to L2' ' l2_rqsts:i:u' \
        'wrmsr 0x186 0x410c29' 'has no register "cesr" that selects events. Valid:' '"of" is not valid here' \
        'VALUE: "12z" is not a number' 'a Pentium III has no event of this name' 'unknown benchmark: "nonsense"' || return
    judge "$name" 0 "$status" "$RESULTS | map([.bench, .reps, .event]) == [[\"empty\", 4, \"tsc\"]]" \
        'any(.[]; .t == "note" and .what == "events" and (.message | startswith("QEMU emulates no performance counters")))'
}
custom monitor-decode monitor_decode
