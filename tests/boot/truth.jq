# The truth suite's counts against the oracle, raw values of one program and event at a time.
#     jq -n --arg mode raw|payload --slurpfile record RECORDS -f tests/boot/truth.jq ORACLE
# RECORDS: of bench=truth with warmup=2 reps=20, the defaults. Result: {compared, wrong}, as tests/boot/oracle.jq.
#
# raw:     ORACLE has a line for each bracket (labels "raw0", "raw1": the counter that is read first, second; the second
#          one's comes first, its bracket being the inner one). What is compared is all that the record is made of: least
#          raw value, overhead, and median, least and greatest of what is left without overhead and base.
# payload: ORACLE has a line for each payload but the empty one (labels "payload@..."). The corrected count must be the payload's without the base's. Not looked at:
#          code_read, since a payload's first block is the empty one's too, and what straight_cold misses, whose base
#          fetches its one line again for the RET, which is outside.
#
# Programs run in the records' order, each for its groups in turn, first the base if it has one. A run is 4 brackets of
# warming, 100 for the overhead, and then, of the payload, 2 of warming and 20 repetitions.
# What a word is for the oracle: rows whose counts make it up, of which a model has one or all. Another word is a row's name,
# but for unit mask 00h.
def rows: {
    instructions: ["INSTRUCTIONS_EXECUTED", "INST_RETIRED", "INSTRUCTION_RETIRED", "RETIRED_INSTRUCTIONS"],
    branches: ["BRANCHES", "BR_INST_RETIRED", "BRANCH_INSTRUCTIONS_RETIRED", "RETIRED_BRANCH_INSTRUCTIONS"],
    cycles: ["UNHALTED_CORE_CYCLES", "CPU_CLK_UNHALTED", "CYCLES_NOT_IN_HALT"],
    "cache-references": ["LLC_REFERENCES"], "cache-misses": ["LLC_MISSES"],
    r01c0: ["INST_RETIRED:LOADS"], r02c0: ["INST_RETIRED:STORES"], r0cc4: ["BR_INST_RETIRED:TAKEN"], r0f45: ["L1D_REPL"],
    r0f40: ["L1D_CACHE_LD:MESI"], r0140: ["L1D_CACHE_LD:I_STATE"],
    r0081: ["L1I_MISSES", "INSTRUCTION_CACHE_MISSES"], r00c8: ["HW_INT_RCV", "RETIRED_NEAR_RETURNS"],
    r81d0: ["MEM_INST_RETIRED:ALL_LOADS"], r82d0: ["MEM_INST_RETIRED:ALL_STORES"], r0151: ["L1D:REPLACEMENT"],
    r02c4: ["BR_INST_RETIRED:NEAR_CALL"], r08c4: ["BR_INST_RETIRED:NEAR_RETURN"], r20c4: ["BR_INST_RETIRED:NEAR_TAKEN"],
    r10c4: ["BR_INST_RETIRED:NOT_TAKEN", "BR_INST_RETIRED:COND_NTAKEN"], r40c4: ["BR_INST_RETIRED:FAR_BRANCH"],
    r01cb: ["HW_INTERRUPTS:RECEIVED", "MEM_LOAD_RETIRED:L1D_MISS", "RETIRED_MMX_AND_FP_INSTRUCTIONS:X87", "RETIRED_MMX_FP_INSTRUCTIONS:X87",
        "RETIRED_MMX_FP_INSTRUCTIONS:X87_INSTR"],
    r02cb: ["RETIRED_MMX_AND_FP_INSTRUCTIONS:MMX_AND_3DNOW", "RETIRED_MMX_FP_INSTRUCTIONS:MMX",
        "RETIRED_MMX_FP_INSTRUCTIONS:MMX_INSTR"],
    r0040: ["DATA_CACHE_ACCESSES"], r0141: ["DATA_CACHE_MISSES", "DATA_CACHE_MISSES:DC_MISS_STREAMING_STORE"],
    r0083: ["INSTRUCTION_CACHE_REFILLS_FROM_SYSTEM"], r00c4: ["RETIRED_TAKEN_BRANCH_INSTRUCTIONS"],
    r00c6: ["RETIRED_FAR_CONTROL_TRANSFERS"], r00cf: ["INTERRUPTS_TAKEN"], r002c: ["INTERRUPT_TAKEN"],
    r00d1: ["RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS"], r0124: ["LOCKED_OPS:EXECUTED"],
    r027d: ["REQUESTS_TO_L2:DATA"], r037e: ["L2_CACHE_MISS:INSTRUCTIONS", "L2_CACHE_MISS:DATA"],
    r8060: ["REQUESTS_TO_L2_GROUP1:RD_BLK_L"], r4060: ["REQUESTS_TO_L2_GROUP1:RD_BLK_X"],
    r4064: ["CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_L_HIT_X"],
    r0964: ["CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C", "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:IC_FILL_MISS"]
};
def events_of: map(.event as $e | rows[$e] // [$e | ascii_upcase | sub(":MMX_TO_FP$"; "")]);
def counted($names): [.[$names[]] // empty] | if . == [] then error("no row for \($names)") else {u: (map(.u) | add), k: (map(.k) | add)} end;
def median: sort | (.[length / 2 | floor] + .[(length - 1) / 2 | floor]) / 2;

(if $mode == "raw" then 126 else 22 end) as $run_length
| [$record[] | select(.t == "truth" and has("raw"))] as $rows # of all of them the runs are counted
| [($rows | map(.program) | reduce .[] as $p ([]; if index($p) then . else . + [$p] end))[] as $p
   | [$rows[] | select(.program == $p)] as $of
   | range($of[0].groups) as $g
   | [$of[] | select(.group == $g)] as $in
   | (if $in[0] | has("base") then {base: true, rows: $in} else empty end), {base: false, rows: $in}
   | .events = (.rows | events_of)] as $runs
| reduce inputs as $line ({n: 0, values: []};
    if $line.label == "raw1" then .second = $line
    elif ($line.label | startswith("payload@") | not) and $line.label != "raw0" then .
    else
      (.n / $run_length | floor) as $i
      | .n += 1
      | if $i >= ($runs | length) then . # the mixed program's, which makes relations
        else
          .second as $second
          | .values[$i] += [[range($runs[$i].events | length) as $k
              | (if $mode == "raw" and $k == 1 then $second else $line end | .events | counted($runs[$i].events[$k])) as $e
              | if $mode == "raw" then $e.u + $e.k elif $runs[$i].rows[0].ring == 3 then $e.u else $e.k end]]
        end
    end)
| .values as $values
| [range($runs | length) as $i
   | select($runs[$i].base | not)
   | range($runs[$i].rows | length) as $k
   | $runs[$i].rows[$k] as $row
   | select($mode == "raw" or ($row.event != "code_read" and ($row.program != "straight_cold" or $row.event == "instructions")))
   | [$values[$i][][$k]] as $v
   | $v[-20:] as $raw
   | (if $row | has("base") then [$values[$i - 1][-20:][][$k]] | median else null end) as $base
   | ([$v[4:104][], $raw[]] | min) as $overhead # lowered, where a raw value lies below
   | (if $mode == "raw" then $base // $overhead else $base // 0 end) as $off
   | (if $mode == "raw" then {raw: ($raw | min), overhead: $overhead} else {} end)
     + {measured: (($raw | median) - $off), min: (($raw | min) - $off), max: (($raw | max) - $off)} as $want
   | ($row | with_entries(select(.key | in($want)))) as $got
   | {ok: (($v | length) == $run_length and $got == $want),
      text: "\($row.program) \($row.event): \($got | tojson), oracle \($want | tojson)"}]
| {compared: length, wrong: map(select(.ok | not) | .text)}
