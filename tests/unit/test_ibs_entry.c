/* Where IBS interrupts: what the firmware assigned, and on family 10h what we do. */
#include "kernel/ibs_entry.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/fake_pci.h"
#include "tests/unit/unit.h"
#include <string.h>

#define CONTROL 0xc001103au
#define NB_CFG  0xc001001fu
#define EXT_CFG (UINT64_C(1) << 46)

static uint8_t more[3][0xf00];
static unsigned writes;

static bool extended(void)
{
    uint64_t config = 0;
    return rdmsr_safe(NB_CFG, &config) && config & EXT_CFG;
}

/* The MSR shows what the node's register holds. */
static bool deaf;
static void wrote(uint32_t address, uint32_t value)
{
    assert_int_equal(address, 0x1cc);
    writes++;
    if (!deaf) fake_msr(CONTROL, value);
}

#define ID(vendor, device)                                                        \
    {                                                                             \
        (vendor) & 0xff, (vendor) >> 8, (device)&0xff, (device) >> 8, [14] = 0x80 \
    }
static struct fake_function bridge = {{0, 0, 0}, {0x22, 0x10, [11] = 6}, NULL, NULL, NULL, NULL, NULL};
static struct fake_function misc[2] = {
    {{0, 0x18, 3}, ID(0x1022, 0x1203), NULL, NULL, NULL, more[0], wrote},
    {{0, 0x1f, 3}, ID(0x1022, 0x1203), NULL, NULL, NULL, more[1], wrote},
};
static struct fake_function link0 = {{0, 0x18, 0}, ID(0x1022, 0x1200), NULL, NULL, NULL, NULL, NULL};
static struct fake_function link7 = {{0, 0x1f, 0}, ID(0x1022, 0x1200), NULL, NULL, NULL, NULL, NULL};
/* A ninth node would follow device 31, and its number be that of a device of the next bus. */
static struct fake_function beyond[2] = {
    {{1, 0, 0}, ID(0x1022, 0x1200), NULL, NULL, NULL, NULL, NULL},
    {{1, 0, 3}, ID(0x1022, 0x1203), NULL, NULL, NULL, more[2], wrote},
};
static struct fake_function *const board[] = {&bridge, &misc[0],   &misc[1],  &link0,
                                              &link7,  &beyond[0], &beyond[1]};

static struct machine machine;
static struct cpu cpu, booted;
static struct ibs_entry entry;

static void plug(unsigned family, uint64_t control)
{
    fake_reset();
    fake_pci(board, sizeof board / sizeof *board);
    fake_pci_extended(extended);
    fake_msr(CONTROL, control);
    fake_msr(NB_CFG, 0x1234);
    memset(more, 0x77, sizeof more);
    machine.boot = (struct bootinfo){.protocol = 2, .efi = true};
    cpu = (struct cpu){
        .machine = &machine, .id = {.family = family}, .apic = {.mode = APIC_XAPIC, .extended = 4}};
    booted = cpu;
    machine.cpu[0] = &booted;
    writes = 0;
    deaf = false;
}

static uint64_t msr(uint32_t n)
{
    uint64_t value = 0;
    assert_true(rdmsr_safe(n, &value));
    return value;
}

static uint32_t node(unsigned i)
{
    uint32_t value;
    memcpy(&value, more[i] + 0xcc, 4);
    return value;
}

static void refused(const char *what)
{
    const char *why = ibs_entry_find(&cpu, &entry);
    assert_non_null(why);
    if (!strstr(why, what)) fail_msg("\"%s\" is not in: %s", what, why);
    assert_int_equal(entry.told, 0);
}

/* The firmware's is used, on any family, and nothing is written. */
TEST(test_assigned)
{
    for (unsigned n = 0; n < 16; n++) {
        plug(n % 2 ? 0x10 : 0x19, 0x100 | n);
        if (n < 4) {
            assert_null(ibs_entry_find(&cpu, &entry));
            assert_int_equal(entry.n, n);
            ibs_entry_release(&entry);
        } else {
            refused("gave IBS an interrupt that the local APIC does not have");
        }
        assert_int_equal(writes, 0);
    }
}

