/* The schema of records: docs/records.md as data, for tools/reccheck.c. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum kind { END_OF_SPEC, UINT, INT, REAL, REAL_OR_NULL, STR, BOOL, HEX, INT_OR_STR, LIST, OBJECT };

struct spec {
    const char *key;
    enum kind kind;
    bool optional;          /* may be absent or null */
    bool count;             /* comes from the counter: not there where `flags` has "unmodelled" */
    const char *values;     /* of a STR: what it may be, "a|b|c"; NULL: anything */
    enum kind of;           /* of a LIST or an OBJECT with free keys: the type of its members */
    const struct spec *sub; /* of an OBJECT, or of the OBJECTs in a LIST */
};
#define F(k, t, ...)                       \
    {                                      \
        .key = k, .kind = t, ##__VA_ARGS__ \
    }
#define OPTIONAL .optional = true
#define COUNT    .count = true

/* ---- fields that several types of record share ---- */

/* Which benchmark, and where it ran; and what of it was counted or sampled. */
#define BENCH \
    F("bench", STR), F("variant", STR), F("params", OBJECT, .of = INT_OR_STR), F("cpu", UINT), F("ring", UINT)
#define EVENT_OF_BENCH   BENCH, F("event", STR)
/* How the samples of a profile came. */
#define SAMPLING_METHODS "pmi|pebs|timer|nmi"
#define PROFILED         F("method", STR, .values = SAMPLING_METHODS), F("period", UINT), F("jitter", BOOL)
/* Where an event stood when it was counted with others. */
#define IN_GROUP         F("group", UINT, OPTIONAL), F("groups", UINT, OPTIONAL), F("counter", UINT, OPTIONAL)
/* A program of the truth suite. */
#define TRUTH            F("program", STR), F("desc", STR), F("before", STR, OPTIONAL), F("ring", UINT)
#define VERDICTS         "agrees|within|differs|absent|not advancing|refused|unmodelled"

/* ---- parts of records ---- */

static const struct spec cache_fields[] = {
    F("level", UINT),
    F("kind", STR, .values = "data|code|unified"),
    F("bytes", UINT),
    F("line", UINT),
    F("ways", UINT),
    F("sets", UINT),
    {0},
};

static const struct spec param_fields[] = {
    F("name", STR),           F("unit", STR),   F("help", STR),           F("min", INT), F("max", INT),
    F("default", INT_OR_STR), F("range", BOOL), F("step", INT, OPTIONAL), {0},
};

static const struct spec fwq_fields[] = {
    F("us", REAL, OPTIONAL),
    F("late_min", UINT),
    F("late_10pct", UINT),
    F("detour_max_tsc", UINT),
    F("detour_max_us", REAL, OPTIONAL),
    F("lost_share", REAL),
    {0},
};

static const struct spec flagged_fields[] = {F("rep", UINT), F("flag", STR), {0}};

/* ---- records ---- */

static const struct spec boot_fields[] = {
    F("schema", UINT),
    F("version", STR),
    F("flavour", STR, .values = "i586|x86_64"),
    F("protocol", UINT),
    F("loader", STR),
    F("cmdline", STR),
    F("cmdline_cut", BOOL, OPTIONAL),
    F("platform", STR, .values = "silicon|qemu-tcg|bochs|kvm|hypervisor"),
    F("platform_detail", STR),
    F("memory_kib", UINT),
    F("map", STR, .values = "mmap|meminfo|none"),
    F("map_truncated", BOOL),
    F("modules", UINT),
    F("pool_base", UINT),
    F("pool_bytes", UINT),
    F("pool_type", STR),
    F("consoles", LIST, .of = STR),
    F("acpi_oem", STR, OPTIONAL),
    {0},
};

static const struct spec pmu_fields[] = {
    F("family", STR),
    F("model", STR, OPTIONAL),
    F("counters", LIST, OPTIONAL, .of = STR),
    F("preset", LIST, OPTIONAL, .of = UINT),
    F("core_type", STR, OPTIONAL, .values = "Core|Atom"),
    F("freeze_smm", BOOL, OPTIONAL),
    F("width", UINT, OPTIONAL),
    F("rdpmc", BOOL, OPTIONAL),
    F("user_rdpmc", BOOL, OPTIONAL),
    F("pebs", BOOL),
    F("ds", BOOL),
    F("ibs", BOOL),
    F("lbr", BOOL),
    {0},
};

