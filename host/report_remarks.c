/* What is in doubt about a value, in the kernel's own words. */
#include "host/report_page.h"
#include "host/to_record.h"
#include "report/schema.h"
#include "report/text.h"
#include <stdlib.h>
#include <string.h>

static FILE *words;

/* Lines of a table for 79 columns: "    ! text", and its further lines. */
static void put(const char *line)
{
    const size_t blanks = strspn(line, " !");
    const bool begins = memchr(line, '!', blanks) != NULL;
    fprintf(words, "%s%s", ftell(words) == 0 ? "" : begins ? "; " : " ", line + blanks);
}

char *doubts_of(const json_t *o)
{
    char *s = NULL;
    size_t len, i;
    json_t *flag;
    if (!(words = open_memstream(&s, &len))) abort();
    const bool result = strcmp(text_of(o, "t"), "result") == 0;
    if (result && (json_array_size(json_object_get(o, "flags")) || number_of(o, "culled") > 0)) {
        const struct record *r = to_record((json_t *)(uintptr_t)o);
        text_disturbances(r, put);
        text_doubts(r, put);
    }
    json_array_foreach(json_object_get(o, "flags"), i, flag)
    {
        const char *name = json_string_value(flag);
        if (result && !(name && strcmp(name, "unmodelled") == 0)) continue;
        if (name && !schema_has_value(ORIGINS, name)) fprintf(words, "%s%s", ftell(words) ? "; " : "", name);
    }
    if (fclose(words) || !s) abort();
    return s;
}
