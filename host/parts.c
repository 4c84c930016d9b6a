#include "host/parts.h"
#include "host/inflate.h"
#include "kernel/crc32.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct parts_run *find(struct parts *p, const struct frame *f)
{
    for (struct parts_run *r = p->run; r < p->run + p->runs; r++)
        if (r->run == f->run && r->count == f->count) return r;
    if (p->runs == PARTS_RUNS) return NULL;
    struct parts_run *r = &p->run[p->runs];
    *r = (struct parts_run){.run = f->run, .count = f->count, .part = calloc(f->count, sizeof *r->part)};
    p->runs += r->part != NULL;
    return r->part ? r : NULL;
}

enum frame_fault parts_add(struct parts *p, const char *text, size_t len)
{
    struct frame f;
    const enum frame_fault fault = frame_read(&f, text, len);
    p->foreign += fault == FRAME_FOREIGN;
    p->damaged += fault == FRAME_DAMAGED;
    if (fault != FRAME_GOOD) return fault;
    struct parts_run *r = find(p, &f);
    struct part *part = r ? &r->part[f.number - 1] : NULL;
    if (part && part->n) return fault; /* it came before */
    uint8_t *bytes = part ? malloc(f.n) : NULL;
    if (!bytes) {
        p->dropped++;
        return fault;
    }
    memcpy(bytes, f.bytes, f.n);
    *part = (struct part){f.n, bytes};
    r->have++;
    return fault;
}

void parts_free(struct parts *p)
{
    for (unsigned i = 0; i < p->runs; i++) {
        for (unsigned k = 0; k < p->run[i].count; k++) free(p->run[i].part[k].bytes);
        free(p->run[i].part);
    }
    *p = (struct parts){0};
}

/* ---- what is missing ---- */

#define NAMED 12 /* ranges; what follows is counted */

const char *parts_missing(const struct parts_run *r)
{
    static char text[512];
    unsigned ranges = 0, more = 0;
    int at = snprintf(text, sizeof text, r->count - r->have == 1 ? "code" : "codes");
    for (unsigned i = 0, end; i < r->count; i = end) {
        for (end = i; end < r->count && !r->part[end].n; end++) continue;
        if (end == i) {
            end++;
            continue;
        }
        if (ranges++ >= NAMED)
            more += end - i;
        else if (end - i == 1)
            at += snprintf(text + at, sizeof text - (size_t)at, "%s %u", ranges > 1 ? "," : "", end);
        else
            at += snprintf(text + at, sizeof text - (size_t)at, "%s %u to %u", ranges > 1 ? "," : "", i + 1,
                           end);
    }
    if (more) snprintf(text + at, sizeof text - (size_t)at, " and %u more", more);
    return text;
}

/* ---- the records ---- */

char *parts_records(const struct parts_run *r, size_t *n, bool *whole)
{
    struct inflated all = {.most = PARTS_BYTES};
    uint32_t crc = 0;
    unsigned i = 0;
    *whole = false;
    if (!inflate_begin(&all)) return NULL;
    for (; i < r->count && r->part[i].n; i++) {
        crc = crc32(crc, r->part[i].bytes, r->part[i].n);
        if (!inflate_add(&all, r->part[i].bytes, r->part[i].n)) break;
    }
    *whole = inflate_end(&all) && i == r->count && crc == r->run;
    /* Before a gap, only whole lines. */
    while (!*whole && all.n && all.text[all.n - 1] != '\n') all.n--;
    *n = all.n;
    if (*n) return all.text;
    free(all.text);
    return NULL;
}
