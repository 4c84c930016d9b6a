# Records with all raw samples (all=1) of an experiment of Sprunt's against the oracle, sample by sample. $oracle: a line
# for each pass, without and with interrupts, of PMI if it is sampled so and then of PEBS; with the histogram of $event.
# $target: the load that misses; $limit: where payloads end (both hexadecimal); $period, $n: of the run; $lines that the
# load goes around, 8 KiB apart. Of an interrupt's sample the instructions behind the target are two bytes each (i586).
# Comes to what is wrong; nothing is [].
def hex: ltrimstr("0x") | explode | reduce .[] as $c (0; . * 16 + (if $c >= 97 then $c - 87 else $c - 48 end));
def tally: group_by(.) | map({key: (.[0] | tostring), value: length}) | from_entries;
8192 as $step
| ($target | hex) as $at
| ([.[] | select(.t == "sample") | .samples[]]) as $all
| [$all[] | select(.precise | not) | ((.ip | hex) - $at) / 2 - 1] as $late
| [$all[] | select(.precise)] as $precise
| [$precise[].regs[0] | hex] as $data
| ($oracle | last | .histogram[$event] | with_entries(select(.key != "delivery" and (.key | hex) < ($limit | hex)))) as $caused
| ([.[] | select(.t == "profile" and .by == "data address") | .lines[] | {key: (.address | hex | tostring), value: .count}]
    | from_entries) as $profile
# From one record to the next the load goes on by as many lines as the period has events, but those of the loads behind it: one
# misses when the draining of PEBS's buffer has driven out the line that they hit. (Before the target they do so at the start only.)
# No record tells of the one that the last draining makes.
| ($caused | with_entries(select((.key | hex) > $at)) | add // 0) as $behind
| [range(1; $data | length) as $k
    | {record: $k, n: (($data[$k - 1] - $data[$k] + $period * $step) % ($lines * $step) / $step)} | select(.n != 0)] as $early
| [ (if ($late | length) > 0 and ($late | tally) != $oracle[1].interrupts then "interrupts: \($late | tally)" else empty end),
    (if ($precise | map(.ip | hex) | unique) != [$at] then "not all at the target" else empty end),
    (if $caused[$target] != $n then "the oracle has \($caused) at the target" else empty end),
    (if ($caused | add) - $n > 3 then "other instructions miss: \($caused)" else empty end),
    (if ($precise | length) != ($oracle | last | .events[$event].u / $period | floor) then "\($precise | length) records" else empty end),
    (if ($early | map(.n) | add // 0) as $told | $behind - $told | . != 0 and . != 1 then "\($behind) misses behind the target, but \($early)" else empty end),
    (if ($data | tally) != $profile then "the profile is another: \($profile)" else empty end) ]
| .[:3]
