/* CRC-32 of n bytes: docs/payload.md. */
#include <anechoic/region.h>
#include <stdint.h>
#include <stdio.h>

ANECHOIC_REGIONS("fill", "sum");

static uint8_t bytes[1 << 16];

static uint32_t crc32(const uint8_t *at, long n)
{
    uint32_t crc = ~0u;
    while (n-- > 0) {
        crc ^= *at++;
        for (int bit = 0; bit < 8; bit++)
            if (crc & 1)
                crc = crc >> 1 ^ 0xedb88320u;
            else
                crc >>= 1;
    }
    return ~crc;
}

void payload(long n)
{
    struct region_table *table = region_table();
    region_begin(table, 0);
    for (long i = 0; i < n; i++) bytes[i] = (uint8_t)i;
    region_end(table, 0);
    region_begin(table, 1);
    const uint32_t sum = crc32(bytes, n);
    region_end(table, 1);
    printf("%ld bytes: %08x\n", n, (unsigned)sum);
}
