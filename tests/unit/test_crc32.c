/* CRC-32 against published check values. */
#include "kernel/crc32.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* "123456789" is the check value of CRC-32/ISO-HDLC (Williams, "A painless guide to CRC error detection
 * algorithms"); the others were computed with zlib. */
static const struct {
    const char *data;
    size_t len;
    uint32_t crc;
} vectors[] = {
    {"", 0, 0x00000000},
    {"123456789", 9, 0xcbf43926},
    {"a", 1, 0xe8b7be43},
    {"abc", 3, 0x352441c2},
    {"\0", 1, 0xd202ef8d},
    {"\xff\xff\xff\xff", 4, 0xffffffff},
    {"The quick brown fox jumps over the lazy dog", 43, 0x414fa339},
};

static void known_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        assert_int_equal(crc32(0, vectors[i].data, vectors[i].len), vectors[i].crc);
}

static void goes_on_from_any_cut(void **state)
{
    const char *s = vectors[6].data;
    size_t len = vectors[6].len;
    (void)state;
    for (size_t cut = 0; cut <= len; cut++)
        assert_int_equal(crc32(crc32(0, s, cut), s + cut, len - cut), vectors[6].crc);
}

static void every_flipped_bit_shows(void **state)
{
    char s[43];
    (void)state;
    for (size_t bit = 0; bit < 8 * sizeof s; bit++) {
        memcpy(s, vectors[6].data, sizeof s);
        s[bit / 8] ^= (char)(1 << bit % 8);
        assert_int_not_equal(crc32(0, s, sizeof s), vectors[6].crc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(goes_on_from_any_cut),
        cmocka_unit_test(every_flipped_bit_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
