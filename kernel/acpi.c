/* RSDP, root table, and what it leads to. */
#include "kernel/acpi.h"
#include "kernel/multiboot.h"
#include <string.h>

/* ACPI 6.5, 5.2.5.3 */
struct __attribute__((packed)) rsdp {
    char signature[8];
    uint8_t checksum;
    char oem[6];
    uint8_t revision;
    uint32_t rsdt;
    uint32_t length; /* from here on: revision 2 */
    uint64_t xsdt;
    uint8_t extended_checksum, reserved[3];
};
enum { RSDP_V1_SIZE = 20 };

/* ACPI 6.5, 5.2.6 */
struct __attribute__((packed)) table_header {
    char signature[4];
    uint32_t length;
    uint8_t revision, checksum;
    char oem[6], oem_table[8];
    uint32_t oem_revision, creator, creator_revision;
};
/* Root tables and FADTs take some hundred bytes, DSDTs of today's boards some hundred KiB; a length beyond
 * this is garbage. */
enum { TABLE_MAX = 0x10000, DSDT_MAX = 0x200000 };

/* ACPI 6.5, 5.2.9, table 5.9: offsets and bits */
enum {
    FADT_PM_TMR_BLK = 76,
    FADT_PM_TMR_LEN = 91,
    FADT_FLAGS = 112,
    FADT_X_PM_TMR_BLK = 208, /* a generic address structure, 5.2.3.2 */
};
enum { FLAG_TMR_VAL_EXT = 1 << 8, FLAG_HW_REDUCED = 1 << 20 };
struct __attribute__((packed)) generic_address {
    uint8_t space, bit_width, bit_offset, access_size;
    uint64_t address;
};
enum { SPACE_SYSTEM_IO = 1 };

static bool sums_to_zero(const void *data, size_t len)
{
    const uint8_t *p = data;
    uint8_t sum = 0;
    while (len--) sum += *p++;
    return sum == 0;
}

static bool rsdp_valid(const void *p)
{
    return memcmp(p, "RSD PTR ", 8) == 0 && sums_to_zero(p, RSDP_V1_SIZE);
}

/* Take the RSDP at p, of which avail bytes can be read. A revision 2 part with a wrong checksum is ignored;
 * the RSDT is used then. */
static bool take_rsdp(const void *p, size_t avail, struct rsdp *out)
{
    if (avail < RSDP_V1_SIZE || !rsdp_valid(p)) return false;
    memcpy(out, p, RSDP_V1_SIZE);
    out->xsdt = 0;
    if (out->revision >= 2 && avail >= sizeof *out && sums_to_zero(p, sizeof *out))
        memcpy(out, p, sizeof *out);
    return true;
}

/* The RSDP lies on a 16-byte boundary (ACPI 6.5, 5.2.5.1). */
static bool search(uint64_t from, uint64_t len, struct rsdp *out)
{
    for (uint64_t at = from; at < from + len; at += 16) {
        const void *p = phys_peek(at, RSDP_V1_SIZE);
        if (!p || !rsdp_valid(p)) continue;
        const void *all = phys_peek(at, sizeof *out);
        return all ? take_rsdp(all, sizeof *out, out) : take_rsdp(p, RSDP_V1_SIZE, out);
    }
    return false;
}

static bool find_rsdp(const struct bootinfo *bi, struct rsdp *out)
{
    enum { EBDA_SEGMENT = 0x40e, EBDA_SEARCHED = 1024, BIOS_AREA = 0xe0000, BIOS_AREA_SIZE = 0x20000 };
    uint16_t ebda;
    if (take_rsdp(bi->rsdp, bi->rsdp_len, out)) return true;
    if (boot_read(&ebda, EBDA_SEGMENT, sizeof ebda) && ebda &&
        search((uint64_t)ebda << 4, EBDA_SEARCHED, out))
        return true;
    return search(BIOS_AREA, BIOS_AREA_SIZE, out);
}

/* The whole table at addr, if it is readable and has this signature and a valid checksum. Its fault is set
 * only where the signature is the one that is looked for. */
static struct acpi_table table(uint64_t addr, const char *signature, uint32_t most)
{
    struct acpi_table none = {0};
    struct table_header h;
    if (!boot_read(&h, addr, sizeof h) || memcmp(h.signature, signature, 4) != 0) return none;
    none.fault = "its length is wrong";
    if (h.length < sizeof h || h.length > most) return none;
    const uint8_t *p = phys_peek(addr, h.length);
    if (!p) return none;
    none.fault = "its checksum is wrong";
    return sums_to_zero(p, h.length) ? (struct acpi_table){p, h.length, NULL} : none;
}

