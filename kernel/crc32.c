/* CRC-32 by nibbles: 64 bytes of table are enough for lines of 4 KiB. */
#include "kernel/crc32.h"

#define POLY   0xedb88320u /* IEEE 802.3 polynomial, bits reflected */
#define BIT(c) ((c)&1 ? (c) >> 1 ^ POLY : (c) >> 1)
#define NIB(c) BIT(BIT(BIT(BIT(c##u))))

static const uint32_t table[16] = {
    NIB(0), NIB(1), NIB(2),  NIB(3),  NIB(4),  NIB(5),  NIB(6),  NIB(7),
    NIB(8), NIB(9), NIB(10), NIB(11), NIB(12), NIB(13), NIB(14), NIB(15),
};

uint32_t crc32(uint32_t crc, const void *data, size_t len)
{
    const uint8_t *p = data;
    crc = ~crc;
    for (; len; len--, p++) {
        crc ^= *p;
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}
