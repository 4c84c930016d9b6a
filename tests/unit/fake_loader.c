/* The loader's memory of fake_loader.h. */
#include "tests/unit/fake_loader.h"
#include "kernel/bootinfo.h"
#include "tests/unit/fake_hw.h"
#include <stdlib.h>
#include <string.h>

static uint8_t mem[LOADER_SIZE];
static uint32_t used;

void loader_start(void)
{
    memset(mem, 0xee, sizeof mem);
    used = 0;
}

uint32_t put(const void *data, uint32_t len)
{
    uint32_t at = used;
    if (len > LOADER_SIZE - used) abort();
    memcpy(mem + at, data, len);
    used += len;
    return LOADER_BASE + at;
}

uint32_t put8(uint8_t v) { return put(&v, 1); }
uint32_t put32(uint32_t v) { return put(&v, 4); }
uint32_t put64(uint64_t v) { return put(&v, 8); }
uint32_t put_string(const char *s) { return put(s, (uint32_t)strlen(s) + 1); }

uint32_t put_zeros(uint32_t len)
{
    uint32_t at = loader_end();
    while (len--) put8(0);
    return at;
}

uint32_t put_letters(uint32_t len)
{
    uint32_t at = loader_end();
    for (uint32_t i = 0; i < len; i++) put(&"abcdefg "[i % 8], 1);
    return at;
}

uint32_t loader_end(void) { return LOADER_BASE + used; }
void loader_cut(uint32_t addr) { used = addr - LOADER_BASE; }

void poke(uint32_t addr, const void *data, uint32_t len)
{
    if (addr < LOADER_BASE || addr - LOADER_BASE > used || len > used - (addr - LOADER_BASE)) abort();
    memcpy(mem + (addr - LOADER_BASE), data, len);
}

void poke32(uint32_t addr, uint32_t v) { poke(addr, &v, 4); }

void loader_parse(uint32_t magic, uint32_t info, struct bootinfo *out)
{
    fake_reset();
    fake_memory(LOADER_BASE, mem, used);
    memset(out, 0xa5, sizeof *out);
    bootinfo_parse(magic, info, out);
}
