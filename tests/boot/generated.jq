# Generated snippets against what their maker knows, and against the oracle. Input: a run's records.
#     jq -s -c --arg events WORD=KNOWN,... --argjson copies UNROLL --slurpfile known FILE --slurpfile oracle ORACLE \
#         -f tests/boot/generated.jq RECORDS
# events: each event word with the name that it has in the objects of `known`. The oracle's own events of the same name in capitals
# are compared, too; some have no event word here. Its lines are, for each snippet and each group of events: warm-ups and repetitions
# of the shorter payload, and as many of the longer one.
# Result: {counts, oracle, wrong}, the number of values compared and the disagreements in words.
($events | split(",") | map(split("=") | {key: .[0], value: .[1]}) | from_entries) as $of
| [.[] | select(.t == "result")] as $results
| ($results | map(.groups // 1) | max) as $groups
| ($known | map({key: .name, value: .}) | from_entries) as $knows
| [$results[] | select($of[.event])
   | $knows[.variant][$of[.event]] as $want
   | {ok: (.min == $want and .median == $want and .max == $want and .ci95 == 0),
      text: "\(.variant) \(.event): \(.min) to \(.max), not \($want)"}] as $counts
| ($oracle[0].events | keys | map({key: ascii_downcase, value: .}) | from_entries) as $own
| ($oracle | length / ($known | length) / $groups / 2) as $each
| [range($known | length) as $i | range($groups) as $g | range($each) as $r
   | (($i * $groups + $g) * 2 * $each + $r) as $at
   | $of | to_entries[] | select($own[.key]) | $own[.key] as $event
   | ([$oracle[$at + $each, $at].events[$event] | .k + .u] | .[0] - .[1]) as $got
   | ($known[$i][.value] * $copies) as $want
   | {ok: ($got == $want), text: "\($known[$i].name) \($event): the oracle has \($got), not \($want)"}] as $checked
| {counts: ($counts | length), oracle: ($checked | length), wrong: [($counts + $checked)[] | select(.ok | not) | .text]}
