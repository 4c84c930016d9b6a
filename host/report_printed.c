/* What programs of the user's printed, as it was. */
#include "host/report_page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void printed_of(const struct page *p, const struct capture *run)
{
    bool open = false;
    size_t i;
    json_t *o;
    json_array_foreach(run_records(run, "printed"), i, o)
    {
        if (!(number_of(o, "first") > 0) || !open) { /* the first of its records */
            if (open) html(p, "</code></pre>\n");
            char *of = measurement_of(o, NULL);
            paragraph(p, "%s%s%s:", p->runs->n > 1 ? run->name : "", p->runs->n > 1 ? ", " : "", of);
            html(p, "<pre><code>");
            open = true;
            free(of);
        }
        text(p, text_of(o, "text"));
        if (number_of(o, "cut") > 0) textf(p, "\n(%.0f more bytes were not kept)\n", number_of(o, "cut"));
    }
    if (open) html(p, "</code></pre>\n");
}

void section_printed(const struct page *p)
{
    for (size_t k = 0; k < p->runs->n; k++) printed_of(p, &p->runs->run[k]);
}
