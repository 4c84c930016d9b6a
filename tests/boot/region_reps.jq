# Single repetitions of regions (all=1) against what their `region` records say of all of them.
#     jq -s -f tests/boot/region_reps.jq RECORDS
# Result: {regions, exact, ranges, wrong}: how many regions have repetitions, how many of these are known as numbers, how many
# between bounds, and what is wrong in words. Reals have seven digits in a record.
def same($a; $b): (($a - $b) | fabs) <= 1e-6 * ($b | fabs);
def key: [.bench, .variant, .params, .ring, .event, .id];
([.[] | select(.t == "region_reps")] | group_by(key) | map({key: (.[0] | key | tojson), value: .}) | from_entries) as $reps
| [.[] | select(.t == "region")] as $regions
| [$regions[] as $r
   | ($reps[$r | key | tojson] // []) as $of
   | "\($r.bench), \($r.event), region \($r.id)" as $what
   | if $r.least == null then {ok: ($of == []), text: "\($what): repetitions without values"}
     else
       ([$of[].least[]]) as $least | ([$of[].most[]]) as $most | ([$of[].raw[]]) as $raw
       | {ok: ([$least, $most, $raw | length] == [$r.reps, $r.reps, $r.reps]), text: "\($what): \($least | length) repetitions"},
         {ok: ([$of[].first] == [range($of | length) * 40]), text: "\($what): begin at \([$of[].first])"},
         {ok: ([range($least | length)] | all(. as $i | $least[$i] <= $most[$i] and $most[$i] <= $raw[$i])),
          text: "\($what): \($least), \($most), \($raw)"},
         {ok: same($least | min; $r.min), text: "\($what): min \($r.min), of repetitions \($least | min)"},
         {ok: same($most | max; $r.max), text: "\($what): max \($r.max), of repetitions \($most | max)"},
         {ok: same(($least | add) / $r.reps; $r.least), text: "\($what): least \($r.least), of repetitions \($least)"},
         {ok: same(($most | add) / $r.reps; $r.most), text: "\($what): most \($r.most), of repetitions \($most)"}
     end] as $values
| {regions: ($reps | length), exact: ([$reps[] | select(all(.least == .most))] | length),
   ranges: ([$reps[] | select(any(.least != .most))] | length),
   wrong: ($values | map(select(.ok | not) | .text))}
