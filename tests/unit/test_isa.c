/* What an invalid opcode may have needed: as GNU as assembles instructions of each feature. */
#include "kernel/isa.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

static const struct cpu_id none, all = {.f1_edx = UINT32_MAX,
                                        .f1_ecx = UINT32_MAX,
                                        .f7_ebx = UINT32_MAX,
                                        .f7_ecx = UINT32_MAX,
                                        .f7_edx = UINT32_MAX,
                                        .x1_ecx = UINT32_MAX,
                                        .x1_edx = UINT32_MAX};

static const struct {
    const char *feature; /* NULL: not known */
    uint8_t code[8];
    bool only_long;
} cases[] = {
    {"SSE", {0x0f, 0x58, 0xc1}},                          /* addps xmm0, xmm1 */
    {"SSE", {0xf3, 0x0f, 0x58, 0xc1}},                    /* addss */
    {"SSE2", {0x66, 0x0f, 0x58, 0xc1}},                   /* addpd */
    {"SSE2", {0xf2, 0x0f, 0x58, 0xc1}},                   /* addsd */
    {"SSE2", {0x66, 0xf2, 0x41, 0x0f, 0x58, 0xc1}, true}, /* addsd xmm0, xmm9, with a 66 of no effect */
    {"MMX", {0x0f, 0xfc, 0xc1}},                          /* paddb mm0, mm1 */
    {"MMX", {0x0f, 0x77}},                                /* emms */
    {"SSE2", {0x66, 0x0f, 0xfc, 0xc1}},                   /* paddb xmm0, xmm1 */
    {"SSE", {0x0f, 0xda, 0xc1}},                          /* pminub mm0, mm1 */
    {"SSE2", {0x0f, 0xd4, 0xc1}},                         /* paddq mm0, mm1 */
    {"SSE2", {0x0f, 0xc3, 0x00}},                         /* movnti [eax], eax */
    {"SSE3", {0xf2, 0x0f, 0x7c, 0xc1}},                   /* haddps */
    {"SSE3", {0xf2, 0x0f, 0xf0, 0x00}},                   /* lddqu xmm0, [eax] */
    {"SSSE3", {0x66, 0x0f, 0x38, 0x00, 0xc1}},            /* pshufb */
    {"SSE4.1", {0x66, 0x0f, 0x38, 0x40, 0xc1}},           /* pmulld */
    {"SSE4.1", {0x66, 0x0f, 0x3a, 0x0e, 0xc1, 0}},        /* pblendw */
    {"SSE4.2", {0x66, 0x0f, 0x38, 0x37, 0xc1}},           /* pcmpgtq */
    {"SSE4.2", {0xf2, 0x0f, 0x38, 0xf1, 0xc1}},           /* crc32 eax, ecx */
    {"SSE4.2", {0x66, 0x0f, 0x3a, 0x63, 0xc1, 0}},        /* pcmpistri */
    {"MOVBE", {0x0f, 0x38, 0xf0, 0x00}},                  /* movbe eax, [eax] */
    {"POPCNT", {0xf3, 0x0f, 0xb8, 0xc1}},                 /* popcnt eax, ecx */
    {"POPCNT", {0xf3, 0x48, 0x0f, 0xb8, 0xc1}, true},     /* popcnt rax, rcx */
    {"AES", {0x66, 0x0f, 0x38, 0xdc, 0xc1}},              /* aesenc */
    {"PCLMULQDQ", {0x66, 0x0f, 0x3a, 0x44, 0xc1, 0}},     /* pclmulqdq */
    {"SHA", {0x0f, 0x38, 0xc8, 0xc1}},                    /* sha1nexte */
    {"ADX", {0x66, 0x0f, 0x38, 0xf6, 0xc1}},              /* adcx eax, ecx */
    {"CMOV", {0x0f, 0x44, 0xc1}},                         /* cmove eax, ecx */
    {"CMOV", {0xda, 0xc1}},                               /* fcmovb st, st(1) */
    {"CMOV", {0xdb, 0xf1}},                               /* fcomi st, st(1) */
    {NULL, {0xda, 0x00}},                                 /* fiadd dword [eax] */
    {"CMPXCHG8B", {0x0f, 0xc7, 0x08}},                    /* cmpxchg8b [eax] */
    {"CMPXCHG16B", {0x48, 0x0f, 0xc7, 0x08}, true},       /* cmpxchg16b [rax] */
    {"RDRAND", {0x0f, 0xc7, 0xf0}},                       /* rdrand eax */
    {"RDSEED", {0x0f, 0xc7, 0xf8}},                       /* rdseed eax */
    {"RDPID", {0xf3, 0x0f, 0xc7, 0xf8}},                  /* rdpid */
    {"FXSAVE", {0x0f, 0xae, 0x00}},                       /* fxsave [eax] */
    {"SSE", {0x0f, 0xae, 0x50, 0x08}},                    /* ldmxcsr [eax+8] */
    {"CLFLUSH", {0x0f, 0xae, 0x38}},                      /* clflush [eax] */
    {"CLFLUSHOPT", {0x66, 0x0f, 0xae, 0x38}},             /* clflushopt [eax] */
    {"CLWB", {0x66, 0x0f, 0xae, 0x30}},                   /* clwb [eax] */
    {"SSE2", {0x0f, 0xae, 0xe8}},                         /* lfence */
    {"SSE", {0x0f, 0xae, 0xf8}},                          /* sfence */
    {"FSGSBASE", {0xf3, 0x48, 0x0f, 0xae, 0xc0}, true},   /* rdfsbase rax */
    {"MONITOR", {0x0f, 0x01, 0xc9}},                      /* mwait */
    {"RDTSCP", {0x0f, 0x01, 0xf9}},                       /* rdtscp */
    {"SERIALIZE", {0x0f, 0x01, 0xe8}},                    /* serialize */
    {"RTM", {0xc7, 0xf8, 0, 0, 0, 0}},                    /* xbegin */
    {"3DNow!", {0x0f, 0x0f, 0xc1, 0x9e}},                 /* pfadd */
    {"SSE4a", {0xf2, 0x0f, 0x79, 0xc1}},                  /* insertq */
    {"AVX", {0xc5, 0xf8, 0x58, 0xc1}},                    /* vaddps xmm0, xmm0, xmm1 */
    {"AVX", {0xc5, 0xfd, 0x58, 0xc1}},                    /* vaddpd ymm0, ymm0, ymm1 */
    {"AVX", {0xc5, 0xf9, 0xfe, 0xc1}},                    /* vpaddd xmm */
    {"AVX2", {0xc5, 0xfd, 0xfe, 0xc1}},                   /* vpaddd ymm */
    {"FMA", {0xc4, 0xe2, 0x79, 0x98, 0xc1}},              /* vfmadd132ps */
    {"BMI1", {0xc4, 0xe2, 0x78, 0xf2, 0xc1}},             /* andn eax, eax, ecx */
    {"BMI2", {0xc4, 0xe2, 0x7b, 0xf5, 0xc1}},             /* pdep eax, eax, ecx */
    {"F16C", {0xc4, 0xe2, 0x79, 0x13, 0xc1}},             /* vcvtph2ps */
    {"AVX-512", {0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc1}},    /* vaddps zmm0, zmm0, zmm1 */
    {"LAHF", {0x9f}, true},
    {NULL, {0x90}},
    {NULL, {0x0f, 0x0a}},
    {NULL, {0x06}}, /* push es, invalid in long mode */
};

