#include "kernel/permits.h"

const unsigned machine_ring = 0;
const bool machine_prefers_lfence = false;

const char *machine_refuses(const char *key, const char *value, size_t len)
{
    return (void)key, (void)value, (void)len, NULL;
}

const char *machine_note(unsigned *i, const char **what) { return (void)i, (void)what, NULL; }
bool machine_lost(struct machine_lost *lost) { return (void)lost, false; }
const char *machine_no_counters(void) { return NULL; }

const char *machine_call_name(uint64_t number) { return (void)number, NULL; }
