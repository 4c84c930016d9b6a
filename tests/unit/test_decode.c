/* The decoder where more than the bytes decides, and what is no instruction. Given "32" or "64" it is a
 * program that walks a listing instead: tests/unit/test_decode_payload.sh. */
#include "tests/unit/decode_rows.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what depends on more than the bytes ---- */

static bool access_32(const char *code, unsigned len, const struct sample *s, unsigned how, uint64_t *address)
{
    uint8_t bytes;
    return decode_access((const uint8_t *)code, len, false, s, how, address, &bytes);
}

static void direction_and_count(void **state)
{
    (void)state;
    struct sample s = {
        .valid = SAMPLE_IP | SAMPLE_REGS, .flags = 1 << 10, .reg = {[6] = 0x7000, [7] = 0x8000}};
    uint64_t a;
    assert_true(access_32("\xad", 1, &s, A, &a)); /* LODSL downwards: SI has been moved down by 4 */
    assert_int_equal(a, 0x7004);
    assert_true(access_32("\xad", 1, &s, B, &a));
    assert_int_equal(a, 0x7000);
    assert_false(access_32("\xf3\xab", 2, &s, B, &a)); /* REP STOSL with a count of 0 stores nothing */
    s.reg[1] = 1;
    assert_true(access_32("\xf3\xab", 2, &s, B, &a));
    assert_int_equal(a, 0x8000);
}

static void negative_bit(void **state)
{
    (void)state;
    struct sample s = {.valid = SAMPLE_IP | SAMPLE_REGS, .reg = {[0] = 0xffffffff, [3] = 0x8000}};
    uint64_t a;
    assert_true(access_32("\x0f\xa3\x03", 3, &s, B, &a)); /* bt %eax,(%ebx): bit -1 is in the word below */
    assert_int_equal(a, 0x7ffc);
    s.reg[0] = 0xffe0; /* btw: -32 */
    assert_true(access_32("\x66\x0f\xa3\x03", 4, &s, B, &a));
    assert_int_equal(a, 0x8000 - 4);
}

static void addresses_wrap(void **state)
{
    (void)state;
    struct sample s = {.valid = SAMPLE_IP | SAMPLE_REGS, .reg = {[0] = 0xfffffff0}};
    uint64_t a;
    assert_true(access_32("\x8b\x58\x20", 3, &s, B, &a)); /* mov 0x20(%eax),%ebx */
    assert_int_equal(a, 0x10);
    assert_true(access_32("\x50", 1, &s, B, &a)); /* push with ESP = 0 */
    assert_int_equal(a, 0xfffffffc);
}

/* Every first byte, with zeros behind it, has the length that the disassembler of binutils 2.40 gives it; 0:
 * it is no instruction. C5 in long mode is VEX, with an opcode that does not exist. */
static void every_first_byte(void **state)
{
    static const char *const length[] = {
        /* 32 bits */
        "22222511222225132222251122222511" /* 00 */
        "22222531222225312222253122222531" /* 20 */
        "11111111111111111111111111111111" /* 40 */
        "11223333562311112222222222222222" /* 60 */
        "36332222222222221111111111711111" /* 80 */
        "55551111251111112222222255555555" /* a0 */
        "33312236413112112222220122222222" /* c0 */
        "22222222557211113133113611111122" /* e0 */,
        /* 64 bits */
        "22222500222225032222250022222500" /* 00 */
        "22222530222225302222253022222530" /* 20 */
        "33333333333333331111111111111111" /* 40 */
        "00023333562311112222222222222222" /* 60 */
        "36032222222222221111111111011111" /* 80 */
        "99991111251111112222222255555555" /* a0 */
        "33310436413112012222040122222222" /* c0 */
        "22222222550211113133113611111122" /* e0 */,
    };
    (void)state;
    for (unsigned mode = 0; mode < 2; mode++)
        for (unsigned byte = 0; byte < 256; byte++) {
            const uint8_t code[15] = {(uint8_t)byte};
            const unsigned got = decode_length(code, sizeof code, mode == 1);
            if (got != (unsigned)(length[mode][byte] - '0'))
                fail_msg("%u bits, %02x: %u", 32 << mode, byte, got);
        }
}

static void needs_registers(void **state)
{
    (void)state;
    struct sample s = {.valid = SAMPLE_IP};
    uint64_t a;
    assert_false(access_32("\x8b\x18", 2, &s, B, &a));
    s.valid = SAMPLE_REGS;
    assert_false(access_32("\x8b\x18", 2, &s, B, &a));
}

static void not_instructions(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        unsigned len;
        bool long_mode;
    } bad[] = {
        {"\x0f\x0b", 1, false},                                                          /* cut */
        {"\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", 16, false}, /* 16 bytes */
        {"\x06", 1, true},                                                               /* PUSH ES */
        {"\x82\xc0\x01", 3, true},                                                       /* ADD's alias */
        {"\xc4\xe0\x78\x28\xc1", 5, true},     /* VEX without a map */
        {"\xc6\x48\x01\x02", 4, false},        /* C6 /1 */
        {"\xff\x38", 2, false},                /* FF /7 */
        {"\x66\xe8\x00\x00\x00\x00", 6, true}, /* Intel and AMD differ */
        {"\x66\xc3", 2, true},
    };
    for (size_t i = 0; i < N(bad); i++)
        assert_int_equal(decode_length((const uint8_t *)bad[i].code, bad[i].len, bad[i].long_mode), 0);
    assert_int_equal(decode_length((const uint8_t *)"\x66\xe8\x00\x00", 4, false), 4);
}

/* ---- against a disassembler (tests/unit/test_decode_payload.sh) ---- */

/* Lines of hexadecimal bytes, an instruction each: those that have another length, or none, are shown. */
static int walk(bool long_mode)
{
    char line[256];
    unsigned bad = 0, seen = 0;
    for (; fgets(line, sizeof line, stdin); seen++) {
        uint8_t code[16] = {0};
        unsigned n = 0;
        char *end;
        for (char *at = line; n < sizeof code; at = end) {
            unsigned long byte = strtoul(at, &end, 16);
            if (end == at) break;
            code[n++] = (uint8_t)byte;
        }
        unsigned length = decode_length(code, n, long_mode);
        if (length == n) continue;
        if (bad++ < 10) printf("length %u: %s", length, line);
    }
    printf("%u instructions\n", seen);
    return bad || seen == 0;
}

int main(int argc, char **argv)
{
    if (argc > 1) return walk(strcmp(argv[1], "64") == 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direction_and_count), cmocka_unit_test(negative_bit),
        cmocka_unit_test(addresses_wrap),      cmocka_unit_test(every_first_byte),
        cmocka_unit_test(needs_registers),     cmocka_unit_test(not_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
