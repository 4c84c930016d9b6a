/* CRC-32 (IEEE 802.3, reflected, as zlib's crc32()). */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* crc: 0 to start, the previous result to go on. */
uint32_t crc32(uint32_t crc, const void *data, size_t len);
