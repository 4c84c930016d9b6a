/* Memory, messages and strings of mkevents. */
#include "tools/mkevents.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *input;
unsigned line_number;

void fail(const char *what, const char *which)
{
    fprintf(stderr, "mkevents: %s:%u: %s: %s\n", input, line_number, what, which);
    exit(1);
}

void *grow(void *at, size_t size)
{
    void *p = realloc(at, size);
    if (!p) fail("out of memory", "");
    return p;
}

uint32_t append(struct bytes *b, const void *data, uint32_t n)
{
    uint32_t at = b->n;
    if (b->cap - b->n < n) b->at = grow(b->at, b->cap = 2 * b->cap + n);
    if (n) memcpy(b->at + b->n, data, n);
    b->n += n;
    return at;
}

/* ---- strings, each once ---- */

#define BUCKETS 16384
struct bytes pool;
static struct bucket {
    uint32_t *at;
    unsigned n;
} buckets[BUCKETS];

uint32_t intern(const char *s)
{
    uint32_t h = 2166136261u;
    for (const char *c = s; *c; c++) h = (h ^ (uint8_t)*c) * 16777619u; /* FNV-1a */
    struct bucket *b = &buckets[h % BUCKETS];
    for (unsigned i = 0; i < b->n; i++)
        if (strcmp((char *)pool.at + b->at[i], s) == 0) return b->at[i];
    b->at = grow(b->at, (b->n + 1) * sizeof *b->at);
    return b->at[b->n++] = append(&pool, s, (uint32_t)strlen(s) + 1);
}

uint32_t intern_lower(const char *s)
{
    char lower[LINE];
    size_t i = 0;
    for (; s[i]; i++) lower[i] = (char)(s[i] >= 'A' && s[i] <= 'Z' ? s[i] - 'A' + 'a' : s[i]);
    lower[i] = '\0';
    return intern(lower);
}

const char *string(uint32_t at) { return (const char *)pool.at + (at & 0xffffff); }

bool begins(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }
