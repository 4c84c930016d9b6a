# Records with all raw samples (all=1) against the oracle's histogram ($oracle, one line a bracket; the last is the
# pass that sampled) of the event $event, sampled with a period of 1 by an interrupt that comes without a skid: each
# instruction of the payload that caused the event is followed by as many samples on the next one. $bytes: the length
# of those instructions; only such that follow one another in the histogram are compared, so that no branch is between.
# $limit: where payloads end and the kernel, whose misses the histogram has too, begins (hexadecimal).
#
# What the delivery of an interrupt itself accesses (gate, descriptors, TSS, stack) counts at the level that it
# interrupts, but after the overflow: it makes no sample, and the histogram has it apart from the instructions.
def hex: ltrimstr("0x") | explode | reduce .[] as $c (0; . * 16 + (if $c >= 97 then $c - 87 else $c - 48 end));
($oracle | last | .histogram[$event] | del(.delivery) | with_entries(.key |= (hex | tostring))) as $caused
| ($caused | to_entries | map(.key |= tonumber) | map(select(.key < ($limit | hex)))) as $ours
| ($oracle | last | [.interrupts[]] | add) as $interrupts
| ([.[] | select(.t == "sample") | .samples[].ip | hex | select(. > $ours[0].key and . <= ($ours | map(.key) | max) + 15)]
    | length) as $inside # the bracket, but for what its RET, the first outside, causes
| ([.[] | select(.t == "sample") | .samples[].ip | hex] | group_by(.) | map({key: (.[0] | tostring), value: length})
    | from_entries) as $sampled
| [$caused | to_entries[] | .key as $at | ($at | tonumber + $bytes | tostring) as $next
    | select($caused[$next] != null and ($at | tonumber) < ($limit | hex)) | {at: $at, caused: .value, sampled: ($sampled[$next] // 0)}]
| {compared: length, samples: (map(.sampled) | add), $inside, wrong: map(select(.caused != .sampled))}
| if $inside != $interrupts then .wrong += [{$interrupts}] else . end
