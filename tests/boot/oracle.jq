# Counts against the oracle. Input: a run's records (all=1, at most 50 repetitions); $oracle: the oracle's lines.
#     jq -s --arg mode raw|payload --slurpfile words tests/boot/words.json \
#         --slurpfile oracle ORACLE -f tests/boot/oracle.jq RECORDS
# Result: {compared, wrong}, the number of values looked at and the disagreements in words.
#
# payload: the oracle has a line for each payload that ran (labels "payload@..."): for every line of the plan and every
#          group of events the warm-up, then the repetitions; those of the empty payload are left out. The corrected
#          count must be the payload's.
# raw:     it has a line for each bracket (labels "raw0", "raw1", ...: the counter that is read first, second). The raw count
#          must be the bracket's.
($oracle) as $all
| [.[] | select(.t == "result" and has("group"))] as $results
| [.[] | select(.t == "reps" and .event != "tsc")] as $reps
# What the model lacks has no repetitions, but a place in its group.
| [$results[] | select(.flags | index("unmodelled") | not)] as $valued
# The oracle's names are the manual's or libpfm4's; masks that it has together are joined by +. $words: event words that
# have another name there.
| ($all[0].events | keys | map({key: (ascii_upcase | gsub("\\+"; ":")), value: .}) | from_entries) as $own
| ($own + ($words[0] | with_entries(.key |= ascii_upcase))) as $name
| ($results | map([.bench, .variant, .params]) | reduce .[] as $i ([]; if index([$i]) then . else . + [$i] end)) as $items
| [range($reps | length) as $r
   | $reps[$r] as $x
   | $valued[$r] as $y
   | ([$results[] | select(.group == $y.group and .bench == $y.bench and .variant == $y.variant and .params == $y.params) | .event]
      | index($y.event)) as $position
   | (if $mode == "raw" then "raw\($position)" else "payload@" end) as $prefix
   # Groups of one event have no second counter: the lines of raw1 are fewer.
   | ([$results[] | select(.bench == $items[0][0] and .variant == $items[0][1] and .params == $items[0][2])]
      | group_by(.group) | map(select(length > $position or $mode == "payload") | .[0].group)) as $with
   | [$all[] | select((.label | startswith($prefix)))] as $o
   | ($o | length / ($items | length) / ($with | length)) as $runs
   | (($items | index([[$x.bench, $x.variant, $x.params]])) * ($with | length) + ($with | index($y.group))) as $stretch
   | ($x.raw | length) as $n
   | range($n) as $i
   | $o[$stretch * $runs + $runs - $n + $i].events[$name[$x.event | ascii_upcase]] as $e
   | (if $mode == "raw" then $e.u + $e.k elif $x.ring == 3 then $e.u else $e.k end) as $want
   | ($x.raw[$i] - (if $mode == "raw" then 0 else $x.overhead end)) as $got
   | {ok: ($got == $want), text: "\($x.bench) \($x.event) rep \($i): \($got), oracle \($want)"}]
| {compared: length, wrong: map(select(.ok | not) | .text)}
