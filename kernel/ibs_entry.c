#include "kernel/ibs_entry.h"
#include "kernel/hw.h"
#include "kernel/lock.h"
#include "kernel/pci.h"

#define MSR_IBS_CONTROL 0xc001103au
#define OFFSET          0xfu
#define OFFSET_VALID    (1u << 8)

#define NODE_FIRST  0x18 /* PCI device of node 0 */
#define NODE_MISC   3    /* its function */
#define NODE_10H    0x12031022u
#define REG_IBS     0x1cc
#define FIRST_ENTRY 1 /* Linux begins there, since firmware uses 0 for machine checks */

/* Registers from 100h on are reached through ports CF8h and CFCh while this bit is set (Linux,
 * pci_enable_pci_io_ecs()). */
#define MSR_NB_CFG     0xc001001fu
#define NB_CF8_EXT_CFG (1ull << 46)

static struct pci_function node(unsigned i)
{
    return (struct pci_function){0, (uint8_t)(NODE_FIRST + i), NODE_MISC};
}

static bool is_assigned(uint64_t *control)
{
    return rdmsr_safe(MSR_IBS_CONTROL, control) && *control & OFFSET_VALID;
}

/* A node's register is that of all its cores, and so is NB_CFG. */
static struct {
    struct lock lock;          /* held while one of them, or the rest of this, is in use */
    unsigned entry;            /* written to their registers */
    unsigned users;            /* processors that have found an entry here */
    uint32_t told;             /* bit i: node i was told, */
    uint32_t found[IBS_NODES]; /* and its register held this */
} nodes;

static void tell(void)
{
    for (unsigned i = 0; i < IBS_NODES; i++) {
        const struct pci_function at = node(i);
        if (pci_read32(&at, 0) != NODE_10H) continue;
        nodes.found[i] = pci_read32(&at, REG_IBS);
        nodes.told |= 1u << i;
        pci_write32(&at, REG_IBS, nodes.entry | OFFSET_VALID);
    }
}

static void take_back(void)
{
    for (unsigned i = 0; i < IBS_NODES; i++) {
        const struct pci_function at = node(i);
        if (nodes.told >> i & 1) pci_write32(&at, REG_IBS, nodes.found[i]);
    }
    nodes.told = 0;
}

/* NB_CFG is as it was afterwards. */
static void with_extended_registers(void (*what)(void))
{
    uint64_t config;
    if (!rdmsr_safe(MSR_NB_CFG, &config) || !wrmsr_safe(MSR_NB_CFG, config | NB_CF8_EXT_CFG)) return;
    what();
    const struct pci_function any = node(0);
    pci_read32(&any, 0); /* the address port keeps none of its new bits */
    wrmsr_safe(MSR_NB_CFG, config);
}

/* Entries that the firmware handles by SMI. INIT has cleared them on a processor that was started. */
static uint32_t firmwares(const struct cpu *cpu)
{
    return cpu->apic.extended_smi | cpu->machine->cpu[0]->apic.extended_smi;
}

/* The first entry that is free, from FIRST_ENTRY on; as many as there are: none is. */
static unsigned free_entry(const struct cpu *cpu)
{
    unsigned n = FIRST_ENTRY;
    while (n < cpu->apic.extended && n < 32 && firmwares(cpu) >> n & 1) n++;
    return n;
}

/* Tells the nodes, unless the firmware or another processor has. Returns false if no entry is free. */
static bool assign(const struct cpu *cpu)
{
    const struct machine *m = cpu->machine;
    uint64_t control;
    if (nodes.users || is_assigned(&control) || cpu->id.family != 0x10) return true;
    nodes.entry = free_entry(cpu);
    if (nodes.entry >= cpu->apic.extended) return false;
    if (pci_probe(&m->boot, m->acpi.found)) with_extended_registers(tell);
    return true;
}

const char *ibs_entry_find(const struct cpu *cpu, struct ibs_entry *entry)
{
    const struct apic *a = &cpu->apic;
    uint64_t control = 0;
    *entry = (struct ibs_entry){.n = 0};
    if (a->mode < APIC_XAPIC || !a->extended)
        return a->firmware_off ? "the firmware disabled the local APIC; use apic=on, or sample=timer"
                               : "IBS needs a local APIC with AMD's extended table; use sample=pmi or timer";
    lock_take(&nodes.lock);
    const bool free = assign(cpu);
    entry->told = nodes.told != 0;
    nodes.users += entry->told;
    lock_give(&nodes.lock);
    const bool assigned = is_assigned(&control);
    entry->n = control & OFFSET;
    const bool smi = assigned && firmwares(cpu) >> entry->n & 1;
    if (assigned && entry->n < a->extended && !smi) return NULL;
    ibs_entry_release(entry);
    return !free      ? "the firmware handles each free interrupt of the local APIC by SMI; use sample=pmi"
           : smi      ? "the firmware gave IBS an interrupt that it handles itself, by SMI; use sample=pmi"
           : assigned ? "the firmware gave IBS an interrupt that the local APIC does not have; use sample=pmi"
                      : "the firmware gave IBS no interrupt (MSR C001103Ah, PCI F3x1CC); use sample=pmi";
}

void ibs_entry_release(struct ibs_entry *entry)
{
    if (!entry->told) return;
    entry->told = false;
    lock_take(&nodes.lock);
    if (--nodes.users == 0) with_extended_registers(take_back);
    lock_give(&nodes.lock);
}
