# Of a run with steps=auto and the events instructions, taken branches and, if $misses, loads that miss the L1: does each step have
# what the oracle's trace of the payload has up to there? An instruction is a cycle of the model, which has no cycles to report: the
# rows are those of the cycles that were asked for. One of them is the last before the payload; from there on each has an instruction
# more. Prints what is wrong.
(map(select(.t == "steps"))[0]) as $whole | map(select(.t == "step")) as $rows |
($oracle | map(select(.trace.kept > 100)) | last | .trace) as $trace |
def less($a; $b): [$a, $b] | transpose | map(.[0] - .[1]);
[foreach $trace.at[] as $e ({n: 0, taken: 0, misses: 0};
    {n: (.n + 1), taken: (.taken + (if $e.taken then 1 else 0 end)), misses: (.misses + (if ($e.level // "L1") == "L1" then 0 else 1 end))};
    [.n, .taken] + (if $misses then [.misses] else [] end))] as $so_far |
{insns: ($trace.at | length), taken: ($so_far | last | .[1]), misses: ($so_far | last | .[2]),
 length: ($trace.kept == $trace.n and less($whole.counts; $whole.empty_counts)[:2] == ($so_far | last | .[:2])),
 rows: ($whole.ended == false and ($rows | map(.asked)) == [range(0; $whole.to + 1)] and ($rows | all(.frozen == $whole.reps))),
 untimed: ([$whole, $rows[]] | all(has("cycles") or has("late") or has("empty") or has("cycles_most") | not)),
 came: ([range(1; $rows | length) as $i | [$rows[$i].count, $rows[$i - 1].count, $rows[$i].came] | transpose[] | select(.[0] - .[1] != .[2])]),
 before: (first(range(0; ($rows | length) - ($so_far | length)) as $b |
     select(all(range(0; $so_far | length); less($rows[$b + 1 + .].count; $rows[$b].count) == $so_far[.])) | $b) // -1)}