/* Family 10h: each node is told of entry 1, and gets its own value back. */
TEST(test_family_10h)
{
    plug(0x10, 0x0f);
    assert_null(ibs_entry_find(&cpu, &entry));
    assert_int_equal(entry.n, 1);
    assert_int_equal(node(0), 0x101);
    assert_int_equal(node(1), 0x101);
    assert_int_equal(msr(NB_CFG), 0x1234); /* as it was */
    assert_int_equal(fake_pci_address() & 0x0f000000, 0);
    ibs_entry_release(&entry);
    assert_int_equal(node(0), 0x77777777);
    assert_int_equal(node(1), 0x77777777);
    assert_int_equal(writes, 4);
    ibs_entry_release(&entry); /* once is enough */
    assert_int_equal(writes, 4);
    assert_int_equal(msr(NB_CFG), 0x1234);
    for (unsigned i = 0; i < 0xf00; i++) /* and nothing else */
        assert_true(more[0][i] == 0x77 && more[1][i] == 0x77 && more[2][i] == 0x77);
}

/* The node's register is that of its cores: the first processor that stops does not take it from the others.
 */
TEST(test_shared)
{
    struct ibs_entry second;
    plug(0x10, 0x0f);
    assert_null(ibs_entry_find(&cpu, &entry));
    assert_null(ibs_entry_find(&cpu, &second));
    assert_int_equal(second.n, 1);
    assert_int_equal(writes, 2);
    ibs_entry_release(&entry);
    assert_int_equal(node(0), 0x101);
    assert_int_equal(node(1), 0x101);
    assert_null(ibs_entry_find(&cpu, &entry)); /* and begins again */
    ibs_entry_release(&second);
    assert_int_equal(node(0), 0x101);
    ibs_entry_release(&entry);
    assert_int_equal(node(0), 0x77777777);
    assert_int_equal(node(1), 0x77777777);
    assert_int_equal(writes, 4);
}

/* Entries that the firmware handles by SMI are not taken: it would get each of IBS's interrupts. INIT has
 * cleared those of a processor that was started, but the node's register is that of the one that booted, too.
 */
TEST(test_smi)
{
    for (unsigned started = 0; started < 2; started++)
        for (uint32_t smi = 0; smi < 16; smi++) {
            const unsigned free = smi & 2 ? smi & 4 ? 3 : 2 : 1;
            plug(0x10, 0x0f);
            booted.apic.extended_smi = smi;
            if (!started) cpu.apic.extended_smi = smi;
            if ((smi & 14) == 14) {
                refused("the firmware handles each free interrupt of the local APIC by SMI; use sample=pmi");
                assert_int_equal(writes, 0);
                continue;
            }
            assert_null(ibs_entry_find(&cpu, &entry));
            assert_int_equal(entry.n, free);
            assert_int_equal(node(0), 0x100 | free);
            ibs_entry_release(&entry);
            assert_int_equal(node(0), 0x77777777);
        }
    plug(0x10, 0x0f); /* fewer entries */
    cpu.apic.extended = 2;
    cpu.apic.extended_smi = 2;
    refused("by SMI");
    plug(0x19, 0x102); /* assigned, and nevertheless */
    cpu.apic.extended_smi = 4;
    refused("gave IBS an interrupt that it handles itself, by SMI; use sample=pmi");
}

TEST(test_refusals)
{
    static const char nobody[] = "gave IBS no interrupt (MSR C001103Ah, PCI F3x1CC); use sample=pmi";
    plug(0x15, 0x01); /* only family 10h is told */
    refused(nobody);
    assert_int_equal(writes, 0);
    plug(0x10, 0);
    deaf = true; /* the register takes it, and the processor does not */
    refused(nobody);
    assert_int_equal(node(0), 0x77777777);
    plug(0x10, 0);
    fake_pci(board, 1); /* no nodes */
    fake_pci_extended(extended);
    refused(nobody);
    plug(0x10, 0);
    machine.boot = (struct bootinfo){.protocol = 1}; /* no PCI: its ports are left alone */
    const unsigned before = fake_accesses();
    refused(nobody);
    assert_int_equal(fake_accesses(), before);
    plug(0x10, 0x101);
    cpu.apic.extended = 0;
    refused("needs a local APIC with AMD's extended table");
    cpu.apic.mode = APIC_DISABLED;
    cpu.apic.extended = 4;
    refused("needs a local APIC");
    cpu.apic.firmware_off = true;
    refused("use apic=on");
    memset(&entry, 0, sizeof entry);
    ibs_entry_release(&entry); /* of one that never was */
    assert_int_equal(writes, 0);
}
