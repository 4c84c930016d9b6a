#include "kernel/acpi_s5.h"
#include <stddef.h>
#include <string.h>

/* ACPI 6.5, 5.2.9, table 5.9: offsets */
enum {
    FADT_DSDT = 40,
    FADT_SMI_CMD = 48,
    FADT_ACPI_ENABLE = 52,
    FADT_PM1A_CNT = 64,
    FADT_PM1B_CNT = 68,
    FADT_PM1_CNT_LEN = 89,
    FADT_FLAGS = 112,
    FADT_X_DSDT = 140,
    FADT_X_PM1A_CNT = 172, /* generic address structures: space, width, offset, access, 8 bytes of address */
    FADT_X_PM1B_CNT = 184
};
enum { FLAG_HW_REDUCED = 1 << 20, GAS_BYTES = 12, GAS_ADDRESS = 4, SPACE_SYSTEM_IO = 1, PM1_CNT_BYTES = 2 };

/* ---- the FADT ---- */

static uint64_t read_bytes(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    while (n--) v = v << 8 | p[n];
    return v;
}

/* A block's port, by its X_ field where that has a port, else by the older one; 0: none, or beyond the ports.
 */
static uint16_t port_of(const uint8_t *fadt, uint32_t length, unsigned old, unsigned x)
{
    uint64_t port = read_bytes(fadt + old, 4);
    if (length >= x + GAS_BYTES && fadt[x] == SPACE_SYSTEM_IO && read_bytes(fadt + x + GAS_ADDRESS, 8))
        port = read_bytes(fadt + x + GAS_ADDRESS, 8);
    return port <= UINT16_MAX + 1 - PM1_CNT_BYTES ? (uint16_t)port : 0;
}

void s5_registers(const uint8_t *fadt, uint32_t length, struct acpi_s5 *out)
{
    *out = (struct acpi_s5){.lacks = "the firmware's FADT is too short"};
    if (length < FADT_FLAGS + 4) return;
    out->lacks = "ACPI is hardware-reduced here, without the registers that switch off";
    if (read_bytes(fadt + FADT_FLAGS, 4) & FLAG_HW_REDUCED) return;
    out->lacks = "the firmware's FADT names no PM1 control register in the I/O ports";
    if (fadt[FADT_PM1_CNT_LEN] < PM1_CNT_BYTES) return;
    out->pm1a = port_of(fadt, length, FADT_PM1A_CNT, FADT_X_PM1A_CNT);
    if (!out->pm1a) return;
    out->pm1b = port_of(fadt, length, FADT_PM1B_CNT, FADT_X_PM1B_CNT);
    const uint64_t smi = read_bytes(fadt + FADT_SMI_CMD, 4);
    out->enable = fadt[FADT_ACPI_ENABLE];
    out->smi_port = smi <= UINT16_MAX && out->enable ? (uint16_t)smi : 0;
    out->lacks = NULL;
}

uint64_t s5_dsdt(const uint8_t *fadt, uint32_t length)
{
    const uint64_t wide = length >= FADT_X_DSDT + 8 ? read_bytes(fadt + FADT_X_DSDT, 8) : 0;
    return wide ? wide : length >= FADT_DSDT + 4 ? read_bytes(fadt + FADT_DSDT, 4) : 0;
}

/* ---- AML: ACPI 6.5, 20.2 ---- */

enum {
    OP_ZERO = 0x00,
    OP_ONE = 0x01,
    OP_NAME = 0x08,
    OP_BYTE = 0x0a,
    OP_WORD = 0x0b,
    OP_DWORD = 0x0c,
    OP_PACKAGE = 0x12,
    OP_QWORD = 0x0e,
    OP_ONES = 0xff,
    ROOT = '\\'
};

struct bytes {
    const uint8_t *at, *end;
};

static bool next(struct bytes *b, uint8_t *v)
{
    if (b->at == b->end) return false;
    *v = *b->at++;
    return true;
}

/* PkgLength, 20.2.4: cuts b to the package, whose length counts from the length's own first byte. */
static bool enter_package(struct bytes *b)
{
    const uint8_t *first = b->at;
    uint8_t lead, more;
    if (!next(b, &lead)) return false;
    const unsigned following = lead >> 6;
    size_t length = following ? lead & 0xf : lead & 0x3f;
    for (unsigned i = 0; i < following; i++) {
        if (!next(b, &more)) return false;
        length |= (size_t)more << (4 + 8 * i);
    }
    if (length < (size_t)(b->at - first) || length > (size_t)(b->end - first)) return false;
    b->end = first + length;
    return true;
}

static bool integer(struct bytes *b, uint64_t *v)
{
    uint8_t op;
    if (!next(b, &op)) return false;
    const unsigned n = op == OP_BYTE ? 1 : op == OP_WORD ? 2 : op == OP_DWORD ? 4 : op == OP_QWORD ? 8 : 0;
    if (n == 0) {
        *v = op == OP_ONES ? UINT64_MAX : op;
        return op == OP_ZERO || op == OP_ONE || op == OP_ONES;
    }
    if ((size_t)(b->end - b->at) < n) return false;
    *v = read_bytes(b->at, n);
    b->at += n;
    return true;
}

/* 7.4.2: the first element is PM1a's SLP_TYP, the second PM1b's. A package of one, of ACPI 1.0, has both as
 * bytes. */
static bool types_of(struct bytes b, uint8_t type[2])
{
    uint8_t op, elements;
    uint64_t a, second;
    if (!next(&b, &op) || op != OP_PACKAGE || !enter_package(&b) || !next(&b, &elements) || !elements)
        return false;
    if (!integer(&b, &a)) return false;
    if (elements == 1)
        second = a >> 8 & 0xff, a &= 0xff;
    else if (!integer(&b, &second))
        return false;
    if (a > 7 || second > 7) return false;
    type[0] = (uint8_t)a;
    type[1] = (uint8_t)second;
    return true;
}

bool s5_types(const uint8_t *aml, uint32_t length, uint8_t type[2])
{
    static const char name[] = "_S5_";
    enum { NAME = 4 };
    for (uint32_t at = 1; at + NAME <= length; at++) {
        if (aml[at] != name[0] || memcmp(aml + at, name, NAME) != 0) continue;
        const bool named =
            aml[at - 1] == OP_NAME || (at > 1 && aml[at - 1] == ROOT && aml[at - 2] == OP_NAME);
        if (named && types_of((struct bytes){aml + at + NAME, aml + length}, type)) return true;
    }
    return false;
}
