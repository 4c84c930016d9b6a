# Records of PEBS at CPL 0 with all raw samples (all=1) of bench=l1_profile against the oracle. $oracle: for each pass,
# without and with interrupts, a line of the payload ("payload@...") and one of all that the counter was on for ("pass");
# with the histogram of $event. $target: the load that misses, $n times, around $lines lines 8 KiB apart; $period.
# The handler's own loads are events like the payload's: they are counted, and some are recorded. Every record must be
# of an instruction that caused that many, and none may be without a cause: the data address tells how often the target
# had missed, up to a multiple of $lines; what is lacking to the period are the handler's, of which the oracle has the sum.
# Comes to what is wrong; nothing is [].
def hex: ltrimstr("0x") | explode | reduce .[] as $c (0; . * 16 + (if $c >= 97 then $c - 87 else $c - 48 end));
def tally: group_by(.) | map({key: .[0], value: length}) | from_entries;
def mod($m): (. % $m + $m) % $m;
8192 as $step
| ([.[] | select(.t == "sample") | .samples[]]) as $all
| ([$oracle[] | select(.label | startswith("payload"))] | last) as $payload
| ([$oracle[] | select(.label == "pass")] | last) as $pass
| ($payload.histogram[$event] | add) as $events
| ($pass.histogram[$event]) as $caused
| ([$payload.interrupts[]] | add) as $interrupts
| ($all | map(.ip | ltrimstr("0x")) | tally) as $recorded
| [$all | to_entries[] | select(.value.ip == "0x" + $target) | {record: .key, line: (.value.regs[0] | hex)}] as $ours
| ($ours | map(.line) | min) as $first
| [range(1; $ours | length) as $k | $ours[$k - 1] as $a | $ours[$k] as $b
    | ($period * ($b.record - $a.record) - ($b.line - $a.line) / $step) | mod($lines)] as $others
| ($period * ($ours[0].record + 1) - ($ours[0].line - $first) / $step - 1 | mod($lines)) as $before
| ($events - $n - $before - ($others | add)) as $beyond
| (($caused | add) - $events) as $harness # misses before and after the payload, some of which $before has
| [ (if $payload.events[$event].u != 0 or $payload.histogram[$event][$target] != $n then "the oracle has \($payload.events)" else empty end),
    ($recorded | to_entries[] | select(.value > ($caused[.key] // 0)) | "\(.value) records at \(.key), which caused \($caused[.key] // 0)"),
    ($ours[] | (.line - $first) as $off | select($off % $step != 0 or $off >= $lines * $step) | "record \(.record): address \(.line)"),
    (if $period <= 3 and ($recorded | length) < 2 then "none of the handler's was recorded" else empty end),
    (if ($all | all(.precise)) | not then "one is not precise" else empty end),
    (if ($all | length) < ($events / $period | floor) or ($all | length) > (($caused | add) / $period | floor)
        then "\($all | length) records of \($events) to \($caused | add) events" else empty end),
    (if ($others | map(select(. > 0)) | length) > $interrupts
        then "the target is short of misses \($others | map(select(. > 0)) | length) times, with \($interrupts) interrupts" else empty end),
    (if $beyond < -$harness or $beyond > 2 * $lines then "the handler's misses: \($events - $n), of which the records show all but \($beyond)" else empty end) ]
| .[:3]
