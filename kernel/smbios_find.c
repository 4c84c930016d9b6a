/* Where the SMBIOS tables are. */
#include "kernel/multiboot.h"
#include "kernel/smbios.h"
#include <string.h>

/* SMBIOS 3.7, 5.2.1: the entry point of 32 bits, "_SM_". The part from "_DMI_" on has a checksum of its own;
 * versions before 2.1 had this part alone. */
enum {
    SM2_LENGTH = 5, /* 1Fh; 2.1 said 1Eh by mistake */
    SM2_DMI = 0x10,
    SM2_SIZE = 0x1f,
    DMI_LENGTH = 6, /* of all structures, from "_DMI_" on */
    DMI_ADDRESS = 8,
    DMI_SIZE = 15,
};
/* 5.2.2: of 64 bits, "_SM3_" */
enum { SM3_LENGTH = 6, SM3_MAX = 0x0c, SM3_ADDRESS = 0x10, SM3_SIZE = 0x18 };

/* UEFI 2.10, 4.3: the system table, by the width of its pointers; and 4.6, its configuration table */
struct system_table {
    unsigned entries, table; /* offsets: how many, and where */
    unsigned entry;          /* bytes of one */
    unsigned pointer;        /* bytes of one */
};
static const struct system_table efi32 = {64, 68, 20, 4}, efi64 = {104, 112, 24, 8};
enum { EFI_SYSTEM_MAX = 120, EFI_ENTRIES_MAX = 256, GUID = 16 };

static uint64_t little(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    return v;
}

static bool sums_to_zero(const uint8_t *p, size_t len)
{
    uint8_t sum = 0;
    while (len--) sum += *p++;
    return sum == 0;
}

/* len_is_max: version 3 says how long it is at most; it may end before that. */
static bool take(uint64_t addr, uint64_t len, bool len_is_max, struct smbios_table *out)
{
    if (!addr || !len) return false;
    *out = (struct smbios_table){addr, len > SMBIOS_TABLE_MAX ? SMBIOS_TABLE_MAX : (uint32_t)len,
                                 len > SMBIOS_TABLE_MAX && !len_is_max};
    return true;
}

static bool take_sm3(uint64_t at, struct smbios_table *out)
{
    const uint8_t *p = phys_peek(at, SM3_SIZE);
    if (!p || memcmp(p, "_SM3_", 5) != 0 || p[SM3_LENGTH] < SM3_SIZE) return false;
    const uint8_t *all = phys_peek(at, p[SM3_LENGTH]);
    return all && sums_to_zero(all, p[SM3_LENGTH]) &&
           take(little(p + SM3_ADDRESS, 8), little(p + SM3_MAX, 4), true, out);
}

static bool take_dmi(uint64_t at, struct smbios_table *out)
{
    const uint8_t *p = phys_peek(at, DMI_SIZE);
    return p && memcmp(p, "_DMI_", 5) == 0 && sums_to_zero(p, DMI_SIZE) &&
           take(little(p + DMI_ADDRESS, 4), little(p + DMI_LENGTH, 2), false, out);
}

static bool take_sm2(uint64_t at, struct smbios_table *out)
{
    const uint8_t *p = phys_peek(at, SM2_SIZE);
    if (!p || memcmp(p, "_SM_", 4) != 0 || p[SM2_LENGTH] < SM2_SIZE - 1 || p[SM2_LENGTH] > SM2_SIZE + 1)
        return false;
    const unsigned len = p[SM2_LENGTH] < SM2_SIZE ? SM2_SIZE : p[SM2_LENGTH];
    const uint8_t *all = phys_peek(at, len);
    return all && sums_to_zero(all, len) && take_dmi(at + SM2_DMI, out);
}

/* On a boundary of 16 bytes (5.2.1). The newer one is preferred where there are both. */
static bool search(struct smbios_table *out)
{
    enum { FROM = 0xf0000, END = 0x100000 };
    static bool (*const kind[])(uint64_t, struct smbios_table *) = {take_sm3, take_sm2, take_dmi};
    for (unsigned k = 0; k < sizeof kind / sizeof *kind; k++)
        for (uint32_t at = FROM; at < END; at += 16)
            if (kind[k](at, out)) return true;
    return false;
}

/* The two GUIDs of 4.6, in the order of their bytes in memory. */
static const uint8_t guid3[GUID] = {0x44, 0x15, 0xfd, 0xf2, 0x94, 0x97, 0x2c, 0x4a,
                                    0x99, 0x2e, 0xe5, 0xbb, 0xcf, 0x20, 0xe3, 0x94};
static const uint8_t guid2[GUID] = {0x31, 0x2d, 0x9d, 0xeb, 0x88, 0x2d, 0xd3, 0x11,
                                    0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d};

static bool by_efi(const struct bootinfo *bi, struct smbios_table *out, const char **fault)
{
    const struct system_table *form = bi->efi_system_64 ? &efi64 : &efi32;
    const uint8_t *system = phys_peek(bi->efi_system, EFI_SYSTEM_MAX);
    if (!system || memcmp(system, "IBI SYST", 8) != 0) {
        *fault = "UEFI's system table is not where the loader says";
        return false;
    }
    const uint64_t n = little(system + form->entries, 4), table = little(system + form->table, form->pointer);
    bool named = false;
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i < n && i < EFI_ENTRIES_MAX; i++) {
            const uint8_t *e = phys_peek(table + i * form->entry, form->entry);
            if (!e || memcmp(e, pass == 0 ? guid3 : guid2, GUID) != 0) continue;
            const uint64_t at = little(e + GUID, form->pointer);
            named = true;
            if (pass == 0 ? take_sm3(at, out) : take_sm2(at, out)) return true;
        }
    if (named) *fault = "UEFI names an entry point that is damaged or out of reach";
    return false;
}

const char *smbios_find(const struct bootinfo *bi, struct smbios_table *out, const char **fault)
{
    *fault = NULL;
    if (take(bi->smbios, bi->smbios_len, false, out)) return "multiboot";
    if (bi->efi_system && by_efi(bi, out, fault)) return "efi";
    if (!bi->efi && search(out)) return "bios";
    return NULL;
}
