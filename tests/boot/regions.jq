# Regions against the oracle, and the relations among their events.
#     jq -s --argjson warmup N --slurpfile words tests/boot/words.json --slurpfile relations tests/boot/relations.json \
#         --slurpfile oracle ORACLE -f tests/boot/regions.jq RECORDS
# RECORDS: of bench=test_history. ORACLE: a line for each part between two markers (tests/boot/cases/regions.sh), whose label
# is the regions that it lies in, "0.1"; for every group of events the warm-up, the repetitions, and the call with cold
# caches. What is in a region is the sum of its parts: no marker's instruction is in any. No range may be wider than what
# the markers can cost, and what retires is exact.
# With all=1 (at most 40 repetitions) each repetition's range must have that repetition's truth.
# Result: {compared, related, exact, kept, wrong}: values and relations looked at, totals that are one number, regions with
# single repetitions, and what is wrong in words.
($oracle) as $lines
| [.[] | select(.t == "result" and has("group"))] as $results
| [.[] | select(.t == "region" and .event != "tsc" and .flags != ["unmodelled"])] as $regions # cycles have no value
| ([.[] | select(.t == "region_reps") | {key: "\(.event) \(.id)", value: .}] | from_entries) as $kept
| ($lines[0].events | keys | map({key: (ascii_upcase | gsub("\\+"; ":")), value: .}) | from_entries) as $own
| ($own + ($words[0] | with_entries(.key |= ascii_upcase))) as $name # of an event word: the oracle's
| ($results[0].groups) as $groups
| ($results | map({key: .event, value: .group}) | from_entries) as $group
| ($regions[0].reps) as $reps
| ($warmup + $reps + 1) as $calls
| (($lines | length) / $groups / $calls) as $parts
| def lines_of($group; $call): $lines[($group * $calls + $call) * $parts:($group * $calls + $call + 1) * $parts];
  def within($least; $value; $most): $least != null and $least <= $value and $value <= $most;
  def retired: ["INSTRUCTIONS_EXECUTED", "BRANCHES", "DATA_READ", "DATA_WRITE", "INST_RETIRED", "BR_INST_RETIRED", "BR_TAKEN_RETIRED",
    "instr_retired:NBOGUSNTAG", "branch_retired:MMTP+MMTM", "memory_loads", "memory_stores", "INSTRUCTION_RETIRED",
    "BRANCH_INSTRUCTIONS_RETIRED", "RETIRED_INSTRUCTIONS", "RETIRED_BRANCH_INSTRUCTIONS", "RETIRED_TAKEN_BRANCH_INSTRUCTIONS"];
  # Reals have seven digits in a record: a third of 0.5 is not what jq makes of it.
  def same($a; $b): $a == $b or ($a != null and $b != null and (($a - $b) | fabs) <= 5e-7 * ($b | fabs));
  def exactly($value; $least; $most): same($value; if $least == $most then $least else null end);
  [$regions[] as $r
   | ($r.id | tostring) as $id
   | [range($calls) as $call
      | [lines_of($group[$r.event]; $call)[] | select(.label | split(".") | index($id))
         | .events[$name[$r.event | ascii_upcase]] | .u + .k]] as $of
   | [$of[$warmup:$warmup + $reps][] | add // 0] as $truths
   | (($truths | add) / $reps) as $truth
   | ($of[$calls - 1] | .[:length / $r.entered] | add // 0) as $first
   | "\($r.event), \($r.label)" as $what
   | {ok: within($r.least; $truth; $r.most), text: "\($what): \($r.least) .. \($r.most), oracle \($truth)"},
     ($kept["\($r.event) \($r.id)"] // empty | range($reps) as $i
      | {ok: within(.least[$i]; $truths[$i]; .most[$i]),
         text: "\($what), repetition \($i): \(.least[$i]) .. \(.most[$i]), oracle \($truths[$i])"}),
     {ok: within($r.min; $truths | min; $r.max), text: "\($what): min \($r.min), oracle \($truths | min)"},
     {ok: within($r.min; $truths | max; $r.max), text: "\($what): max \($r.max), oracle \($truths | max)"},
     {ok: within($r.first_least; $first; $r.first_most),
      text: "\($what): first \($r.first_least) .. \($r.first_most), oracle \($first)"},
     {ok: (exactly($r.total; $r.least; $r.most) and exactly($r.first; $r.first_least; $r.first_most)
           and exactly($r.per_entry; $r.least / $r.entered; $r.most / $r.entered)),
      text: "\($what): \($r.total) of \($r.least) .. \($r.most)"},
     {ok: ($r.nested_markers > 0 or $r.most - $r.least <= $r.entered * $r.overhead_most),
      text: "\($what): \($r.least) .. \($r.most) is wider than \($r.entered) x \($r.overhead_most)"},
     {ok: ($r.least == $r.most or (retired | index($name[$r.event | ascii_upcase]) | not)),
      text: "\($what): \($r.least) .. \($r.most) is not exact"}] as $values
| ([$regions[] | {key: "\($name[.event | ascii_upcase]) \(.id)", value: .}] | from_entries) as $region
| [range(7) as $id
   | $relations[0][] as [$left, $relation, $right]
   | [$left, $right | [.[] | $region["\(.) \($id)"]]] as [$l, $r]
   | select($l + $r | all)
   | ([$l, $r | {least: map(.least) | add, most: map(.most) | add}]) as [$a, $b]
   | {ok: ($a.least <= $b.most and ($relation == "<=" or $b.least <= $a.most)),
      text: "region \($id): \($left) \($a.least) .. \($a.most) \($relation) \($right) \($b.least) .. \($b.most)"}] as $related
| {compared: ($values | length), related: ($related | length), $parts, exact: ($regions | map(select(.total != null)) | length),
   kept: ($kept | length),
   wrong: ($values + $related | map(select(.ok | not) | .text))}
