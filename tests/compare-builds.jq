# The records of one capture of a build, set against the same of another build, by key.
#     jq -n --slurpfile base CAPTURE --slurpfile new CAPTURE -f tests/compare-builds.jq
# Result: {compared: how many fields, differ: [text], added: [text]}. What only NEW has, a record or a field, is added and no
# difference; what only BASE has is a difference.

# What tells the records of a type apart. Records of a type that is not here are not compared: notes are words, and `bench`,
# `reps` and `sample` are not asked for. Records of one key are told apart by their order.
def keys_of: ["bench", "variant", "params", "ring", "event"] as $what | {
    boot: [], cpu: ["cpu"], quiet: ["when"], event: ["event"], truths: [], done: [], end: [],
    truth: ["program", "ring", "event"],
    relation: ["program", "ring", "left_terms", "relation", "right_terms"],
    result: $what,
    derived: ($what[:4] + ["name"]),
    region: ($what + ["id"]),
    sampling: ($what + ["by"]),
    profile: ($what + ["method", "by", "first"]),
    deduction: ($what + ["method"]),
    experiment: ["experiment", "what"],
    error: ["what", "bench", "word"]
};

# Fields that are not compared, by reason: TYPE.FIELD, or FIELD in every type.
def passed_over: {
    "counts and checks the lines of the capture": ["n", "crc", "end.records"],
    "words, which may be written better": ["desc", "reason", "message", "valid", "place", "remark", "before", "experiment.note",
        "deduction.conclusion", "deduction.warning", "done.intervals"],
    "the build, and how it was started": ["boot.version", "boot.cmdline", "boot.loader"],
    "where the linker and the memory map put things": ["boot.pool_base", "boot.pool_bytes", "profile.lines.address", "deduction.lowest",
        "deduction.set"],
    "ticks and rates, which are times": ["cpu.tsc_hz", "cpu.tsc_uncertainty_ppm", "cpu.tsc_other_hz", "cpu.tsc_other_uncertainty_ppm",
        "cpu.core_per_tsc", "quiet.watched_ms", "quiet.watched_tsc", "quiet.gaps", "quiet.threshold_tsc", "quiet.largest_gap_tsc",
        "quiet.largest_gap_us", "quiet.typical_tsc", "result.ns_per_op", "result.core_per_tsc", "result.core_per_op",
        "sampling.tsc_with", "sampling.tsc_without", "sampling.handler_tsc", "sampling.handler_share"],
    "what the harness itself counts, before it is subtracted": ["truth.raw", "truth.overhead", "truth.base", "result.raw_min", "result.overhead",
        "region.overhead_least", "region.overhead_most", "sampling.handler_instructions", "sampling.outside"]
};
([passed_over[][] | {key: ., value: true}] | from_entries) as $passed_over

| def strip($path): # without the fields that are passed over, also in the objects of a list
    with_entries(select($passed_over[.key] or $passed_over["\($path).\(.key)"] | not)
        | .key as $key
        | if .value | type == "array" then .value |= map(if type == "object" then strip("\($path).\($key)") else . end) else . end);
  # {"TYPE key=value, ...": fields}
  def by_key:
    (.[0].platform == "bochs") as $ticks # the TSC's results are times but where it counts instructions (QEMU's -icount)
    | reduce (.[] | select(keys_of[.t] and (($ticks and .t == "result" and .event == "tsc") | not))) as $record ({};
        ($record | [.t] + [keys_of[.t][] as $k | select($record | has($k)) | "\($k)=\($record[$k] | if type == "string" then . else tojson end)"]
            | join(" ")) as $key
        | first(range(1; infinite) as $i | (if $i == 1 then $key else "\($key) #\($i)" end) as $k | select(has($k) | not) | $k) as $key
        | .[$key] = ($record | strip(.t) | del(.t)));

  ($base | by_key) as $old
| ($new | by_key) as $now
| [$old | to_entries[] | .key as $record | $now[$record] as $n
    | if $n == null then "\($record): gone"
      else .value | to_entries[] | .key as $field | select(.value != $n[$field])
        | "\($record): \($field) was \(.value | tojson), is \(if $n | has($field) then $n[$field] | tojson else "gone" end)"
      end] as $differ
| [$now | to_entries[] | .key as $record | $old[$record] as $o
    | if $o == null then $record
      else .value | to_entries[] | select(.key as $field | $o | has($field) | not) | "\($record | split(" ")[0]): field \(.key)"
      end] as $added
| {compared: ([$old[] | length] | add // 0), $differ, $added}
