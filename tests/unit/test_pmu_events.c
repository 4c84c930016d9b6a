/* Every form of an event word on P5s and P6s, and the texts that events bring with them. */
#include "tests/unit/event_cpus.h"
#include <stdlib.h>
#include <string.h>

/* ---- parsing, with the answers at hand ---- */

static struct {
    struct pmu_code code;
    char why[200], near[200];
} got;

static bool parse(struct pmu pmu, const char *word)
{
    memset(&got, 0xa5, sizeof got);
    return pmu_event_parse(&pmu, word, strlen(word), &got.code, got.why, sizeof got.why, got.near,
                           sizeof got.near);
}

#define ACCEPTS(pmu, word, want_select, want_counters)            \
    do {                                                          \
        if (!parse(pmu, word)) fail_msg("%s: %s", word, got.why); \
        assert_int_equal(got.code.select, want_select);           \
        assert_int_equal(got.code.counters, want_counters);       \
        assert_string_equal(got.code.name, word);                 \
    } while (0)

/* part: what the message must contain; near: the whole list. */
#define REFUSES(pmu, word, part, want_near)                                                     \
    do {                                                                                        \
        if (parse(pmu, word)) fail_msg("%s was accepted", word);                                \
        if (!strstr(got.why, part)) fail_msg("%s: \"%s\" without \"%s\"", word, got.why, part); \
        assert_string_equal(got.near, want_near);                                               \
    } while (0)

/* ---- texts ---- */

TEST(texts)
{
    const struct pmu cpus[] = {p55c(), p2(), p3(), pm()};
    for (unsigned c = 0; c < N(cpus); c++) {
        const struct pmu_event *e;
        for (e = NULL; (e = pmu_event_next(&cpus[c], e));) {
            size_t name = strlen(e->name), desc = strlen(e->desc);
            assert_true(name > 0 && name + sizeof ":u" < PMU_NAME && desc > 0 && desc < 100);
            assert_int_equal(strspn(e->name, "abcdefghijklmnopqrstuvwxyz0123456789_"), name);
            for (size_t k = 0; k < desc; k++) assert_in_range(e->desc[k], 0x20, 0x7e);
        }
    }
}

/* ---- every name parses to its row ---- */

TEST(names)
{
    const struct pmu fives[] = {p5(), p55c()}, sixes[] = {ppro(), p2(), p3(), pm()};
    const struct pmu_event *e;
    for (unsigned c = 0; c < N(fives); c++)
        for (e = NULL; (e = pmu_event_next(&fives[c], e));)
            ACCEPTS(fives[c], e->name, e->code | 0x0c0u, e->counters);
    for (unsigned c = 0; c < N(sixes); c++)
        for (e = NULL; (e = pmu_event_next(&sixes[c], e));)
            ACCEPTS(sixes[c], e->name, e->code | (uint32_t)e->umask << 8 | 0x30000u, e->counters);
}

