# All raw samples (all=1) of a pass by PEBS against the oracle, sample by sample. $oracle: a line for each pass, the last of which
# is this one, with the trace of the event (docs/pmu-model.md); $period: events from one sample to the next; $above: only loads
# that are tagged and take longer (-1: of another event); $says: what a sample has of the data: [], ["data"], with "level", "branches".
# Which occurrence is the first is not told: the bracket has some of its own. Behind the trace comes the payload's RET. Comes to what is wrong; nothing is [].
def hex: ltrimstr("0x") | explode | reduce .[] as $c (0; . * 16 + (if $c >= 97 then $c - 87 else $c - 48 end));
[.[] | select(.t == "sample") | .samples[] | select(.outside | not)] as $is
| ($oracle | last | .trace) as $trace
| [$trace.at[] | select($above < 0 or (.tagged and .latency > $above))] as $at
# The instruction that the record names, or the one that it was corrected to; and the state behind it.
| def names($e): (.ip | ltrimstr("0x")) == (if .plus_one then $e.next else $e.ip end)
      and (if .recorded then (.recorded | ltrimstr("0x")) == $e.next else true end);
  def agrees($e): names($e) and ([.regs[] | ltrimstr("0x")] == $e.regs[:(.regs | length)]) and ((.flags | ltrimstr("0x")) == $e.flags)
      and (if $says | index("data") then (.data | ltrimstr("0x")) == $e.data else true end)
      and (if $says | index("level") then (.level | ascii_downcase) == ($e.level | ascii_downcase) else true end)
      # The oracle's are those since the bracket's beginning; records of ring 3 have those that end there.
      and (if $says | index("branches") then [$e.branches[] | select(.cpl == 3)] as $b
           | [.branch_from[:($b | length)], .branch_to[:($b | length)]] == [[$b[] | "0x" + .from], [$b[] | "0x" + .to]] else true end);
  [range([$period, ($at | length)] | min) as $k | select(. as $x | $is[0] | agrees($at[$k])) | $k] as $first
| [ (if $trace.n != $trace.kept then "the trace is cut" else empty end),
    (if ($first | length) == 0 then "the first sample is none of \($period) occurrences: \($is[0])" else empty end),
    (($first[0] // 0) as $from
     | ((($at | length) - $from + $period - 1) / $period | floor) as $n
     | (if ($is | length) != $n and ($is | length) != $n + 1 then "\($is | length) samples of \($at | length) occurrences, from \($from) on" else empty end),
       (range([$n, ($is | length)] | min) as $k | $at[$from + $k * $period] as $e | $is[$k] | select(agrees($e) | not) | "sample \($k): \(.), not \($e)")) ]
| .[:3]
