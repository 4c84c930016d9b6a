#include "host/report_profile.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int by_address(const void *a, const void *b)
{
    const unsigned long long x = hex_of(*(json_t *const *)a, "address"),
                             y = hex_of(*(json_t *const *)b, "address");
    return (x > y) - (x < y);
}

static void add_lines(struct profile *f, const json_t *o)
{
    size_t i;
    json_t *line;
    const json_t *lines = json_object_get(o, "lines");
    json_t **more = realloc(f->line, (f->n + json_array_size(lines) + 1) * sizeof(json_t *));
    if (!more) abort();
    f->line = more;
    json_array_foreach(lines, i, line)
    {
        if (json_is_object(line)) f->line[f->n++] = line;
    }
}

struct profile *profiles_of(const struct runs *rs, const char *by, size_t *n)
{
    struct profile *all = NULL;
    *n = 0;
    for (size_t k = 0; k < rs->n; k++) {
        size_t i;
        json_t *o;
        json_array_foreach(run_records(&rs->run[k], "profile"), i, o)
        {
            if (strcmp(text_of(o, "by"), by) != 0) continue;
            /* Its records follow each other; the first begins at line 0. */
            if (!(number_of(o, "first") > 0) || !*n || all[*n - 1].run != &rs->run[k]) {
                struct profile *more = realloc(all, (*n + 1) * sizeof *more);
                if (!more) abort();
                all = more;
                all[(*n)++] = (struct profile){.run = &rs->run[k], .record = o};
            }
            add_lines(&all[*n - 1], o);
        }
    }
    for (size_t i = 0; i < *n; i++) qsort(all[i].line, all[i].n, sizeof *all[i].line, by_address);
    return all;
}

void profiles_free(struct profile *profiles, size_t n)
{
    for (size_t i = 0; i < n; i++) free(profiles[i].line);
    free(profiles);
}

bool profile_has(const struct profile *f, const char *key)
{
    for (size_t i = 0; i < f->n; i++)
        if (json_object_get(f->line[i], key)) return true;
    return false;
}

void cells_access(const struct page *p, const json_t *line, bool latency)
{
    const json_t *levels = json_object_get(line, "levels");
    const char *key, *comma = "";
    double all = 0;
    json_t *n;
    if (latency) cell_number(p, line ? number_of(line, "latency_median") : (double)NAN);
    cell_begin(p, false);
    json_object_foreach((json_t *)(uintptr_t)levels, key, n) all += integer_value(n);
    json_object_foreach((json_t *)(uintptr_t)levels, key, n)
    {
        text(p, comma);
        text(p, key);
        if (all > integer_value(n)) textf(p, " %.1f %%", 100 * integer_value(n) / all);
        comma = ", ";
    }
    cell_end(p);
}

char *profile_name(const struct runs *rs, const struct profile *f)
{
    const json_t *o = f->record;
    char *of = measurement_of(o, NULL);
    char *name = formatted("%s%s%s, %s, by %s", rs->n > 1 ? f->run->name : "", rs->n > 1 ? ", " : "", of,
                           text_of(o, "event"), text_of(o, "method"));
    free(of);
    return name;
}
