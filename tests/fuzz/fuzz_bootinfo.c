/* libFuzzer target: boot information of both protocols, and ACPI tables.
 *
 * The input's first byte picks what is parsed, the rest is memory. From 64 KiB up to 4 GiB memory is that,
 * over and over, so that any address the fuzzer invents means something; but nothing can be read across the
 * end of a repetition. What phys_peek() returns is a copy of its own and of exactly the size asked for: a
 * parser that looks one byte further meets AddressSanitizer.
 *
 *     clang -DHOST -I. -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz/fuzz_bootinfo.c \
 *         kernel/bootinfo.c kernel/multiboot1.c kernel/multiboot2.c kernel/acpi.c kernel/acpi_s5.c
 */
#include "kernel/acpi.h"
#include "kernel/bootinfo.h"
#include <stdlib.h>
#include <string.h>

enum { INFO = 0x10000 };

enum mode { MB1, MB2, ACPI_RSDT, ACPI_XSDT, AML, N_MODES };
static enum mode mode;

static const uint8_t *memory;
static size_t memory_size;

/* The copies live until the input is done, as memory does. */
struct copy {
    struct copy *next;
    uint8_t bytes[];
};
static struct copy *copies;

static void check(bool holds)
{
    if (!holds) abort();
}

/* Write the byte that makes all of them sum to zero. */
static void repair_sum(uint8_t *bytes, size_t len, size_t at)
{
    bytes[at] = 0;
    for (size_t i = 0; i < len; i++)
        if (i != at) bytes[at] -= bytes[i];
}

/* A fuzzer does not get past signatures and checksums in a minute: they are put right, so that what is behind
 * them is reached. The root table is the one at INFO; odd addresses have DSDTs, even ones FADTs. */
static void repair_table(uint64_t addr, uint8_t *bytes, size_t len)
{
    enum { CHECKSUM = 9, HEADER = 36 };
    const char *root = mode == ACPI_XSDT ? "XSDT" : "RSDT";
    if (len < HEADER) return;
    memcpy(bytes, addr == INFO ? root : addr & 1 ? "DSDT" : "FACP", 4);
    repair_sum(bytes, len, CHECKSUM);
}

const void *phys_peek(uint64_t addr, size_t len)
{
    if (memory_size == 0 || addr < INFO || addr >= 1ull << 32) return NULL;
    uint64_t offset = (addr - INFO) % memory_size;
    if (len > memory_size - offset) return NULL;

    struct copy *c = malloc(sizeof *c + len);
    if (!c) abort();
    c->next = copies;
    copies = c;
    memcpy(c->bytes, memory + offset, len);
    if (mode == ACPI_RSDT || mode == ACPI_XSDT) repair_table(addr, c->bytes, len);
    return c->bytes;
}

static void free_copies(void)
{
    while (copies) {
        struct copy *next = copies->next;
        free(copies);
        copies = next;
    }
}

static void check_strings(const struct bootinfo *bi)
{
    check(memchr(bi->cmdline, '\0', sizeof bi->cmdline) != NULL);
    check(memchr(bi->loader, '\0', sizeof bi->loader) != NULL);
    for (unsigned i = 0; i < bi->n_modules; i++)
        check(memchr(bi->module[i].name, '\0', sizeof bi->module[i].name) != NULL);
}

static void check_map(const struct bootinfo *bi)
{
    check(bi->n_map <= BOOT_RANGES);
    check((bi->n_map == 0) == (bi->map_source == MAP_NONE));
    check(bi->map_source != MAP_MEMINFO || bi->n_map <= 2);
    for (unsigned i = 0; i < bi->n_map; i++) check(bi->map[i].base + bi->map[i].len >= bi->map[i].base);
}

static void check_modules(const struct bootinfo *bi)
{
    check(bi->n_modules <= BOOT_MODULES);
    for (unsigned i = 0; i < bi->n_modules; i++) check(bi->module[i].start <= bi->module[i].end);
}

/* Whoever draws relies on these. */
static void check_fb(const struct boot_fb *fb)
{
    static const struct boot_fb none;
    if (fb->width == 0) {
        check(memcmp(fb, &none, sizeof none) == 0);
        return;
    }
    check(fb->type <= 2 && fb->height > 0 && fb->bpp >= 1 && fb->bpp <= 32);
    check(fb->pitch >= (uint64_t)fb->width * ((fb->bpp + 7u) / 8));
    check(fb->addr + (uint64_t)fb->pitch * fb->height >= fb->addr);
    check(fb->red_pos + fb->red_size <= fb->bpp);
    check(fb->green_pos + fb->green_size <= fb->bpp);
    check(fb->blue_pos + fb->blue_size <= fb->bpp);
}

static void fuzz_multiboot(void)
{
    static struct bootinfo bi;
    memset(&bi, 0xa5, sizeof bi);
    bootinfo_parse(mode == MB2 ? MULTIBOOT2_MAGIC : MULTIBOOT1_MAGIC, INFO, &bi);
    check(bi.protocol == (mode == MB2 ? 2 : 1));
    check(bi.rsdp_len <= sizeof bi.rsdp && (mode == MB2 || bi.rsdp_len == 0));
    check_strings(&bi);
    check_map(&bi);
    check_modules(&bi);
    check_fb(&bi.fb);
}

static void check_s5(const struct acpi_s5 *s5)
{
    check(s5->lacks || (s5->pm1a && s5->pm1a <= UINT16_MAX - 1 && s5->pm1b <= UINT16_MAX - 1));
    check(s5->lacks || (s5->type[0] <= 7 && s5->type[1] <= 7));
}

/* AML as it may stand in a DSDT whose checksum is right. */
static void fuzz_aml(void)
{
    uint8_t type[2] = {9, 9}, *exact = malloc(memory_size + 1);
    memcpy(exact, memory, memory_size);
    exact = realloc(exact, memory_size ? memory_size : 1);
    if (s5_types(exact, (uint32_t)memory_size, type)) check(type[0] <= 7 && type[1] <= 7);
    free(exact);
}

/* With a valid RSDP (ACPI 6.5, 5.2.5.3) that points to INFO. */
static void fuzz_acpi(void)
{
    static struct bootinfo bi;
    const uint32_t address = INFO;
    struct acpi_info acpi;

    memset(&bi, 0, sizeof bi);
    memcpy(bi.rsdp, "RSD PTR ", 8);
    bi.rsdp[15] = 2;
    memcpy(bi.rsdp + (mode == ACPI_XSDT ? 24 : 16), &address, sizeof address);
    repair_sum(bi.rsdp, 20, 8);
    repair_sum(bi.rsdp, 36, 32);
    bi.rsdp_len = 36;

    memset(&acpi, 0xa5, sizeof acpi);
    acpi_probe(&bi, &acpi);
    check(memchr(acpi.oem, '\0', sizeof acpi.oem) != NULL);
    check(acpi.found || acpi.pm_timer == 0);
    check(acpi.pm_timer || !acpi.pm_timer_32bit);
    check(acpi.pm_timer <= UINT16_MAX - 3); /* four ports are read */
    check_s5(&acpi.s5);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    mode = data[0] % N_MODES;
    memory = data + 1;
    memory_size = size - 1;
    if (mode == MB1 || mode == MB2)
        fuzz_multiboot();
    else if (mode == AML)
        fuzz_aml();
    else
        fuzz_acpi();
    free_copies();
    return 0;
}
