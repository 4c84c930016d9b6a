# The samples of an IBS run (records, slurped) against the oracle's trace of the call that was sampled ($oracle, slurped lines):
# the fields of each are those of an instruction of the trace, in the trace's order, and the distances between them those of an
# interval with a random part.
#
# --argjson period N; least N: samples that there must be; most N: how much the distance of two samples
# next to each other may vary (126: seven random bits from 1 on). Prints true, or what is wrong.

([.[] | select(.t == "sample") | .samples[] | .target // empty] != []) as $targets # there is a register for it
| def place: "\(.ip)/\(.data // "")/\(if .branch and $targets then .next else "" end)/\(.taken // false)";
def digits: . // "0x" | .[2:];
def sampled_place: "\(.ip | digits)/\(.data | digits)/\(.target | digits)/\(.traits // [] | index("taken") != null)";
def instruction: {
    ip: "0x\(.ip)",
    data: (if .data then "0x\(.data)" else null end),
    physical: (if .data then "0x\(.phys)" else null end),
    # of a store beyond the L2 the processor does not say where from
    level: (if .access == "store" and (.level | IN("L1", "L2", "uncached") | not) then null else .level end),
    target: (if .branch and $targets then "0x\(.next)" else null end),
    traits: ([
        (if .access == "load" or .access == "load-store" then "load" else empty end),
        (if .access == "store" or .access == "load-store" then "store" else empty end),
        (if .taken then "taken" else empty end)] | sort)
};
def sampled: {
    ip, data, physical, level, target,
    traits: ((.traits // []) - ["misaligned"] | sort)
};

([$oracle[] | select(.trace)] | last.trace) as $trace
| ([range($trace.at | length) as $i | {place: ($trace.at[$i] | place), $i}] | group_by(.place)
    | map({key: .[0].place, value: map(.i)}) | from_entries) as $where
| [.[] | select(.t == "sample") | .samples[] | select(.outside | not)] as $samples
# each with its place in the trace: the first one that is far enough behind the sample before; sure: no other can be meant
| [foreach $samples[] as $x ({at: -100000};
    .at as $last | ($where[$x | sampled_place] // []) as $there
    | ($there | bsearch($last + $period - 200) | if . < 0 then -1 - . else . + 1 end) as $k # the first beyond it
    | $there[$k:$k + 2] as $next
    | {x: $x, at: $next[0], sure: ($next | length == 1 or (length == 2 and .[1] - .[0] > $period))};
    .)] as $found
| [$found[] | select(.at == null) | .x] as $nowhere
| [$found[] | select(.at) | select((.x | sampled) != ($trace.at[.at] | instruction)) | [.x, $trace.at[.at]]] as $wrong
# of two accesses, whose addresses say exactly which they are, but for those to the stack
| [range(1; $found | length) | select(all($found[., . - 1]; .x.data and .at and .sure))
    | $found[.].at - $found[. - 1].at] as $distances
| if $nowhere != [] then "not in the trace: \($nowhere[0])"
  elif $wrong != [] then "\($wrong | length) of \($samples | length) differ, such as \($wrong[0])"
  elif ($samples | length) < $least or ($distances | length) < $least / 10 then "only \($samples | length) samples, \($distances | length) distances of accesses"
  elif ($distances | max - min) > $most or ($distances | max) > $period then "distances \($distances | min) to \($distances | max)"
  elif [$samples[] | select(.tlb)] != [] then "TLBs that are not modelled"
  elif [$samples[] | select(has("latency") or has("retire"))] != [] then "times, which the model has none of"
  # the handler lets the counters run
  elif ([.[] | select(.t == "sampling")] | all(.handler_instructions > 80 and .handler_instructions <= 150) | not)
    then "the handler takes \([.[] | select(.t == "sampling") | .handler_instructions])"
  else true end
