/* Make the event database from what pfmdump tells of libpfm4.
 *
 *   mkevents OUT.db DUMP NAME [DUMP NAME]
 *
 * NAME says what a dump is of ("amd64"), for the database to tell. Of a PMU that several dumps have, the
 * first is taken. The format: pmu/db_format.h. That the model of an event there (bits that are taken away and
 * added, classes that exclude each other) says what the library says is checked for every encoding of the
 * dump; any difference ends the program. Only then are the library's own defects mended (events_fixes.h).
 */
#include "tools/mkevents.h"
#include "tools/events_rules.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MAX_DB (640u * 1024)

#define PRIVATE      0x530000ull    /* enable, interrupt, OS, USR */
#define SELECT_KNOWN 0xfffa4ffffull /* bits 35:32, CMASK, INV, ANY, E, unit mask, event */
#define ESCR_CPL     0xfull         /* both threads' OS and USR */

struct pmu pmu[PMUS];
unsigned n_pmus;
static bool skip; /* this PMU was in an earlier dump, or is left out */

/* ---- reading ---- */

/* The next field of a line, which it is cut off from; "" behind the last. */
static char *field(char **rest)
{
    char *s = *rest, *tab = strchr(s, '\t');
    *rest = tab ? tab + 1 : s + strlen(s);
    if (tab) *tab = '\0';
    return s;
}

static void end_event(void)
{
    if (now.open && !skip) write_event();
    now.open = false;
}

static void begin_pmu(char *rest)
{
    char *name = field(&rest), *desc = field(&rest);
    skip = left_out(name);
    for (unsigned i = 0; i < n_pmus; i++) skip |= strcmp(string(pmu[i].name), name) == 0;
    if (skip) return;
    if (n_pmus == PMUS) fail("too many PMUs", name);
    struct pmu *p = &pmu[n_pmus++];
    p->name = p->record.name = intern_lower(name);
    p->record.desc = intern(desc);
    p->record.form = begins(name, "netburst") ? DB_ESCR : DB_SELECT;
}

static void begin_event(char *rest)
{
    static const struct {
        const char *name;
        uint8_t is;
    } known[] = {{"e", DB_EDGE}, {"i", DB_INV}, {"c", DB_CMASK}, {"t", DB_ANY}, {"u", DB_USR}, {"k", DB_OS}};
    memset(&now, 0, sizeof now);
    n_threes = 0;
    now.open = true;
    now.name = intern_lower(field(&rest));
    now.desc = intern(field(&rest));
    now.latency = strstr(rest, "ldlat") != NULL;
    for (char *m = strtok(rest, ","); m; m = strtok(NULL, ","))
        for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
            if (strcmp(known[i].name, m) == 0) now.modifiers |= known[i].is;
}

static void add_umask(char *rest)
{
    if (now.n == UMASKS - 1) fail("too many unit masks", string(now.name));
    umask[now.n].name = intern_lower(field(&rest));
    umask[now.n].desc = intern(field(&rest));
    umask[now.n].code = strtoull(field(&rest), NULL, 16);
    umask[now.n].is_default = *field(&rest) != '\0';
    const char *same = field(&rest);
    if (strlen(same) >= sizeof umask[0].same) fail("a long list of unit masks", same);
    strcpy(umask[now.n++].same, same);
}

static unsigned umask_named(const char *name)
{
    uint32_t wanted = intern_lower(name);
    for (unsigned i = 0; i < now.n; i++)
        if (umask[i].name == wanted) return i;
    fail("no such unit mask", name);
}

static void add_encoding(char *rest)
{
    char *spec = field(&rest), *second;
    unsigned of[3], n = 0;
    struct words w = {{0, 0}};
    w.w[0] = strtoull(field(&rest), NULL, 16);
    second = field(&rest);
    w.w[1] = strtoull(second, NULL, 16);
    now.extra |= *second != '\0';
    if (pmu[n_pmus - 1].record.form == DB_SELECT && w.w[0] & ~(SELECT_KNOWN | PRIVATE))
        fail("bits that the kernel does not know", string(now.name));
    w.w[0] &= ~(pmu[n_pmus - 1].record.form == DB_ESCR ? ESCR_CPL : PRIVATE);
    for (char *u = strtok(spec, ":"); u && n < 3; u = strtok(NULL, ":")) of[n++] = umask_named(u);
    switch (n) {
    case 0:
        now.bare = w;
        now.bare_known = true;
        break;
    case 1:
        umask[of[0]].alone = w;
        break;
    case 2:
        now.pair[of[0]][of[1]] = now.pair[of[1]][of[0]] = w;
        now.together[of[0]][of[1]] = now.together[of[1]][of[0]] = true;
        break;
    case 3:
        if (n_threes == THREES) fail("too many combinations", string(now.name));
        memcpy(three[n_threes].of, of, sizeof of);
        three[n_threes++].is = w;
        break;
    }
}