static const struct spec cpu_fields[] = {
    F("pmu", OBJECT, OPTIONAL, .sub = pmu_fields),
    F("cpu", UINT),
    F("vendor", STR),
    F("brand", STR),
    F("family", UINT),
    F("model", UINT),
    F("stepping", UINT),
    F("signature", UINT),
    F("hypervisor", BOOL),
    F("invariant_tsc", BOOL),
    F("tsc_hz", UINT, OPTIONAL),
    F("tsc_source", STR, .values = "cpuid.15h|cpuid.16h|pit|pm-timer|command line|unknown"),
    F("tsc_uncertainty_ppm", REAL, OPTIONAL),
    F("tsc_other_hz", UINT, OPTIONAL),
    F("tsc_other_source", STR, OPTIONAL, .values = "cpuid.15h|cpuid.16h|pit|pm-timer"),
    F("tsc_other_uncertainty_ppm", REAL, OPTIONAL),
    F("core_per_tsc", REAL, OPTIONAL),
    F("core_clock_source", STR, OPTIONAL, .values = "aperf/tsc|counters|unknown"),
    F("turbo", STR, OPTIONAL, .values = "on|off|none|unknown|unmodelled"),
    F("prefetch", STR, OPTIONAL, .values = "on|off|mixed|unknown|unmodelled"),
    F("apic", STR, .values = "xapic|x2apic|absent|disabled"),
    F("apic_id", UINT, OPTIONAL),
    F("apic_version", UINT, OPTIONAL),
    F("apic_lvts", UINT, OPTIONAL),
    F("caches", LIST, .of = OBJECT, .sub = cache_fields),
    F("cache_source", STR, .values = "cpuid.4|cpuid.2|cpuid.80000005h|cpuid.8000001Dh|table|unknown"),
    F("serialize", LIST, .of = STR),
    {0},
};

static const struct spec quiet_fields[] = {
    F("when", STR, .values = "before|after"),
    F("watched_ms", REAL, OPTIONAL),
    F("watched_tsc", UINT),
    F("gaps", UINT),
    F("threshold_tsc", UINT),
    F("largest_gap_tsc", UINT),
    F("largest_gap_us", REAL, OPTIONAL),
    F("typical_tsc", UINT),
    F("tsc_step", UINT),
    F("smi_counter", BOOL),
    F("smis", UINT, OPTIONAL),
    F("verdict", STR, .values = "quiet|disturbed|unknown"),
    F("reason", STR),
    {0},
};

static const struct spec bench_fields[] = {
    F("bench", STR),
    F("desc", STR),
    F("cost", STR),
    F("unit", STR),
    F("main", BOOL),
    F("variants", LIST, .of = STR),
    F("params", LIST, .of = OBJECT, .sub = param_fields),
    {0},
};

static const struct spec event_fields[] = {
    F("event", STR),
    F("stands_for", STR, OPTIONAL),
    F("code", STR, OPTIONAL),
    F("umask", STR, OPTIONAL),
    F("desc", STR, OPTIONAL),
    F("kind", STR, OPTIONAL),
    F("msr", STR, OPTIONAL),
    F("counters", LIST, OPTIONAL, .of = UINT),
    F("umasks", LIST, OPTIONAL, .of = STR),
    {0},
};

static const struct spec result_fields[] = {
    IN_GROUP,
    F("read", STR, OPTIONAL, .values = "fast rdpmc|rdpmc|rdmsr"),
    EVENT_OF_BENCH,
    F("unit", STR),
    F("serialize", STR, OPTIONAL),
    F("reps", UINT),
    F("ops", UINT),
    F("raw_min", UINT, COUNT),
    F("overhead", UINT, COUNT),
    F("min", REAL, COUNT),
    F("median", REAL, COUNT),
    F("mode", REAL, COUNT),
    F("mean", REAL, COUNT),
    F("max", REAL, COUNT),
    F("culled", UINT, OPTIONAL),
    F("smi", UINT, OPTIONAL),
    F("slow", UINT, OPTIONAL),
    F("stray", UINT, OPTIONAL),
    F("flags", LIST, .of = STR),
    F("ns_per_op", REAL, OPTIONAL),
    F("core_per_tsc", REAL, OPTIONAL),
    F("core_per_op", REAL, OPTIONAL),
    F("fwq", OBJECT, OPTIONAL, .sub = fwq_fields),
    {0},
};
static const struct spec ci95 = F("ci95", REAL_OR_NULL, COUNT), ci99 = F("ci99", REAL_OR_NULL, COUNT);

