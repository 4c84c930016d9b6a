# Definitions for the conditions of boot cases: judge() in run.sh includes this file. A condition's input is the array of all records.
# A condition may be a definition's name: explain.sh then looks at the terms of its body, so a definition begins a line and ends with ";",
# and its body has no definitions of its own.

# ---- records of a type ----

def records($t): map(select(.t == $t));
def records($t; condition): map(select(.t == $t and condition));
def results: records("result");
def errors: records("error");
def messages: errors | map(.message);
def notes($what): records("note"; .what == $what);
def rows: records("row");
def regions: records("region");
def truths: records("truth");
def samplings: records("sampling");
def profiles: records("profile");
def samples: [records("sample")[].samples[]];
def numbers: records("value") | map({key: .name, value: .value}) | from_entries;
def answers: records("value") | map({key: .name, value: (.value // .flags[0])}) | from_entries; # a number, or why there is none

# ---- errors and notes ----

def error_says($text; $n): errors | length == $n and any(tostring | test($text));
def error_says($text): error_says($text; 1);
def note_says($text): notes("events") | any(.message | test($text));
def apic_note($text): notes("apic") | length == 1 and (.[0].message | test($text));
def strays($n): notes("interrupts") | length == 1 and (.[0].message | startswith("\($n) unexpected interrupts or NMIs"));

# ---- results ----

def main_benchmarks: results | map(.bench) | unique == ["fp_add_latency", "l1_miss", "stride_thrash"];
def emulated: results | all(.flags | index("emulated"));
def positive: results | length > 0 and all(.min >= 0 and .median > 0 and .max >= .min);
def undisturbed: results | all(.flags | (index("slow") or index("smi") or index("stray")) | not);
def certificate: records("done")[0].certificate;
def calm: certificate | .off == [] and .disturbed == 0 and .again == 0 and .throttle == "unmodelled" and (has("smis") or has("throttled") | not);
# The result of an event that the model lacks.
def no_value: has("min") or has("median") or has("mode") or has("mean") or has("ci95") or has("max") or has("raw_min") or has("overhead") | not;
# Events that count cycles of some clock, and these only, have no value on the model.
def clock:
    .event | IN("unhalted_core_cycles", "ref-cycles", "r013c", "cpl_cycles:ring0", "cpl_cycles:ring123", "global_power_events:running",
        "number_of_cycles_not_in_halt_state", "cpu_clk_unhalted", "cycles_not_in_halt", "r100000120", "bus_data_rcv", "bus_drdy_clocks",
        "bus_req_outstanding", "dcu_miss_outstanding", "l2_dbus_busy", "l2_dbus_busy_rd");
def breakpoint_matches: results | map(select(.event | startswith("breakpoint_match")));
# In benchmarks whose name begins with $bench, $events are 1 per operation, and the other events of the run are 0.
def units($bench; $events):
    results | map(select((.bench | startswith($bench)) and .event != "tsc"))
    | length > 0 and all(.min == .max and .median == (if .event | IN($events[]) then 1 else 0 end));
# Arrays of a trace's entries, and its record.
def trace_of(field): [records("trace_entries")[] | field] | add;
# Of stride_thrash's instructions some load its argument; then come n loads, after each 50 of which a DEC and a JNZ. So it is known
# how many instructions follow the $m-th load. $p: how many load the argument.
def count_of($event): records("result"; .event | startswith($event))[0] | .median * .ops;
def after_load($m):
    (count_of("memory_loads:u") - 1000) as $p | count_of("instr_retired:u") - $m - 2 * (($m - $p - 1) / 50 | floor);
def btb_hits: records("region"; .event == "btb_hits");
def spans($bench; $event): records("region"; .bench == $bench and .event == $event);
def entered_exited: map([.entered, .exited]);

# ---- the truth suite (bench=truth, tags, cascade) ----

def none_differs: truths | all(.verdict | IN("agrees", "within", "unmodelled"));
def steady: truths | map(select(.verdict != "unmodelled")) | all(.flags == ["modelled"] and .min == .max and .reps == 20);
def agree($n): truths | map(select(.verdict == "agrees")) | length == $n;
# Rows that a processor alone can answer (bench/truth_processor.c).
def own_row: .program | IN("random_branches", "partial", "aliased", "sse_denormal");
# On a Pentium 4, only bogus micro-operations have no value: the model lacks them.
def bogus_unmodelled:
    truths | map(select(.verdict != "agrees" and (own_row | not)))
    | length == 5 and all(.verdict == "unmodelled" and (has("measured") | not) and .flags == [] and (.event | test("bogus")));

# ---- samples ----

# The handler has at most 100 instructions from entry to IRET; on the model an instruction is a tick, but the 64-bit kernel's REP MOVSQ is 16.
def cheap_handler: samplings | all(.handler_instructions > 50 and .handler_instructions <= 100);
# How often each name is in the lines of records, as {name: times}.
def times_of(name; times): [.[].lines[] | {name: name, times: times}] | group_by(.name) | map({key: .[0].name, value: (map(.times) | add)}) | from_entries;
# As many as overflows with this period.
def without_times: has("tsc") or has("latency") or has("retire") or has("cycles") | not; # the model has no times: docs/pmu-model.md
def each_overflow($period): samplings | all(.samples == (.occurred / $period | floor) and .interrupts == .samples);
def stormy: .samples + .outside == 100 and (.flags | index("storm"));
# The requested number of samples.
def enough:
    samplings | length == 1 and (.[0] | .samples >= 1000 and .samples <= 2000 and .lost == 0 and .reps > 1 and .period >= 100 and
        ((.event | startswith("instructions") | not) or (.handler_instructions // 0) * .interrupts < 0.12 * .occurred) and
        (.flags | index("few") == null and index("handler-heavy") == null));
# Channel and value of each entry of a trace.
def trace_pairs: [records("trace_entries")[] | [.channel, .value] | transpose[]];
# Each of the loop's 52 instructions (50 loads, DEC, JNZ) has the same share: chi-square of 51 degrees of freedom is above 115 once in
# a million (Wilson and Hilferty).
def evenly:
    profiles | group_by(.params.n) | map([.[].lines[] | select(.symbol // "" | startswith("stride_thrash")) | .count]
        | add as $n | (map(. * .) | add) * 52 / $n - $n)
    | length == 2 and all(. < 115);
# As many as there are periods in the time. The sum of n periods, each drawn from 3/4 to 5/4, scatters by
# sqrt(n / 48) periods: five times that, and one for the ends. $late: so many clocks a period is longer, of QEMU's 8254,
# which begins again when the handler writes the new count, and has one clock more then.
def drawn($late): (.samples - .occurred / (.period + $late) * .tsc_with / .tsc_without | fabs) <= 1 + 5 * (.samples / 48 | sqrt);
def timed_with(condition): samplings | length == 1 and (.[0] | .lost == 0 and .samples > 5 and condition);
def timed: timed_with((.samples - .occurred / .period * .tsc_with / .tsc_without | fabs) <= 1);
def untimed: timed_with(has("occurred") or has("tsc_with") | not);
# How far apart samples are: $ticks, or a multiple where one that was outside of the payload is missing; as many as are counted, and no
# more. $slack: how far each may be off, as a part of the period.
def apart($ticks; $slack):
    samplings[0].outside as $outside | [records("sample")[].samples[] | select(.outside | not).tsc]
    | [range(1; length) as $i | .[$i] - .[$i - 1] | {gap: ., n: (. / $ticks | round)}]
    | length > 5 and all(.gap / (.n * $ticks) - 1 | fabs < $slack) and (map(.n - 1) | add) <= $outside;

# ---- processors ----

def processors: records("processors");
# $n processors run, and the record names no other.
def up($n):
    processors | length == 1 and .[0].up == $n and .[0].asked == $n and .[0].not_up == [] and .[0].disabled == 0 and
        .[0].bytes_each <= 65536 and .[0].start_ms > 10;
# Each of $n processors has its own place, and the settings of the boot processor.
def same($n): numbers | .themselves == $n and .alike == $n and .known == $n;
def matrices: records("matrix");
def topology: records("topology")[0];
def places: records("place");
def placed: {t: topology, p: places};
# The interval has bounds if that of the mean alone does not reach 0, as it may on a busy host.
def slowdowns:
    (results | map(select(has("with") | not))) as $alone | records("pair") | all(. as $p
    | [$alone[] | select(.bench == $p.bench and .mean == $p.alone)] | length > 0 and (.[0] as $a | $p
    | .slowdown > 0 and .cpu != .beside_cpu and
      if $a.ci95 < $a.mean then .low <= .slowdown and .slowdown <= .high else .low == null and .high == null end));

# ---- snippets and programs ----

# Exact: the i-th of $n snippets has i % $most + 1 instructions.
def counted($n; $most):
    length == $n and all(.median == (.variant[1:] | tonumber) % $most + 1 and .min == .median and .max == .median and .ci95 == 0);
def counted_with($unroll; $loop; $basic):
    results | map(select([.params.unroll, .params.loop, .params.basic] == [$unroll, $loop, $basic])) | counted(100; 100);
def one_but_empty: results | map(.median) == [range(15) | 1] + [0] and all(.min == .max);
def one_nop: results | map([.bench, .variant]) == [["code", "nop"]];
def inside:
    results | map(select(.event == "tsc" or (.event | test("^inst"))) | [.variant, .min, .max, .ci95])
    | unique == ([["nop", 1, 1, 0], ["empty", 0, 0, 0], ["one", 0, 0, 0], ["both", 3, 3, 0]] | sort);
def inside_with($unroll): map(select(.t != "result" or .params.unroll == $unroll)) | inside;
def untouched:
    map(select((.t == "reps" or .t == "baseline") and (.event | test("store|load|mem_refs|data_|r0040"))))
    | length > 7 and all(.raw | unique == [0]);
def traps: errors | map([.variant, .vector]);
def ended($a; $b): results | map(.variant) == ["a", "b"] and map(.min) == [$a, $b];
def ended_at:
    errors | map([.variant, .byte, .vector])
    | .[0] == ["loop", 1, null] and .[1][0:2] == ["halt", 0] and .[2] == ["cli", 1, null] and length == 3;
def sixteen: [range(16) | "of\(.)"]; # modules
def sixteen_run: results | map(.bench) == sixteen;
def vectors: errors | map(.vector);
def overflows:
    errors | map([.bench, .cpu // 0]) == [["deep", 0], ["sparse", 0], ["deep", 1], ["sparse", 1]] and
        all(.message | test("^(deep|sparse)( on processor 1)?: stack overflow at 0x[0-9a-f]+ [(](again|sparse)[+]0x[0-9a-f]+[)]: " +
            "the stack of 256 KiB is full; stack= sets its size"));
# The ways from ring 3 to the kernel (ring3.sh). No gate refuses INT n at ring 0, and a vector that nobody uses must not become a number
# with a flag.
def faults: errors | map([.variant // .bench, .vector, .copy, .byte]);
def refused_faults:
    [["back", 13, 1, 0], ["behind", 13, 1, 1], ["timer", 13, 1, 0], ["other", 13, 1, 0], ["irq", 13, 1, 0], ["nmi", 13, 1, 0],
        ["sample", 13, 1, 0], ["spurious", 13, 1, 0], ["loop", 13, 1, 6]];
def refused: faults == refused_faults;
def refuses:
    messages | map(capture("calls vector (?<n>[0-9]+), which belongs to the kernel") | .n | tonumber)
    == [128, 128, 49, 129, 32, 2, 241, 255, 129];

# ---- experiments ----

def ours: records("experiment") | map({key: .what, value: .ours}) | from_entries;
# The first number of a row, or the value of a value record.
def cells:
    [rows[] | {key: .label, value: (.cells[0] | .value // .flags[0])}] + [records("value")[] | {key: .name, value: (.value // .flags[0])}]
    | from_entries;
# wc's loop (experiments/wc.c): what it counts of all characters, and some of each of the three buffers.
def wc_counts($field; expected; $slack): cells | (.[$field] * .characters - expected | fabs) <= $slack;
def wc_instructions: wc_counts("instructions"; 15 * .characters + .lines + 3 * .words + 2 * 3; 40);
def wc_branches: wc_counts("branches"; 5 * .characters + .words + 3; 12);
def wc_reads: wc_counts("loop: data reads"; 4 * .characters + .lines + .words + 3; 25);
def wc_writes: wc_counts("loop: data writes"; 2 * .characters + .lines + .words + 3; 25);
# The L1D that stride_sets finds: $ways of $way bytes, lines of $line bytes.
def sets_used($stride; $way; $line): if $stride == 3 * $line then $way / $line elif $stride > $way then 1 else $way / $stride end;
def sets_found($stride; $used; $ways; $way; $line):
    map(select(.bench == "stride_sets" and .params.stride == $stride))
    | answers["lines that stay"] == $used * $ways and answers["sets that are used"] == $used and answers["ways of a set"] == $ways and
        (records("series") | map(.values[]) == [range($used) * ($way / $line / $used)]);
def cache_is($ways; $way; $line):
    . as $all | [512, 8192, 3 * $line]
    | all(. as $stride | sets_used($stride; $way; $line) as $used | $all | sets_found($stride; $used; $ways; $way; $line));
# Misses of the next load after nothing, a line, a translation and all were flushed.
def flushed($line; $page; $by):
    [rows[] | [.table, (.cells[0] | .value // .flags[0]), (.cells[1] | .value // .flags[0])]]
        == [["nothing", 0, $line], ["line", 1, $line], ["page", 0, $page], ["all", 1, $page]] and answers.by == $by;
def cell($table; $row; $k): [records("row"; .label == $row and (.table | startswith($table)))[].cells[$k]][0];
def bogus_rows($labels; $n): [rows[] | select(.label | IN($labels[])) | .cells[1:][].flags] | length == $n and all(. == ["unmodelled"]);
def bogus_loads:
    records("value")[0].value as $n | [records("row"; .label == "loads")[].cells[0].value]
    | .[0] >= $n and .[0] <= $n + 8 and .[1] >= 1000 and .[1] <= 1008;

# ---- consoles, event lists, rates ----

def consoles: records("consoles")[0];
def console_notes: notes("console") | map(.message);
def console_is($by; $console): consoles | .wanted == "auto" and .by == $by and .console == $console;
def passed_over($by; $why): consoles | .ports | any(.state == "passed over" and .by == $by and (.why | test($why)));
def events: records("event");
def found: events | any(.event == "retired_instructions" and .code == "0xc0" and .counters == [0, 1, 2, 3]);
def found_by_name: events | any(.event == "retired_instructions");
def intervals: records("interval");
# Whatever an interval counts: a rate is its count in the time that was counted, and that is no less than what was asked for.
def rates($hz):
    intervals | length > 0 and all(.[]; .seconds as $s | .slices > 0 and (.seconds - .tsc / $hz | fabs) < 1e-9 and
        all(.events[]; .flags == ["unmodelled"] or (.rate * $s - .count | fabs) < 1));
# On the PMU model there are counts, and no times.
def counts_only:
    intervals | length > 0 and all(.[]; .slices > 0 and (has("seconds") or has("at") or has("tsc") or has("interrupts_rate") | not) and
        all(.events[]; has("rate") | not));
