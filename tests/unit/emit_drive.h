/* Records made in a test: they are parsed and judged by the catalogue; the text is kept. */
#pragma once
#include "host/fields.h"
#include "report/emit_profile.h"
#include "tests/unit/profile_samples.h"
#include "tests/unit/text_drive.h"
#include <jansson.h>

static json_t *record[100];
static unsigned records;

static inline void field_fault(void *ctx, const char *what)
{
    (void)ctx;
    fail_msg("%s", what);
}

static inline void record_line(const char *line, size_t len)
{
    const struct fields_check fields = {
        .strict = true, .modelled = !record_has_clocks(), .fault = field_fault};
    json_error_t error;
    assert_true(len <= RECORD_MAX_BYTES);
    assert_true(records < N(record));
    record[records] = json_loadb(line, len, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(record[records]);
    fields_check(&fields, record[records++], line);
}

static inline int session(void **state)
{
    static const struct session_sinks sinks = {record_line, put};
    text[0] = '\0';
    records = 0;
    session_begin(&sinks);
    return prepare(state);
}

static inline int forget(void **state)
{
    (void)state;
    records_have_clocks(true);
    while (records) json_decref(record[--records]);
    return 0;
}

static inline const json_t *field(unsigned i, const char *key) { return json_object_get(record[i], key); }

/* Its setup and teardown. */
#define SHOWN(f) cmocka_unit_test_setup_teardown(f, session, forget)

static struct bench l1_miss = {.program = {.name = "l1_profile"}, .op = "load"};
static const struct bench *const l1_list[] = {&l1_miss};
static const struct plan_item item = {.bench = &l1_miss};
static const struct run run = {.item = &item, .program = {.name = "l1_profile", .variant = ""}};
static const struct profile_source source = {
    &run, 3, "netburst::replay_event:NBOGUS:L1_LD_MISS", "pebs", 99999, false, ORIGIN_MODELLED};