static void features(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned long_mode = 0; long_mode < 2; long_mode++) {
            const char *name = "";
            if (cases[i].only_long && !long_mode) continue;
            const uint8_t *code = cases[i].code;
            const enum isa_verdict lacks = isa_judge(code, sizeof cases[i].code, long_mode, &none, &name);
            if (lacks != (cases[i].feature ? ISA_LACKING : ISA_UNKNOWN) ||
                (cases[i].feature && strcmp(name, cases[i].feature) != 0))
                fail_msg("case %u: %u %s, not %s", i, lacks, name, cases[i].feature);
            const enum isa_verdict with = isa_judge(code, sizeof cases[i].code, long_mode, &all, &name);
            if (with != ISA_UNKNOWN) fail_msg("case %u: %u with all", i, with);
        }
}

static void never_valid(void **state)
{
    static const uint8_t code[][3] = {{0x0f, 0xff, 0xc0}, {0x0f, 0xb9, 0xc0}, {0x0f, 0x0b}};
    static const char *const names[] = {"UD0", "UD1", "UD2"};
    const char *name;
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(isa_judge(code[i], 3, true, &all, &name), ISA_INVALID);
        assert_string_equal(name, names[i]);
    }
}

/* Outside of long mode LES, LDS and BOUND have these bytes, with an operand in memory; what is cut off is not
 * known, and is not read. */
static void not_vectors(void **state)
{
    static const uint8_t les[] = {0xc4, 0x00}, lds[] = {0xc5, 0x40, 0x08}, bound[] = {0x62, 0x00};
    const char *name;
    (void)state;
    assert_int_equal(isa_judge(les, 2, false, &none, &name), ISA_UNKNOWN);
    assert_int_equal(isa_judge(lds, 3, false, &none, &name), ISA_UNKNOWN);
    assert_int_equal(isa_judge(bound, 2, false, &none, &name), ISA_UNKNOWN);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned n = 0; n <= sizeof cases[i].code; n++) {
            uint8_t *exact = malloc(n + !n); /* the sanitizer sees a byte too many */
            memcpy(exact, cases[i].code, n);
            isa_judge(exact, n, true, &none, &name);
            isa_judge(exact, n, false, &none, &name);
            free(exact);
        }
    assert_int_equal(isa_judge(cases[0].code, 1, true, &none, &name), ISA_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(features), cmocka_unit_test(never_valid),
                                       cmocka_unit_test(not_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
