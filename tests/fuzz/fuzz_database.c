/* libFuzzer: the event database. First byte even: the rest is an event word for the PMU of the database that
 * the second byte tells. Odd: the rest is a database itself, whose header is made to fit so that what lies
 * behind it is read; then every name of it is looked up, and a few others. */
#include "pmu/amd.h"
#include "pmu/arch.h"
#include "pmu/database.h"
#include "pmu/decode.h"
#include "pmu/driver.h"
#include "pmu/perfmon.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *real;
static size_t real_size;
static const struct db_pmu *pmus;
static uint32_t n_pmus;
static volatile size_t seen; /* so that what is read is read */

static void check(int ok)
{
    if (!ok) abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char path[512], why[100];
    const char *slash = strrchr((*argv)[0], '/');
    (void)argc;
    snprintf(path, sizeof path, "%.*s/../events.db", slash ? (int)(slash - (*argv)[0]) : 1,
             slash ? (*argv)[0] : ".");
    FILE *f = fopen(path, "rb");
    if (!f) {
        fprintf(stderr, "%s is missing\n", path);
        exit(1);
    }
    fseek(f, 0, SEEK_END);
    real_size = (size_t)ftell(f);
    rewind(f);
    real = malloc(real_size);
    check(fread(real, 1, real_size, f) == real_size);
    fclose(f);
    check(db_open(real, real_size, why, sizeof why));
    n_pmus = ((const struct db_header *)real)->n_pmus;
    pmus = (const struct db_pmu *)(const void *)((const char *)real + ((const struct db_header *)real)->pmus);
    return 0;
}

static void seen_line(void *ctx, const char *label, const char *text)
{
    (void)ctx;
    check(strlen(label) <= 18);
    seen += strlen(text);
}

/* The word as an event, as a register's name, and its first bytes as a value. */
static void decode(const struct pmu *pmu, const char *word, size_t len)
{
    char why[160], near[128];
    uint64_t value = 0;
    memcpy(&value, word, len < sizeof value ? len : sizeof value);
    pmu_decode_value(pmu, value, "", 0, seen_line, NULL, why, sizeof why);
    pmu_decode_value(pmu, value, word, len, seen_line, NULL, why, sizeof why);
    pmu_decode_event(pmu, word, len, seen_line, NULL, why, sizeof why, near, sizeof near);
    seen += pmu_decode_number(word, len, &value);
}

static void parse(const char *database, const char *word, size_t len)
{
    struct pmu_code code;
    char why[160], near[128];
    struct pmu pmu = {.ops = strncmp(database, "amd", 3) == 0 ? &pmu_amd_ops : &pmu_arch_ops,
                      .model = "test",
                      .counters = 11,
                      .width = 48,
                      .database = database};
    pmu.perfmon.constraints = pmu_arch_constraints_named(database);
    pmu.perfmon.general = 8;
    for (unsigned i = 0; i < 11; i++) pmu.rdpmc_index[i] = i < 8 ? i : 0x40000000u + i - 8;
    memset(why, 'x', sizeof why);
    memset(near, 'x', sizeof near);
    pmu.classes = pmu.ops == &pmu_amd_ops ? CLASS_AMD : CLASS_ARCH;
    decode(&pmu, word, len);
    bool good = pmu_event_parse(&pmu, word, len, &code, why, sizeof why, near, sizeof near);
    check(memchr(near, '\0', sizeof near) && memchr(why, '\0', sizeof why));
    check(good ? (code.counters && len < PMU_NAME) : why[0] != '\0');
    seen += pmu_db_counters(&pmu, code.select & (0u - good));
    seen += pmu_select_counters(&pmu, code.select & (0u - good));
}

static void walk(const struct db_header *h)
{
    const struct db_pmu *pmu = (const struct db_pmu *)(const void *)((const char *)h + h->pmus);
    const struct db_event *e;
    const struct db_umask *u;
    for (unsigned p = 0; p < h->n_pmus && p < 16; p++, pmu++) {
        seen += strlen(db_text(pmu->desc)) + (size_t)db_rule_for(pmu, 0xc0, 1) + pmu->form;
        db_pmu_named(db_text(pmu->name));
        for (unsigned i = 0; i < 64; i++) {
            if (!(e = db_event_at(pmu, i))) continue;
            struct db_pick pick = {.event = e};
            db_event_named(pmu, db_text(e->name));
            seen += strlen(db_text(e->desc));
            for (unsigned m = 0; (u = db_umask_at(e, m)); m++) {
                db_pick_umask(&pick, db_text(u->name & DB_NAME));
                seen += strlen(db_text(u->desc));
            }
            seen += (size_t)(db_select(&pick) + db_extra(&pick));
            const char *name = db_text(e->name);
            if (i < 4) parse(db_text(pmu->name), name, strlen(name));
        }
        parse(db_text(pmu->name), "inst_retired.any:u", 18);
    }
}

static void try_file(const uint8_t *data, size_t size)
{
    char why[100];
    size &= ~(size_t)3;
    uint8_t *copy = malloc(size ? size : 4); /* exact, so that a byte too far is seen */
    memcpy(copy, data, size);
    struct db_header *h = (struct db_header *)(void *)copy;
    bool as_it_is = db_open(copy, size, why, sizeof why);
    check(as_it_is || (why[0] && !db_source()[0]));
    if (size >= sizeof *h) {
        memcpy(h->magic, DB_MAGIC, sizeof h->magic);
        h->version = DB_VERSION;
        h->size = (uint32_t)size;
        db_sum(copy + offsetof(struct db_header, strings),
               (uint32_t)(size - offsetof(struct db_header, strings)), h->sum);
        if (db_open(copy, size, why, sizeof why)) walk(h);
    }
    check(db_open(real, real_size, why, sizeof why));
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    if (data[0] & 1) {
        try_file(data + 1, size - 1);
        return 0;
    }
    char *word = malloc(size - 2 + 1);
    memcpy(word, data + 2, size - 2);
    parse(db_text(pmus[data[1] % n_pmus].name), word, size - 2);
    free(word);
    return 0;
}