static uint32_t read32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* A table through a root table whose entries are entry_size bytes wide. *root_found: the root table is valid.
 */
static struct acpi_table find(uint64_t root_addr, const char *root_signature, unsigned entry_size,
                              const char *signature, bool *root_found)
{
    const struct acpi_table root =
        root_addr ? table(root_addr, root_signature, TABLE_MAX) : (struct acpi_table){0};
    struct acpi_table found = {0};
    if (!root.bytes) return found;
    *root_found = true;
    for (uint32_t at = sizeof(struct table_header); at + entry_size <= root.length; at += entry_size) {
        uint64_t addr = 0; /* little-endian: the low half is the RSDT's entry */
        memcpy(&addr, root.bytes + at, entry_size);
        const struct acpi_table one = table(addr, signature, TABLE_MAX);
        if (one.bytes) return one;
        if (one.fault) found = one;
    }
    return found;
}

/* The XSDT's, else the RSDT's. */
static struct acpi_table find_by(const struct rsdp *rsdp, const char *signature, bool *root_found)
{
    const struct acpi_table wide = find(rsdp->xsdt, "XSDT", 8, signature, root_found);
    if (wide.bytes) return wide;
    const struct acpi_table narrow = find(rsdp->rsdt, "RSDT", 4, signature, root_found);
    return narrow.bytes || !wide.fault ? narrow : wide;
}

static void read_fadt(const uint8_t *fadt, uint32_t length, struct acpi_info *out)
{
    if (length < FADT_FLAGS + 4) return;
    uint32_t flags = read32(fadt + FADT_FLAGS);
    if (flags & FLAG_HW_REDUCED) return; /* these machines have no fixed hardware */

    uint64_t port = fadt[FADT_PM_TMR_LEN] == 4 ? read32(fadt + FADT_PM_TMR_BLK) : 0;
    struct generic_address x;
    if (length >= FADT_X_PM_TMR_BLK + sizeof x) {
        memcpy(&x, fadt + FADT_X_PM_TMR_BLK, sizeof x);
        if (x.space == SPACE_SYSTEM_IO && x.address) port = x.address;
    }
    if (port == 0 || port > UINT16_MAX - 3) return;
    out->pm_timer = (uint16_t)port;
    out->pm_timer_32bit = flags & FLAG_TMR_VAL_EXT;
}

/* The registers are in the FADT, the values that they take in the DSDT. */
static void read_s5(const uint8_t *fadt, uint32_t length, struct acpi_s5 *out)
{
    s5_registers(fadt, length, out);
    if (out->lacks) return;
    const struct acpi_table dsdt = table(s5_dsdt(fadt, length), "DSDT", DSDT_MAX);
    if (!dsdt.bytes)
        out->lacks = dsdt.fault ? "the firmware's DSDT is damaged" : "the firmware's FADT leads to no DSDT";
    else if (!s5_types(dsdt.bytes, dsdt.length, out->type))
        out->lacks = "the firmware's DSDT has no _S5";
}

void acpi_probe(const struct bootinfo *bi, struct acpi_info *out)
{
    struct rsdp rsdp;

    memset(out, 0, sizeof *out);
    out->s5.lacks = "the firmware has no ACPI";
    if (!find_rsdp(bi, &rsdp)) return;
    memcpy(out->oem, rsdp.oem, sizeof rsdp.oem);
    for (char *c = out->oem; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';

    const struct acpi_table fadt = find_by(&rsdp, "FACP", &out->found);
    if (out->found)
        out->s5.lacks = fadt.fault ? "the firmware's FADT is damaged" : "the firmware's ACPI has no FADT";
    if (!fadt.bytes) return;
    read_fadt(fadt.bytes, fadt.length, out);
    read_s5(fadt.bytes, fadt.length, &out->s5);
}

bool acpi_find(const struct bootinfo *bi, const char *const *signature, unsigned n, struct acpi_table *out)
{
    struct rsdp rsdp;
    bool root = false;
    const bool found = find_rsdp(bi, &rsdp);
    for (unsigned i = 0; i < n; i++)
        out[i] = found ? find_by(&rsdp, signature[i], &root) : (struct acpi_table){0};
    return root;
}
