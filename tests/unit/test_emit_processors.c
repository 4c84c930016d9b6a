/* Which processors run, and why others do not: the record, the notes, and the line. */
#include "report/emit_processors.h"
#include "tests/unit/emit_drive.h"

static const char *string(unsigned i, const char *key) { return json_string_value(field(i, key)); }
static long long number(unsigned i, const char *key) { return json_integer_value(field(i, key)); }

bool fpu_init(void) { return true; } /* of a trap that is caught */

static struct machine m;
static struct cpu cpus[PROCESSORS_MAX];

/* n that run, with these APIC IDs; all are listed. */
static void run_with(const uint32_t *ids, unsigned n)
{
    memset(&m, 0, sizeof m);
    memset(cpus, 0, sizeof cpus);
    m.found.source = "madt";
    m.clock.tsc_hz = 1000000000;
    m.start_ticks = 2500000;
    m.rest = REST_MWAIT;
    m.cpus = m.found.n = n;
    for (unsigned i = 0; i < n; i++) {
        m.cpu[i] = &cpus[i];
        cpus[i] = (struct cpu){.machine = &m, .index = i, .apic = {.mode = APIC_XAPIC, .id = ids[i]}};
        m.found.p[i] =
            (struct processor_found){.apic_id = ids[i], .state = i ? PROCESSOR_UP : PROCESSOR_BOOT};
    }
}

TEST_WITH(all_run, session, forget)
{
    static const uint32_t ids[] = {4, 0, 1, 2, 16, 18, 19, 0x12345};
    run_with(ids, 8);
    emit_processors(&m, m.rest, 8);
    tell_processors(&m);
    assert_int_equal(records, 1);
    assert_string_equal(string(0, "apic_ids"), "4,0-2,16,18-19,74565");
    assert_string_equal(string(0, "source"), "madt");
    assert_string_equal(string(0, "rest"), "mwait");
    assert_int_equal(number(0, "asked"), 8);
    assert_int_equal(number(0, "up"), 8);
    assert_int_equal(number(0, "usable"), 8);
    assert_int_equal(number(0, "bytes_each"), 65536);
    assert_int_equal(number(0, "start_tsc"), 2500000);
    assert_true(json_real_value(field(0, "start_ms")) == 2.5);
    assert_int_equal(json_array_size(field(0, "not_up")), 0);
    assert_null(field(0, "more"));
    assert_non_null(strstr(text, "  CPUs      8 of 8 run (madt), APIC IDs 4,0-2,16,18-19,74565"));
    assert_non_null(strstr(text, "mwait; started in 2.5"));
    m.clock.tsc_hz = 0;
    emit_processors(&m, m.rest, 8);
    assert_null(field(1, "start_ms"));
}

TEST_WITH(each_fault, session, forget)
{
    static const struct {
        enum processor_state state;
        const char *word, *note;
    } cases[] = {
        {PROCESSOR_BEYOND, "beyond", "x2APIC mode"},
        {PROCESSOR_SILENT, "silent", "APIC ID 12 is not used: it does not answer"},
        {PROCESSOR_TWICE, "twice", "more than one processor answered"},
        {PROCESSOR_OTHER_ID, "other id", "another APIC ID, 6"},
        {PROCESSOR_FAULTED, "faulted", "it trapped on the way, by #UD"},
        {PROCESSOR_STUCK, "stuck", "never ready"},
        {PROCESSOR_NO_MEMORY, "no memory", "no memory is left"},
        {PROCESSOR_NO_PAGE, "no page", "no memory below 640 KiB"},
    };
    static const uint32_t ids[] = {0, 1};
    run_with(ids, 2);
    for (unsigned i = 0; i < N(cases); i++)
        m.found.p[m.found.n++] =
            (struct processor_found){.apic_id = 11 + i, .state = cases[i].state, .answered = 6};
    m.found.p[m.found.n++].state = PROCESSOR_DISABLED;
    m.found.p[m.found.n++].state = PROCESSOR_LISTED; /* not asked for */
    emit_processors(&m, m.rest, 99);
    tell_processors(&m);
    assert_int_equal(records, 1 + N(cases));
    assert_int_equal(number(0, "disabled"), 1);
    const json_t *list = field(0, "not_up");
    assert_int_equal(json_array_size(list), N(cases));
    for (unsigned i = 0; i < N(cases); i++) {
        const json_t *one = json_array_get(list, i);
        assert_int_equal(json_integer_value(json_object_get(one, "apic_id")), 11 + i);
        assert_string_equal(json_string_value(json_object_get(one, "why")), cases[i].word);
        assert_int_equal(json_object_get(one, "answered") != NULL, cases[i].state == PROCESSOR_OTHER_ID);
        assert_int_equal(json_object_get(one, "vector") != NULL, cases[i].state == PROCESSOR_FAULTED);
        assert_non_null(strstr(string(1 + i, "message"), cases[i].note));
    }
    assert_non_null(strstr(text, "; 8 did not start;"));
}

TEST_WITH(many, session, forget)
{
    static uint32_t ids[PROCESSORS_MAX];
    for (unsigned i = 0; i < PROCESSORS_MAX; i++) ids[i] = 10000 + 2 * i;
    run_with(ids, 200);
    for (unsigned i = 200; i < 240; i++)
        m.found.p[m.found.n++] = (struct processor_found){.apic_id = i, .state = PROCESSOR_SILENT};
    m.found.fault = "it is too short";
    m.found.doubles = 3;
    m.found.dropped = 7;
    emit_processors(&m, m.rest, 256);
    tell_processors(&m);
    assert_int_equal(json_array_size(field(0, "not_up")), PROCESSORS_NAMED);
    assert_int_equal(number(0, "more"), 40 - PROCESSORS_NAMED);
    assert_int_equal(strlen(string(0, "apic_ids")), 200 * 6 - 1);
    assert_int_equal(records, 1 + 3 + PROCESSORS_NAMED + 1);
    assert_non_null(strstr(string(1, "message"), "it is too short"));
    assert_non_null(strstr(string(2, "message"), "3 processors more than once"));
    assert_non_null(strstr(string(3, "message"), "7 processors more than this kernel uses (256)"));
    assert_non_null(strstr(string(records - 1, "message"), "24 more"));
}

TEST_WITH(set_up_otherwise, session, forget)
{
    static const uint32_t ids[] = {0, 1, 2, 3, 4, 5};
    run_with(ids, 6);
    for (unsigned i = 1; i < 6; i++) cpus[i].mtrrs_differed = i != 4;
    cpus[2].pat_differed = true;
    cpus[5].apic.left = 2;
    tell_processors(&m);
    assert_int_equal(records, 3);
    assert_non_null(strstr(string(0, "message"), "4 of them (1-3,5) had other values in their MTRRs"));
    assert_non_null(strstr(string(1, "message"), "1 of them (2) had another page attribute table"));
    assert_non_null(strstr(string(2, "message"), "1 of them (5) had interrupts"));
}