TEST(words)
{
    /* clocks mode at any CPL; 16h; 12h; 29h */
    ACCEPTS(p5(), "cycles", 0x1c0, 3);
    ACCEPTS(p55c(), "cycles", 0x1c0, 3);
    ACCEPTS(p5(), "instructions", 0x0d6, 3);
    ACCEPTS(p5(), "branches", 0x0d2, 3);
    ACCEPTS(p5(), "cache-misses", 0x0e9, 3);
    ACCEPTS(p5(), "cycles:u", 0x180, 3);
    ACCEPTS(p5(), "cycles:k", 0x140, 3);
    /* 79h, C0h, C4h, 2Eh with unit mask I */
    ACCEPTS(p3(), "cycles", 0x30079, 3);
    ACCEPTS(p3(), "instructions", 0x300c0, 3);
    ACCEPTS(p3(), "branches", 0x300c4, 3);
    ACCEPTS(p3(), "cache-misses", 0x3012e, 3);
    ACCEPTS(p3(), "instructions:u", 0x100c0, 3);
    ACCEPTS(p3(), "instructions:k", 0x200c0, 3);
    ACCEPTS(p3(), "P6::cycles:uk", 0x30079, 3);
    REFUSES(p3(), "cache-misses:m", "only u, k", "");
    ACCEPTS(p5(), "cache-references", 0x0e8, 3); /* 28h, as Knights Corner */
    REFUSES(p5(), "branch-misses", "absent on a", "");
    REFUSES(p3(), "ref-cycles", "absent on a", "");
    ACCEPTS(p3(), "cache-references", 0x30f2e, 3);
    ACCEPTS(p3(), "branch-misses", 0x300c5, 3);
    ACCEPTS(p3(), "bus-cycles", 0x30062, 3);

    struct pmu none = {.ops = NULL}, pmu = p3();
    static const char *const perf[] = {"cycles",           "instructions",  "branches",   "cache-misses",
                                       "cache-references", "branch-misses", "ref-cycles", "bus-cycles"};
    for (unsigned i = 0; i < N(perf); i++) {
        assert_string_equal(pmu_word_at(&pmu, i)->word, perf[i]);
        assert_string_equal(pmu_word_at(&none, i)->word, perf[i]);
        assert_null(pmu_word_at(&none, i)->event);
    }
    assert_string_equal(pmu_word_at(&pmu, N(perf))->word, "L1-dcache-loads"); /* test_cache_words.c */
    assert_null(pmu_event_next(&none, NULL));
    REFUSES(none, "cycles", "no performance counters", "");

    struct pmu_ops other = pmu_p6_ops;
    other.family = "other";
    pmu.ops = &other;
    pmu.words = NULL;
    REFUSES(pmu, "cycles", "absent", "");
}

/* ---- what follows a name ---- */

TEST(modifiers)
{
    ACCEPTS(p5(), "data_read:u", 0x080, 3);
    ACCEPTS(p5(), "data_read:k", 0x040, 3);
    ACCEPTS(p5(), "p5::DATA_READ:K:U", 0x0c0, 3);
    ACCEPTS(p55c(), "returns:u", 0x0b9, 1);
    ACCEPTS(p55c(), "taken_branches:u", 0x0b2, 2);

    ACCEPTS(p3(), "l2_rqsts:u", 0x10f2e, 3);
    ACCEPTS(p3(), "l2_rqsts:m", 0x3082e, 3);
    ACCEPTS(p3(), "l2_rqsts:M:E:S:I:k", 0x20f2e, 3);
    ACCEPTS(p3(), "l2_rqsts:0x03", 0x3032e, 3);
    ACCEPTS(p3(), "l2_rqsts:0x00", 0x3002e, 3);
    ACCEPTS(p3(), "bus_tran_any:any", 0x32070, 3);
    ACCEPTS(p3(), "bus_tran_any:self", 0x30070, 3);
    ACCEPTS(p3(), "mmx_instr_type_exec:mul:arith", 0x321b3, 3);
    ACCEPTS(p3(), "emon_kni_inst_retired:scalar", 0x301d8, 3);
    ACCEPTS(pm(), "emon_kni_inst_retired:sse2_scalar_double", 0x303d8, 3);
    ACCEPTS(p2(), "seg_reg_renames:es:gs", 0x309d5, 3);
    ACCEPTS(p2(), "fp_mmx_trans:fp_to_mmx:u", 0x101cc, 3);
    ACCEPTS(p3(), "flops:0x00:k", 0x200c1, 1);
    /* on a Pentium M two fields: the one that is not named keeps its default */
    ACCEPTS(pm(), "l2_ld", 0x33f29, 3);
    ACCEPTS(pm(), "l2_ld:m", 0x33829, 3);
    ACCEPTS(pm(), "l2_ld:hw_prefetch", 0x31f29, 3);
    ACCEPTS(pm(), "l2_ld:demand:i", 0x30129, 3);
    /* Heller: --duration is the edge bit, --compare gt2 is CMASK 3, le2 the same inverted */
    ACCEPTS(p3(), "dcu_miss_outstanding:edge", 0x70048, 3);
    ACCEPTS(p3(), "inst_decoded:cmask=3", 0x30300d0, 3);
    ACCEPTS(p3(), "inst_decoded:cmask=0x3:inv:u", 0x38100d0, 3);
}

