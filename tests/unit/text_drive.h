/* The text face in a test: what it writes is kept, to be compared with golden text, so that a change of a
 * person's view is seen and meant. */
#pragma once
#include "report/record.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

static char text[16384];

static inline void put(const char *line)
{
    size_t used = strlen(text);
    if (strlen(line) > 79) fail_msg("%zu columns: %s", strlen(line), line);
    if (line[0] == '{') fail_msg("a line for people that looks like a record: %s", line);
    for (const char *c = line; *c; c++) assert_true(*c >= 0x20 && *c < 0x7f);
    assert_true(used + strlen(line) + 2 < sizeof text);
    sprintf(text + used, "%s\n", line);
}

static const struct session_sinks text_only = {NULL, put};

static inline int begin(void **state)
{
    (void)state;
    text[0] = '\0';
    session_begin(&text_only);
    return 0;
}

static inline void expect(const char *want)
{
    if (strcmp(text, want) != 0) fail_msg("got\n%s\nwant\n%s", text, want);
    text[0] = '\0';
}

static inline void strings(struct record *r, const char *key, const char *const *s)
{
    rec_array(r, key);
    for (; *s; s++) rec_str(r, NULL, *s);
    rec_close(r);
}
#define STRINGS(r, key, ...) strings(r, key, (const char *const[]){__VA_ARGS__, NULL})
