# Of a run with steps=auto and the events instructions, taken branches and, if $misses, loads that miss the L1: does each step have
# what the oracle's trace of the payload has up to there? An instruction is a cycle of the model. The empty bracket differs from the
# payload's from its first instruction on; what comes before it is the bracket's. Prints what is wrong.
(map(select(.t == "steps"))[0]) as $whole | map(select(.t == "step")) as $rows |
($oracle | map(select(.trace.kept > 100)) | last | .trace) as $trace |
($rows | map({key: (.cycles | tostring), value: .}) | from_entries) as $at |
$at[$whole.as_empty | tostring] as $before |
[foreach $trace.at[] as $e ({n: 0, taken: 0, misses: 0};
    {n: (.n + 1), taken: (.taken + (if $e.taken then 1 else 0 end)), misses: (.misses + (if ($e.level // "L1") == "L1" then 0 else 1 end))};
    [.n, .taken] + (if $misses then [.misses] else [] end))] as $so_far |
{insns: ($trace.at | length), taken: ($so_far | last | .[1]), misses: ($so_far | last | .[2]),
 length: ($trace.kept == $trace.n and $whole.cycles - $whole.empty == ($trace.at | length)),
 rows: ($whole.ended == false and ($rows | length) == $whole.cycles + 1 and ($rows | all(.frozen == $whole.reps and .asked == .cycles))),
 came: ([range(1; $rows | length) as $i | [$rows[$i].count, $rows[$i - 1].count, $rows[$i].came] | transpose[] | select(.[0] - .[1] != .[2])]),
 wrong: [range(0; $so_far | length) as $i | $at[($whole.as_empty + 1 + $i) | tostring] as $row |
         select(([$row.count, $before.count] | transpose | map(.[0] - .[1])) != $so_far[$i]) | [$i, $row.count, $so_far[$i]]][:3]}
