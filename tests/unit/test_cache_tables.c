/* Cache descriptors and caches of old models: every one that a manual has, and no other. */
#include "kernel/cache_tables.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cpu_id pentium4 = {.vendor = "GenuineIntel", .family = 15, .model = 2};

/* By geometry, as processors have them, what SDM vol. 2A, table 3-12, and AP-485, table 2-7, have by byte:
 * descriptor, and the size in KByte or MByte. */
static const struct {
    unsigned level, kind, ways, line;
    const char *sizes;
} caches[] = {
    {1, CACHE_CODE, 4, 32, "06 8K, 08 16K"},
    {1, CACHE_CODE, 4, 64, "09 32K"},
    {1, CACHE_CODE, 8, 64, "30 32K"},
    {1, CACHE_DATA, 2, 32, "0a 8K"},
    {1, CACHE_DATA, 4, 32, "0c 16K"},
    {1, CACHE_DATA, 4, 64, "66 8K, 0d 16K, 67 16K, 68 32K"},
    {1, CACHE_DATA, 6, 64, "0e 24K"},
    {1, CACHE_DATA, 8, 64, "60 16K, 2c 32K"},
    {2, CACHE_UNIFIED, 2, 64, "1d 128K, 3b 128K, 7f 512K"},
    {2, CACHE_UNIFIED, 4, 32, "41 128K, 42 256K, 43 512K, 44 1M, 45 2M"},
    {2, CACHE_UNIFIED, 4, 64, "39 128K, 3c 256K, 3e 512K, 86 512K, 78 1M"},
    {2, CACHE_UNIFIED, 6, 64, "3a 192K, 3d 384K"},
    {2, CACHE_UNIFIED, 8, 32, "82 256K, 83 512K, 84 1M, 85 2M"},
    {2, CACHE_UNIFIED, 8, 64, "79 128K, 21 256K, 7a 256K, 7b 512K, 80 512K, 7c 1M, 87 1M, 7d 2M"},
    {2, CACHE_UNIFIED, 12, 64, "48 3M"},
    {2, CACHE_UNIFIED, 16, 64, "24 1M, 49 4M"},
    {2, CACHE_UNIFIED, 24, 64, "4e 6M"},
    {3, CACHE_UNIFIED, 4, 64, "22 512K, d0 512K, d1 1M, d2 2M, 46 4M"},
    {3, CACHE_UNIFIED, 8, 64, "23 1M, d6 1M, 25 2M, d7 2M, 29 4M, d8 4M, 47 8M"},
    {3, CACHE_UNIFIED, 12, 64, "dc 1536K, dd 3M, 4a 6M, de 6M, 4c 12M"},
    {3, CACHE_UNIFIED, 16, 64, "e2 2M, e3 4M, 4b 8M, e4 8M, 4d 16M"},
    {3, CACHE_UNIFIED, 24, 64, "ea 12M, eb 18M, ec 24M"},
};

TEST(test_descriptors)
{
    bool known[256] = {false};
    struct cache c;
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
        for (const char *at = caches[i].sizes; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
            unsigned byte = 0, size = 0;
            char unit = 0;
            assert_int_equal(sscanf(at, "%x %u%c", &byte, &size, &unit), 3);
            memset(&c, 0xa5, sizeof c);
            known[byte] = true;
            if (!cache_descriptor(&pentium4, (uint8_t)byte, &c)) fail_msg("%02x: no cache", byte);
            if (c.level != caches[i].level || c.kind != caches[i].kind || c.ways != caches[i].ways ||
                c.line != caches[i].line || c.bytes != size << (unit == 'M' ? 20 : 10))
                fail_msg("%02x: level %u, kind %u, %u bytes, %u ways, line of %u", byte, c.level, c.kind,
                         (unsigned)c.bytes, (unsigned)c.ways, (unsigned)c.line);
            const uint32_t sets = cache_sets(&c);
            if (sets * c.ways * c.line != c.bytes) fail_msg("%02x: %u sets", byte, (unsigned)sets);
        }
    for (unsigned byte = 0; byte < 256; byte++)
        if (cache_descriptor(&pentium4, (uint8_t)byte, &c) != known[byte]) fail_msg("%02x", byte);
}

/* 49h is an L3 on the Xeon MP of family 0Fh, model 6, and on no other. */
TEST(test_two_meanings)
{
    static const struct {
        unsigned family, model, level;
    } cpus[] = {{15, 6, 3}, {15, 4, 2}, {6, 6, 2}, {6, 15, 2}};
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        const struct cpu_id id = {.vendor = "GenuineIntel", .family = cpus[i].family, .model = cpus[i].model};
        struct cache c;
        assert_true(cache_descriptor(&id, 0x49, &c));
        assert_int_equal(c.level, cpus[i].level);
        assert_true(cache_descriptor(&id, 0x4e, &c)); /* no other does so */
        assert_int_equal(c.level, 2);
    }
}

/* The caches that data sheets give for CPUs without a leaf for them; models as hexadecimal digits. */
static const struct sheet {
    const char *vendor;
    unsigned family;
    const char *models;
    unsigned code_kib, code_ways, data_kib, data_ways, line; /* no code cache: that of data is for both */
} sheets[] = {
    {"GenuineIntel", 5, "0127", 8, 2, 8, 2, 32}, {"GenuineIntel", 5, "348", 16, 4, 16, 4, 32},
    {"GenuineIntel", 5, "9", 0, 0, 16, 4, 16},   {"AuthenticAMD", 5, "0", 16, 4, 8, 4, 32},
    {"CyrixInstead", 5, "2", 0, 0, 16, 4, 32},   {"CyrixInstead", 6, "0", 0, 0, 64, 4, 32},
};

static void expect(const struct cpu_id *id, unsigned i, unsigned kind, unsigned kib, unsigned ways,
                   unsigned line)
{
    struct cache c;
    if (!cache_of_model(id, i, &c)) fail_msg("%s, model %u: cache %u", id->vendor, id->model, i);
    assert_int_equal(c.level, 1);
    assert_int_equal(c.kind, kind);
    assert_int_equal(c.bytes, kib * 1024);
    assert_int_equal(c.ways, ways);
    assert_int_equal(c.line, line);
}

TEST(test_models)
{
    static const char *const vendors[] = {"GenuineIntel", "AuthenticAMD", "CyrixInstead", "CentaurHauls"};
    for (unsigned v = 0; v < 4; v++)
        for (unsigned family = 4; family <= 7; family++)
            for (unsigned model = 0; model <= 64; model++) {
                struct cpu_id id = {.family = family, .model = model};
                const struct sheet *s = NULL;
                struct cache c;
                strcpy(id.vendor, vendors[v]);
                for (unsigned i = 0; i < sizeof sheets / sizeof *sheets; i++)
                    if (model < 16 && strcmp(sheets[i].vendor, vendors[v]) == 0 &&
                        sheets[i].family == family && strchr(sheets[i].models, "0123456789abcdef"[model]))
                        s = &sheets[i];
                unsigned n = 0;
                if (s && s->code_kib) expect(&id, n++, CACHE_CODE, s->code_kib, s->code_ways, s->line);
                if (s)
                    expect(&id, n++, s->code_kib ? CACHE_DATA : CACHE_UNIFIED, s->data_kib, s->data_ways,
                           s->line);
                for (unsigned i = n; i < n + 3; i++)
                    if (cache_of_model(&id, i, &c))
                        fail_msg("%s, family %u, model %u: cache %u", id.vendor, family, model, i);
            }
}