static const struct spec derived_fields[] = {
    BENCH, F("name", STR), F("formula", STR), F("value", REAL), F("flags", LIST, .of = STR), {0},
};

static const struct spec region_fields[] = {
    EVENT_OF_BENCH,
    F("id", UINT),
    F("label", STR, OPTIONAL),
    F("reps", UINT),
    F("entered", UINT),
    F("exited", UINT),
    F("total", REAL_OR_NULL, COUNT),
    F("least", REAL_OR_NULL, COUNT),
    F("most", REAL_OR_NULL, COUNT),
    F("min", REAL_OR_NULL, COUNT),
    F("max", REAL_OR_NULL, COUNT),
    F("per_entry", REAL_OR_NULL, COUNT),
    F("first", REAL_OR_NULL, COUNT),
    F("first_least", REAL_OR_NULL, COUNT),
    F("first_most", REAL_OR_NULL, COUNT),
    F("overhead_least", REAL, COUNT),
    F("overhead_most", REAL, COUNT),
    F("nested_markers", REAL_OR_NULL, COUNT),
    F("flags", LIST, .of = STR),
    {0},
};

static const struct spec profile_line_fields[] = {
    F("address", HEX),         F("count", UINT),
    F("share", REAL),          F("symbol", STR, OPTIONAL),
    F("bytes", INT, OPTIONAL), F("instructions", INT, OPTIONAL),
    F("step", INT, OPTIONAL),  {0},
};

static const struct spec profile_fields[] = {
    EVENT_OF_BENCH,
    PROFILED,
    F("by", STR, .values = "instruction|data address"),
    F("samples", UINT),
    F("unknown", UINT),
    F("lost", UINT),
    F("distinct", UINT),
    F("first", UINT),
    F("lines", LIST, .of = OBJECT, .sub = profile_line_fields),
    F("flags", LIST, .of = STR),
    {0},
};

static const struct spec deduction_fields[] = {
    EVENT_OF_BENCH,
    PROFILED,
    F("addresses", UINT),
    F("left_out", UINT),
    F("samples", UINT),
    F("lowest", HEX, OPTIONAL),
    F("difference", UINT, OPTIONAL),
    F("level", UINT, OPTIONAL),
    F("ways", UINT, OPTIONAL),
    F("sets", UINT, OPTIONAL),
    F("lines", UINT, OPTIONAL),
    F("sets_used", UINT, OPTIONAL),
    F("set", UINT, OPTIONAL),
    F("set_lines", UINT, OPTIONAL),
    F("verdict", STR, .values = "nothing|unknown|conflict|capacity|fits"),
    F("conclusion", STR),
    F("shared_factor", UINT, OPTIONAL),
    F("warning", STR, OPTIONAL),
    F("flags", LIST, .of = STR),
    {0},
};

static const struct spec truth_fields[] = {
    TRUTH,
    F("event", STR),
    F("expected", UINT, OPTIONAL),
    F("at_least", UINT, OPTIONAL),
    F("measured", REAL, OPTIONAL),
    F("min", REAL, OPTIONAL),
    F("max", REAL, OPTIONAL),
    F("raw", UINT, OPTIONAL),
    F("overhead", UINT, OPTIONAL),
    F("base", REAL, OPTIONAL),
    F("reps", UINT, OPTIONAL),
    IN_GROUP,
    F("each", REAL, OPTIONAL),
    F("reason", STR),
    F("remark", BOOL),
    F("verdict", STR, .values = VERDICTS),
    F("flags", LIST, .of = STR),
    {0},
};

static const struct spec relation_fields[] = {
    TRUTH,
    F("left_terms", LIST, .of = STR),
    F("relation", STR, .values = "=|<="),
    F("right_terms", LIST, .of = STR),
    F("left", REAL, OPTIONAL),
    F("right", REAL, OPTIONAL),
    F("reason", STR),
    F("verdict", STR, .values = VERDICTS),
    F("flags", LIST, .of = STR),
    {0},
};

