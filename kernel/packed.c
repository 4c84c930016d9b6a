#include "kernel/packed.h"

/* Linked without linker.ld there is no section, and nothing is packed. */
extern const char packed_start[] __attribute__((weak)), packed_end[] __attribute__((weak));
extern const uint8_t packed_pairs[][2] __attribute__((weak));

const char *unpack(const char *s, char *room)
{
    if ((uintptr_t)s < (uintptr_t)packed_start || (uintptr_t)s >= (uintptr_t)packed_end) return s;
    char *out = room;
    while (*s) out = unpack_byte(packed_pairs, out, (uint8_t)*s++);
    *out = '\0';
    return room;
}
