/* CRC-32 against published check values. */
#include "kernel/crc32.h"
#include "tests/unit/unit.h"

#include <string.h>

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

TEST(known_values)
{
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        assert_int_equal(crc32(0, vectors[i].data, vectors[i].len), vectors[i].crc);
}

TEST(goes_on_from_any_cut)
{
    const char *s = vectors[6].data;
    size_t len = vectors[6].len;
    for (size_t cut = 0; cut <= len; cut++)
        assert_int_equal(crc32(crc32(0, s, cut), s + cut, len - cut), vectors[6].crc);
}

TEST(every_flipped_bit_shows)
{
    char s[43];
    for (size_t bit = 0; bit < 8 * sizeof s; bit++) {
        memcpy(s, vectors[6].data, sizeof s);
        s[bit / 8] ^= (char)(1 << bit % 8);
        assert_int_not_equal(crc32(0, s, sizeof s), vectors[6].crc);
    }
}
