# What is made of samples of accesses (bench=l1_profile all=1 by PEBS) against the oracle's trace of all instructions of ring 3:
# each raw sample, the profile by data address with levels, and the table by level. The model's latencies choose what is sampled, and
# are in no record. $oracle: its lines, of which the
# last is of the pass that sampled. $threshold: what latency= says; 0: loads that missed the L1 are sampled, without latencies.
# $next: PEBS records the next instruction; $recorded: and the data's address. Comes to what is wrong; nothing is [].
def hex: ltrimstr("0x") | explode | reduce .[] as $c (0; . * 16 + (if $c >= 97 then $c - 87 else $c - 48 end));
def tally: group_by(.) | map({key: .[0], value: length}) | from_entries;

([.[] | select(.t == "sampling")][0].period) as $period
| [$oracle[-1].trace.at[] | select(.data and (if $threshold > 0 then .tagged and .latency >= $threshold else .level != "L1" end))] as $at
| [.[] | select(.t == "sample") | .samples[] | select(.outside | not)] as $got
# The trace ends before the payload's RET. If that finds its return address outside of the L1, where the handler has put its own
# data, it may be the last sample.
| [$got | last | select(.ip == "0x\($oracle[-1].trace.at[-1].next)" and ($at | length + 1) % $period == 0)
    | {ip: .ip[2:], data: .data[2:], level}] as $return
| ([range($period - 1; $at | length; $period) | $at[.]] + $return) as $want
| [.[] | select(.t == "profile" and .by == "data address") | .lines[]] as $lines
| [.[] | select(.t == "memory")] as $memory
| [range($want | length) as $k | $want[$k] as $w | ($got[$k] // {}) as $g
    | ({ip: "0x\($w.ip)"}
        + (if $next then {corrected: "code", recorded: "0x\($w.next)"} else {} end)
        + (if $recorded then {data: "0x\($w.data)"} else {} end)
        + (if $threshold > 0 then {level: $w.level} else {} end)) as $should
    | ($g | with_entries(select(.key | IN("ip", "corrected", "recorded", "data", "level", "latency")))) as $does
    | select($should != $does) | {sample: $k, should: $should, does: $does}] as $samples
| [$want | group_by(.data)[] | {address: "0x\(.[0].data)", count: length}
    + (if $threshold > 0 then {levels: (map(.level) | tally)} else {} end)]
    as $addresses
| ([{by: "all", what: "all", of: $want}] + ($want | group_by(.level) | map({by: "level", what: .[0].level, of: .}))
    | map({by, what, count: (.of | length)})) as $rows
| [ (if ($want | length) < 100 then "the oracle has \($want | length) samples only" else empty end),
    (if ($got | length) != ($want | length) then "\($got | length) samples, not \($want | length)" else empty end),
    $samples[:2][],
    (if ($lines | map(del(.share, .step)) | sort_by(.address)) != ($addresses | sort_by(.address)) then {lines: $lines[:2], should: $addresses[:2]} else empty end),
    (if $threshold == 0 and $memory != [] then "a table of accesses" else empty end),
    (if $threshold > 0 and ($memory | map({by, what, count})) != $rows
     then {memory: $memory[:2], should: $rows} else empty end),
    (if ($memory | map(.translation // empty)) != (if $threshold > 0 then ["unmodelled"] else [] end) then "TLBs are not modelled" else empty end) ]
| .[:3]