TEST(fields)
{
    ACCEPTS(p3(), "/event=0xc4,umask=0x01,cmask=1,inv/", 0x18301c4, 3);
    ACCEPTS(p3(), "/event=196,edge/u", 0x500c4, 3);
    ACCEPTS(p3(), "/cmask=255,event=0xC0/k", 0xff0200c0, 3);
    ACCEPTS(p3(), "/event=0xc0/uk", 0x300c0, 3);
    ACCEPTS(p3(), "/event=0xc0/:u", 0x100c0, 3);
    ACCEPTS(p3(), "/event=0x12/", 0x30012, 2); /* the table knows the code's counters */
    ACCEPTS(p3(), "/event=0x2e/", 0x30f2e, 3); /* ... and its unit mask */
    ACCEPTS(p3(), "/event=0x2e,umask=0/", 0x3002e, 3);
    ACCEPTS(p3(), "/event=0x52/", 0x30052, 3); /* undocumented */
    ACCEPTS(p5(), "/clocks/", 0x1c0, 3);
    ACCEPTS(p5(), "/clocks/u", 0x180, 3);
    ACCEPTS(p5(), "/event=0x16/k", 0x056, 3);
    ACCEPTS(p5(), "/event=0x3f/", 0x0ff, 3);

    REFUSES(p3(), "/event=0xc4", "slash", "");
    REFUSES(p3(), "/umask=1/", "event=", "");
    REFUSES(p3(), "//", "not a field", "");
    REFUSES(p3(), "/event=0xc4,/", "not a field", "");
    REFUSES(p3(), "/event=0xc4,event=1/", "twice", "");
    REFUSES(p3(), "/event=0xc4,any/", "event=, umask=, cmask=, inv, edge, clocks", "");
    REFUSES(p3(), "/event/", "number", "");
    REFUSES(p3(), "/event=/", "number", "");
    REFUSES(p3(), "/event=0x/", "number", "");
    REFUSES(p3(), "/event=-1/", "number", "");
    REFUSES(p3(), "/event=c4/", "number", "");
    REFUSES(p3(), "/event=0x1000000c4/", "number", "");
    REFUSES(p3(), "/event=0x100000000/", "number", "");
    REFUSES(p3(), "/event=0xffffffff/", "go from 0 to 0xff", ""); /* a number, the greatest */
    REFUSES(p3(), "/AZ=1/", "\"az=1\" is not a field", "");
    /* with a name its own event and unit masks */
    REFUSES(p3(), "l2_rqsts:event=1", "no unit mask \"event=1\"", "");
    REFUSES(p3(), "l2_rqsts:umask=1", "no unit mask \"umask=1\"", "");
    REFUSES(p3(), "l2_rqsts:clocks", "no unit mask \"clocks\"", "");
    REFUSES(p3(), "/event=0xc4,inv=1/", "no value", "");
    ACCEPTS(p3(), "/event=0xff,umask=0xff,cmask=0xff/", 0xff03ffff, 3);
    REFUSES(p3(), "/event=0x100/", "0xff", "");
    REFUSES(p3(), "/event=0x1c4/", "0xff", "");
    REFUSES(p3(), "/event=0xc4,umask=256/", "0xff", "");
    REFUSES(p3(), "/event=0xc4,cmask=256/", "0xff", "");
    REFUSES(p3(), "/event=0xc4,inv/", "cmask", ""); /* the hardware would ignore it */
    REFUSES(p3(), "/clocks/", "cycles", "");
    REFUSES(p3(), "/event=0xc4/x", "u, k", "");
    REFUSES(p5(), "/event=0x40/", "3Fh", "");
    REFUSES(p5(), "/event=0x16,umask=1/", "unit mask", "");
    REFUSES(p5(), "/event=0x16,cmask=1/", "cmask", "");
    REFUSES(p5(), "/event=0x16,inv/", "inv", "");
    REFUSES(p5(), "/event=0x16,edge/", "edge", "");
    REFUSES(p5(), "/event=0x16,clocks/", "leave event= out", "");
}

