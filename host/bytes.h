/* Numbers of bytes, as the kernel's command line has them. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* "262144", "0x40000", "256K" or "1M"; below 2^63. False: it is none. */
bool bytes_read(const char *text, uint64_t *bytes);
