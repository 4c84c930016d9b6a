/* Where a value comes from, and what is in doubt about it. */
#include "host/report_page.h"
#include "host/to_record.h"
#include "report/text.h"
#include <stdlib.h>
#include <string.h>

static const struct origin {
    const char *flag, *mark, *meaning;
} origins[] = {
    {"emulated", "E", "emulated: the emulator's time, not a processor's"},
    {"virtualized", "V", "virtualized: the hypervisor's work is part of the number"},
    {"modelled", "M", "modelled: counted by the PMU model in the emulator, not by a processor"},
};

static const struct origin *origin_of(const char *flag)
{
    for (const struct origin *o = origins; o < origins + sizeof origins / sizeof *origins; o++)
        if (strcmp(o->flag, flag) == 0) return o;
    return NULL;
}

void marks(const struct page *p, const json_t *o)
{
    size_t i;
    json_t *flag;
    json_array_foreach(json_object_get(o, "flags"), i, flag)
    {
        const struct origin *from = json_is_string(flag) ? origin_of(json_string_value(flag)) : NULL;
        if (!from) continue;
        html(p, " <abbr title=\"");
        text(p, from->meaning);
        html(p, "\">");
        text(p, from->mark);
        html(p, "</abbr>");
    }
}

void marks_legend(const struct page *p)
{
    bool used[sizeof origins / sizeof *origins] = {false}, any = false;
    for (size_t k = 0; k < p->runs->n; k++) {
        const char *type;
        json_t *of, *o;
        json_object_foreach(p->runs->run[k].types, type, of)
        {
            size_t i;
            json_array_foreach(of, i, o)
            {
                for (size_t n = 0; n < sizeof origins / sizeof *origins; n++)
                    any |= used[n] |= !used[n] && flag_of(o, origins[n].flag);
            }
        }
    }
    if (!any) return;
    html(p, "<p>Marks beside numbers: ");
    for (size_t n = 0, before = 0; n < sizeof origins / sizeof *origins; n++) {
        if (!used[n]) continue;
        fprintf(p->out, "%s<b>%s</b> ", before++ ? "; " : "", origins[n].mark);
        text(p, origins[n].meaning);
    }
    html(p, ".</p>\n");
}

/* ---- doubts, in the kernel's own words ---- */

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
        if (name && !origin_of(name)) fprintf(words, "%s%s", ftell(words) ? "; " : "", name);
    }
    if (fclose(words) || !s) abort();
    return s;
}
