# Raw samples with their branches (all=1, branches=lbr) against the oracle's trace ($oracle, one line a bracket) of the
# event that they were sampled by, with branches=32: of a bracket that nothing interrupted, since those of one program are
# alike. The k-th sample has the branches of the entry of which n is k times $period further than that of the first one,
# which the harness's own events put somewhere in the first period. The newest come first; those before the bracket began
# the oracle does not have. $depth: entries of the processor's record.
def named: ltrimstr("0x");
($oracle | map(select((.interrupts // {}) == {} and .trace.kept > 1000)) | last | .trace.at) as $at
| ($at | map({key: (.n | tostring), value: .}) | from_entries) as $by
| [.[] | select(.t == "sample") | .samples[] | select(.outside | not)
    | {from: (.branch_from | map(named)), to: (.branch_to | map(named)), cycles: .branch_cycles}] as $samples
| def wrong($k; $first):
    $samples[$k] as $s | $by[($first + $k * $period) | tostring].branches as $o
    | [$o | length, $depth] | min as $n
    | $o == null or ($s.from | length) < $n
      or $s.from[:$n] != [$o[:$n][].from] or $s.to[:$n] != [$o[:$n][].to]
      or ($s.cycles != null and $s.cycles[:$n - 1] != [$o[:$n - 1][].clocks]);
  [range($period) | select(wrong(0; .) | not)] as $could
| (first($could[] | select(. as $first | all(range($samples | length); wrong(.; $first) | not))) // $could[0] // -1) as $first
| {samples: ($samples | length), $first, wrong: [range($samples | length) | select(wrong(.; $first))]}