TEST(raw)
{
    ACCEPTS(p3(), "r01c4", 0x301c4, 3);
    ACCEPTS(p3(), "rc0", 0x300c0, 3);
    ACCEPTS(p5(), "r1", 0x0c1, 3);
    ACCEPTS(p3(), "r10001c4", 0x10301c4, 3); /* CMASK, with no other of the flags */
    ACCEPTS(p3(), "rff0001c4", 0xff0301c4, 3);
    ACCEPTS(p3(), "r10401c4", 0x10701c4, 3);
    REFUSES(p3(), "r", "no event", "");
    REFUSES(p3(), "s01c4", "no event", "");
    ACCEPTS(p3(), "r2e", 0x3002e, 3); /* the unit mask is written out: none */
    ACCEPTS(p3(), "R0F2E:u", 0x10f2e, 3);
    ACCEPTS(p3(), "r10", 0x30010, 1);
    ACCEPTS(p5(), "r16:k", 0x056, 3);
    ACCEPTS(p5(), "r2a", 0x0ea, 3); /* means nothing on a Pentium */
    ACCEPTS(p55c(), "r39", 0x0f9, 1);
    REFUSES(p55c(), "r2a", "bus_ownership_latency on counter 0 and bus_ownership_transfers on counter 1", "");
    REFUSES(p5(), "r0116", "unit mask", "");
    REFUSES(p3(), "rc0:edge", "only :u, :k or :uk may follow a raw code", "");
    REFUSES(p3(), "r101c4", "bits 16, 17, 19, 20 and 22", ""); /* USR */
    ACCEPTS(p3(), "r28401c4:u", 0x28501c4, 3);                 /* CMASK 2, INV, edge */
    REFUSES(p3(), "r8001c4", "inv", "");
    REFUSES(p3(), "r2001c4", "bit 21 is reserved", "");
    REFUSES(p3(), "r1000000c4", "go from 0 to 0xff", "");
    REFUSES(p3(), "r0000000000", "no event", ""); /* ten digits */
    REFUSES(p5(), "r1000016", "cmask", "");
}

TEST(typos)
{
    REFUSES(p3(), "inst_retird", "no event", "inst_retired");
    REFUSES(p3(), "instruction", "no event", "instructions, branch-instructions");
    REFUSES(p3(), "cycle", "no event", "cycles, bus-cycles, cycles_div_busy");
    REFUSES(p3(), "L2_RQST", "no event", "l2_rqsts, l2_st");
    REFUSES(p5(), "data_reads", "no event", "data_read");
    REFUSES(p5(), "branchs:u", "no event", "branches");
    REFUSES(p3(), "zzzzzzzz", "no event", "");
    REFUSES(ppro(), "mmx_assist", "another model", "");
    REFUSES(p5(), "returns", "another model", "");
    REFUSES(pm(), "mmx_instr_ret", "another model", "");
    REFUSES(p3(), "netburst::instr_retired", "p6::, not netburst::", "");
    REFUSES(p3(), "l2_rqsts:x", "it has i, s, e, m", "");
    REFUSES(p3(), "inst_retired:m", "no unit masks", "");
    REFUSES(p3(), "bus_tran_any:self:any", "cannot be combined", "");
    REFUSES(p3(), "l2_rqsts:m:0x01", "whole unit mask", "");
    REFUSES(p3(), "l2_rqsts:0x01:m", "whole unit mask", "");
    REFUSES(p3(), "l2_rqsts:0x1g", "not a number", "");
    REFUSES(p3(), "l2_rqsts:", "it has", "");
    REFUSES(p3(), "inst_decoded:inv", "cmask", "");
    REFUSES(p3(), "inst_decoded:cmask=x", "number", "");
    REFUSES(p5(), "data_read:0x01", "unit mask", "");
    REFUSES(p5(), "data_read:edge", "edge", "");
    REFUSES(p3(), "", "the name is missing", "");
    REFUSES(p3(), ":u", "no event", "");
}

