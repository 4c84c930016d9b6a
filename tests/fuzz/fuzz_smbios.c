/* libFuzzer target: SMBIOS tables, by each way of finding them.
 *
 * The input's first byte picks the way, the rest is memory. It lies at F0000h, and over and over from 1 MiB
 * up to 4 GiB, so that any address the fuzzer invents means something; nothing can be read across its end.
 * What phys_peek() returns is a copy of exactly the size asked for: a parser that looks one byte further
 * meets AddressSanitizer.
 */
#include "kernel/smbios.h"
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 0x100000, BIOS = 0xf0000, BIOS_SIZE = 0x10000 };
enum way { LOADER, EFI32, EFI64, SCAN, WAYS };

static enum way way;
static const uint8_t *memory;
static size_t memory_size;

struct copy {
    struct copy *next;
    uint8_t bytes[];
};
static struct copy *copies;

/* A fuzzer does not get past checksums in a minute: they are put right. */
static void repair_sum(uint8_t *bytes, size_t len, size_t at)
{
    bytes[at] = 0;
    for (size_t i = 0; i < len; i++)
        if (i != at) bytes[at] -= bytes[i];
}

static void repair(uint8_t *bytes, size_t len)
{
    if (len >= 0x18 && memcmp(bytes, "_SM3_", 5) == 0 && bytes[6] == len) repair_sum(bytes, len, 5);
    if (len >= 0x1f && memcmp(bytes, "_SM_", 4) == 0) repair_sum(bytes, len, 4);
    if (len == 15 && memcmp(bytes, "_DMI_", 5) == 0) repair_sum(bytes, len, 5);
    if ((way == EFI32 || way == EFI64) && len == 120) memcpy(bytes, "IBI SYST", 8);
}

const void *phys_peek(uint64_t addr, size_t len)
{
    uint64_t offset;
    if (memory_size == 0 || addr >= 1ull << 32) return NULL;
    if (addr >= BIOS && addr - BIOS < BIOS_SIZE)
        offset = addr - BIOS;
    else if (addr >= MEMORY)
        offset = (addr - MEMORY) % memory_size;
    else
        return NULL;
    if (offset > memory_size || len > memory_size - offset) return NULL;
    struct copy *c = malloc(sizeof *c + len);
    if (!c) abort();
    c->next = copies;
    copies = c;
    memcpy(c->bytes, memory + offset, len);
    repair(c->bytes, len);
    return c->bytes;
}

static void is_text(const char *s)
{
    const char *end = memchr(s, '\0', SMBIOS_TEXT);
    if (!end) abort();
    for (; *s; s++)
        if (*s < ' ' || *s > '~') abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bootinfo bi;
    struct smbios s;
    if (size < 2) return 0;
    memset(&bi, 0, sizeof bi);
    memset(&s, 0xa5, sizeof s);
    way = data[0] % WAYS;
    memory = data + 1;
    memory_size = size - 1;
    bi.efi = way == EFI32 || way == EFI64;
    if (bi.efi) bi.efi_system = MEMORY;
    bi.efi_system_64 = way == EFI64;
    if (way == LOADER) bi.smbios = MEMORY, bi.smbios_len = (uint32_t)memory_size;
    smbios_probe(&bi, &s);
    if (!s.source) abort();
    const char *const text[] = {s.bios_vendor,    s.bios_version, s.bios_date,    s.system_maker,
                                s.system_product, s.board_maker,  s.board_product};
    for (unsigned i = 0; i < sizeof text / sizeof *text; i++) is_text(text[i]);
    while (copies) {
        struct copy *next = copies->next;
        free(copies);
        copies = next;
    }
    return 0;
}
