# Raw samples with their branches (all=1, branches=lbr) against the oracle's trace ($oracle, one line a bracket) of the
# event that they were sampled by, with branches=32: of a bracket that nothing interrupted, since those of one program are
# alike. The k-th sample has the branches of the entry of which n is k times $period further than that of the first one,
# which the harness's own events put somewhere in the first period. The newest come first; those before the bracket began
# the oracle does not have. $depth: entries of the processor's record; $kinds: those that its filter lets through ([]: all).
#
# Then what the kernel made of them, from the same raw samples: each pair with its times, and each block between two entries
# with its times, where all four ends are the program's; the first block and the last one of a call are the kernel's
# alone.
def named: ltrimstr("0x");
def hex: ltrimstr("0x") | explode | reduce .[] as $c (0; . * 16 + (if $c >= 97 then $c - 87 else $c - 48 end));
([.[] | select(.t == "branches" or .t == "blocks")]) as $made
| ($made[0].base | hex) as $base
| ($oracle | map(select((.interrupts // {}) == {} and .trace.kept > 1000)) | last | .trace.at) as $at
| ($at | map({key: (.n | tostring), value: [.branches[] | select(.cpl == 3 and ($kinds == [] or (.kind | IN($kinds[]))))]}) | from_entries) as $by
| [.[] | select(.t == "sample") | .samples[] | select(.outside | not)
    | {from: (.branch_from | map(named)), to: (.branch_to | map(named))}] as $samples
| def wrong($k; $first):
    $samples[$k] as $s | $by[($first + $k * $period) | tostring] as $o
    | [$o | length, $depth] | min as $n
    | $n == 0 or ($s.from | length) < $n
      or $s.from[:$n] != [$o[:$n][].from] or $s.to[:$n] != [$o[:$n][].to];
  def ours: hex >= $base;
  [range($period) | select(wrong(0; .) | not)] as $could
| (first($could[] | select(. as $first | all(range($samples | length); wrong(.; $first) | not))) // $could[0] // -1) as $first
| [$samples[] | [.from, .to] | transpose[] | select(all(ours))] as $pairs
| [$samples[] | . as $s | range($s.from | length - 1) as $k | [$s.to[$k + 1], $s.from[$k]]
    | select(([.[:2][], $s.from[$k + 1], $s.to[$k]] | all(ours)) and (.[0] | hex) <= (.[1] | hex))] as $blocks
| ($pairs | group_by(.) | map({key: (.[0] | join(" ")), value: length}) | from_entries) as $taken
| ($blocks | group_by(.[:2]) | map({key: (.[0][:2] | join(" ")), value: {times: length}}) | from_entries) as $run
| [$made[] | select(.t == "branches") | .lines[] | {key: "\(.from | named) \(.to | named)", value: .times}] as $listed
| [$made[] | select(.t == "blocks") | .lines[] | {key: "\(.from | named) \(.to | named)", times}] as $listed_blocks
| {samples: ($samples | length), $first, wrong: [range($samples | length) | select(wrong(.; $first))],
   pairs: ($taken | length), wrong_pairs: ($taken != ($listed | from_entries)), blocks: ($listed_blocks | length),
   wrong_blocks: ([$listed_blocks[] | select(if $made[0].outside == 0 then $run[.key] != {times} else $run[.key].times > .times end)]
       + [$run | keys[] | select($kinds == [] and (IN($listed_blocks[].key) | not))])}
