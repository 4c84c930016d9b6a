# Raw samples of PEBS (all=1) against the oracle's trace ($oracle, one line a bracket; the last is the pass that sampled, of
# one call): every $period-th occurrence of what the event counts is a sample. $what: "all" instructions, "taken" transfers,
# "missed" loads that missed the L1, "tagged" loads that the hardware watches and that took longer than $threshold. $has: what a
# sample must have. The first sample is within the first period; all behind it follow.
def hex: ltrimstr("0x") | explode | reduce .[] as $c (0; . * 16 + (if $c >= 97 then $c - 87 else $c - 48 end));
def counts: if $what == "all" then true elif $what == "taken" then .taken == true
    elif $what == "missed" then .data != null and .level != "L1"
    else .tagged == true and .latency > $threshold end;
def differs($e):
    if (.ip | ltrimstr("0x")) != (if .precise then $e.ip else $e.next end) then "ip"
    elif .regs != null and (.regs | map(ltrimstr("0x"))) != $e.regs then "regs"
    elif .flags != null and (.flags | ltrimstr("0x")) != $e.flags then "flags"
    elif .data != null and (.data | ltrimstr("0x")) != $e.data then "data"
    elif .level != null and .level != $e.level then "level"
    elif .latency != null and .latency != $e.latency then "latency"
    else empty end;
($oracle | last | .trace | if .n != .kept then error("the trace is not whole") else .at end | map(select(counts))) as $at
| [.[] | select(.t == "sample") | .samples[] | select(.outside != true)] as $samples
| first((range($period + 1) as $first
        | [range($samples | length) as $k | $samples[$k] | differs($at[$first + $k * $period] // {}) | {sample: $k, differs: .}]
        | select(. == []) | {$first, wrong: []}),
    {wrong: [$samples[0] | differs($at[$period - 1])]})
| . + {samples: ($samples | length), occurrences: ($at | length)}
| .wrong += [$samples | to_entries[] | .key as $k | .value | select([has($has[])] | all | not) | {sample: $k, has: keys}][0:2]