static const struct spec truths_fields[] = {
    F("agree", UINT),         F("within", UINT),  F("differ", UINT),     F("absent", UINT),
    F("not_advancing", UINT), F("refused", UINT), F("unmodelled", UINT), {0},
};

static const struct spec reps_fields[] = {
    EVENT_OF_BENCH,
    F("first", UINT),
    F("overhead", UINT),
    F("raw", LIST, .of = UINT),
    F("flagged", LIST, .of = OBJECT, .sub = flagged_fields),
    {0},
};

static const struct spec sampling_fields[] = {
    EVENT_OF_BENCH,
    F("by", STR, .values = SAMPLING_METHODS),
    F("delivery", STR, .values = "fixed|nmi"),
    F("unit", STR, .values = "events|apic-clocks|pit-clocks|rtc-clocks"),
    F("counter", UINT, OPTIONAL),
    F("period", UINT),
    F("period_auto", BOOL),
    F("jitter", UINT, OPTIONAL),
    F("seed", UINT, OPTIONAL),
    F("tries", UINT),
    F("reps", UINT),
    F("occurred", UINT),
    F("interrupts", UINT),
    F("wanted", UINT, OPTIONAL),
    F("samples", UINT),
    F("outside", UINT),
    F("lost", UINT),
    F("tsc_without", UINT),
    F("tsc_with", UINT),
    F("handler_tsc", REAL, OPTIONAL),
    F("handler_share", REAL, OPTIONAL),
    F("handler_instructions", REAL, OPTIONAL),
    F("flags", LIST, .of = STR),
    {0},
};

static const struct spec raw_sample_fields[] = {
    F("ip", HEX),
    F("precise", BOOL),
    F("outside", BOOL, OPTIONAL),
    F("counter", UINT, OPTIONAL),
    F("tsc", UINT, OPTIONAL),
    F("flags", HEX),
    F("regs", LIST, .of = HEX),
    {0},
};

static const struct spec sample_fields[] = {
    EVENT_OF_BENCH,
    F("first", UINT),
    F("samples", LIST, .of = OBJECT, .sub = raw_sample_fields),
    {0},
};

static const struct spec experiment_fields[] = {
    F("experiment", STR),
    F("what", STR),
    F("unit", STR),
    F("event", STR, OPTIONAL),
    F("article", REAL, OPTIONAL),
    F("ours", REAL, OPTIONAL),
    F("of", UINT, OPTIONAL),
    F("conf", UINT, OPTIONAL),
    F("low", REAL, OPTIONAL),
    F("high", REAL, OPTIONAL),
    F("note", STR, OPTIONAL),
    F("flags", LIST, .of = STR),
    {0},
};

static const struct spec error_fields[] = {
    F("what", STR),
    F("word", STR, OPTIONAL),
    F("place", STR, OPTIONAL),
    F("valid", STR, OPTIONAL),
    F("message", STR),
    F("bench", STR, OPTIONAL),
    F("variant", STR, OPTIONAL),
    F("vector", UINT, OPTIONAL),
    F("name", STR, OPTIONAL),
    F("error_code", HEX, OPTIONAL),
    F("error_code_text", STR, OPTIONAL),
    F("address", HEX, OPTIONAL),
    F("registers", OBJECT, OPTIONAL, .of = HEX),
    {0},
};

static const struct spec note_fields[] = {F("what", STR), F("message", STR), {0}};
static const struct spec done_fields[] = {F("measurements", UINT),
                                          F("failed", UINT),
                                          F("intervals", STR, OPTIONAL, .values = "repetitions of this boot"),
                                          {0}};
static const struct spec end_fields[] = {F("records", UINT), F("status", INT), {0}};

static const struct {
    const char *type;
    const struct spec *fields;
} types[] = {
    {"boot", boot_fields},         {"cpu", cpu_fields},         {"quiet", quiet_fields},
    {"bench", bench_fields},       {"result", result_fields},   {"reps", reps_fields},
    {"region", region_fields},     {"error", error_fields},     {"note", note_fields},
    {"done", done_fields},         {"end", end_fields},         {"event", event_fields},
    {"derived", derived_fields},   {"truth", truth_fields},     {"relation", relation_fields},
    {"truths", truths_fields},     {"profile", profile_fields}, {"deduction", deduction_fields},
    {"sampling", sampling_fields}, {"sample", sample_fields},   {"experiment", experiment_fields},
};