/* The word is given with its length, may hold anything, and the texts may be given no room. */
TEST(bounds)
{
    struct pmu pmu = p3();
    struct pmu_code code;
    char why[8], near[8], text[300];
    assert_true(pmu_event_parse(&pmu, "inst_retired,flops", 12, &code, why, sizeof why, near, sizeof near));
    assert_string_equal(code.name, "inst_retired");
    assert_false(pmu_event_parse(&pmu, "inst_retired\0x", 14, &code, why, sizeof why, near, sizeof near));
    assert_false(pmu_event_parse(&pmu, "inst_retird", 11, &code, why, sizeof why, near, sizeof near));
    assert_string_equal(near, "..."); /* no room for a name */
    assert_int_equal(strlen(why), 7);
    memset(text, 'a', sizeof text);
    for (size_t n = 80; n < 120; n++)
        assert_false(pmu_event_parse(&pmu, text, n, &code, why, sizeof why, near, sizeof near));
    REFUSES(pmu,
            "/event=0xc0/u0123456789012345678901234567890123456789012345678901234567890123456789012345678901",
            "only u, k", ""); /* 95 */
    REFUSES(
        pmu,
        "/event=0xc0/u01234567890123456789012345678901234567890123456789012345678901234567890123456789012",
        "longer than any event (95 characters)", "");
    memset(text, ':', sizeof text);
    assert_false(pmu_event_parse(&pmu, text, 95, &code, why, sizeof why, near, sizeof near));
    memset(text, '/', sizeof text);
    assert_false(pmu_event_parse(&pmu, text, 95, &code, why, sizeof why, near, sizeof near));

    /* every prefix of a good word is a good word or a refusal, under the sanitizers */
    static const char *const good[] = {"/event=0xc4,umask=0x01,cmask=1,inv,edge/uk",
                                       "p6::l2_rqsts:m:e:cmask=2:inv:u", "r01c4:u"};
    for (unsigned i = 0; i < N(good); i++)
        for (size_t n = 0; n <= strlen(good[i]); n++) {
            char *copy = malloc(n ? n : 1); /* ends where the word ends */
            memcpy(copy, good[i], n);
            bool ok = pmu_event_parse(&pmu, copy, n, &code, why, sizeof why, near, sizeof near);
            assert_true(ok || why[0]);
            free(copy);
        }
}

/* What cannot count in the payload's ring says so. */
TEST(never)
{
    static const struct {
        const char *word, *never[2]; /* in ring 0, in ring 3 */
    } want[] = {
        {"flops:u",
         {"flops:u counts at CPL 3 only, but the payload runs at CPL 0: use ring=3, or leave :u out", ""}},
        {"r10:k",
         {"", "r10:k counts at CPL 0 only, but the payload runs at CPL 3: use ring=0, or leave :k out"}},
        {"flops", {"", ""}},
        {"flops:uk", {"", ""}},
    };
    for (unsigned i = 0; i < N(want); i++)
        for (unsigned user = 0; user < 2; user++) {
            char why[160] = "";
            assert_true(parse(p3(), want[i].word));
            assert_int_equal(pmu_event_never(&got.code, user ? 3 : 0, why, sizeof why),
                             want[i].never[user][0] != 0);
            assert_string_equal(why, want[i].never[user]);
        }
}

/* A list that is cut short ends with a whole name, and with dots. */
TEST(lists)
{
    static const char whole[] = "edge, tag=, active=";
    for (size_t cap = 0; cap < 40; cap++) {
        char list[40] = "";
        memset(list + 1, 'x', sizeof list - 1);
        pmu_list_add(list, cap, "edge", "");
        pmu_list_add(list, cap, "tag", "=");
        pmu_list_add(list, cap, "active", "=");
        const char *want = cap >= 19 + 6   ? whole
                           : cap >= 10 + 6 ? "edge, tag=, ..."
                           : cap >= 4 + 6  ? "edge, ..."
                                           : "...";
        if (strncmp(list, want, cap ? cap - 1 : 0) != 0 || (cap > 3 && strlen(list) != strlen(want)))
            fail_msg("%zu: \"%s\", not \"%s\"", cap, list, want);
        for (size_t i = cap ? cap : 1; i < sizeof list; i++) assert_int_equal(list[i], 'x');
    }
}