/* The library's version, for the database to tell. */
static void read_dump(const char *path, char *version, size_t cap)
{
    static char line[LINE];
    input = path;
    line_number = 0;
    FILE *f = fopen(path, "r");
    if (!f) fail("cannot be read", path);
    while (fgets(line, sizeof line, f)) {
        char *rest = line;
        line_number++;
        size_t len = strlen(line);
        if (len == 0 || line[len - 1] != '\n') fail("a line too long", line);
        line[len - 1] = '\0';
        char kind = *field(&rest);
        if (strchr("PE", kind)) end_event();
        if (kind == 'L') snprintf(version, cap, "%s", rest);
        if (kind == 'P') begin_pmu(rest);
        if (skip) continue;
        if (kind == 'E') begin_event(rest);
        if (kind == 'U') add_umask(rest);
        if (kind == 'X') add_encoding(rest);
    }
    end_event();
    fclose(f);
}

/* ---- writing ---- */

static int by_pmu_name(const void *a, const void *b)
{
    return strcmp(string(((const struct pmu *)a)->name), string(((const struct pmu *)b)->name));
}

static int by_event_name(const void *a, const void *b)
{
    return strcmp(string(*(const uint32_t *)a), string(*(const uint32_t *)b));
}

static void add_rules(struct pmu *p, struct bytes *out)
{
    const struct rules own = rules_of(string(p->name));
    if (p->record.form != DB_SELECT) return;
    p->record.n_rules = (uint8_t)own.n;
    append(out, own.rule, own.n * (uint32_t)sizeof own.rule[0]);
}

static void write_all(const char *path, const char *source)
{
    struct bytes out = {0};
    struct db_header h = {.magic = {0}, .version = DB_VERSION, .source = intern(source), .n_pmus = n_pmus};
    memcpy(h.magic, DB_MAGIC, sizeof h.magic);
    append(&out, &h, sizeof h);
    h.pmus = out.n;
    qsort(pmu, n_pmus, sizeof pmu[0], by_pmu_name);
    for (unsigned i = 0; i < n_pmus; i++) append(&out, &pmu[i].record, sizeof pmu[i].record);

    uint32_t at = out.n; /* where the events will be: behind all lists and rules */
    for (unsigned i = 0; i < n_pmus; i++) {
        struct bytes none = {0};
        add_rules(&pmu[i], &none);
        at += pmu[i].n * 4 + none.n;
        free(none.at);
    }
    for (unsigned i = 0; i < n_pmus; i++) {
        struct pmu *p = &pmu[i];
        qsort(p->event, p->n, sizeof p->event[0], by_event_name);
        p->record.n_events = (uint16_t)p->n;
        p->record.events = out.n;
        for (unsigned k = 0; k < p->n; k++) {
            uint32_t place = at + p->event[k].event;
            append(&out, &place, sizeof place);
        }
        p->record.rules = out.n;
        add_rules(p, &out);
        memcpy(out.at + h.pmus + i * sizeof p->record, &p->record, sizeof p->record);
    }
    append(&out, events.at, events.n);
    h.strings = out.n;
    while (pool.n % 4) append(&pool, "", 1);
    h.strings_size = pool.n;
    append(&out, pool.at, pool.n);
    h.size = out.n;
    memcpy(out.at, &h, sizeof h);
    const uint32_t summed = offsetof(struct db_header, strings);
    db_sum(out.at + summed, out.n - summed, ((struct db_header *)(void *)out.at)->sum);
    if (out.n > SIZE_MAX_DB) fail("the database is larger than 640 KiB", path);

    FILE *f = fopen(path, "wb");
    if (!f || fwrite(out.at, out.n, 1, f) != 1 || fclose(f) != 0) fail("cannot be written", path);
    fprintf(stderr, "mkevents: %s: %u PMUs, %u bytes (events %u, strings %u)\n", source, n_pmus, out.n,
            events.n, pool.n);
}

int main(int argc, char **argv)
{
    char source[128] = "", version[32] = "", first[32] = "";
    if (argc < 4 || argc % 2 != 0) {
        fprintf(stderr, "usage: mkevents OUT.db DUMP NAME [DUMP NAME]\n");
        return 2;
    }
    for (int i = 2; i < argc; i += 2) {
        read_dump(argv[i], version, sizeof version);
        if (i == 2) {
            snprintf(first, sizeof first, "%s", version);
            snprintf(source, sizeof source, "libpfm4 %s", first);
        }
        if (strcmp(first, version) != 0)
            fail("another version of the library than the first dump's", version);
        size_t used = strlen(source);
        snprintf(source + used, sizeof source - used, "%s%s", i == 2 ? " " : " and ", argv[i + 1]);
    }
    write_all(argv[1], source);
    return 0;
}
