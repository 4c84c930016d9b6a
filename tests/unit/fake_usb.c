/* The controllers of fake_usb.h. */
#include "tests/unit/fake_usb.h"
#include "kernel/paging.h"
#include "tests/unit/unit.h"
#include <string.h>

struct machine machines[4];
static unsigned n_machines;
uint64_t mapped;
unsigned ticks;
struct usb usb;

bool paging_map_device(uint64_t addr, uint64_t len)
{
    mapped = addr;
    return addr + len <= 1ull << 32;
}

/* Port 61h, whose reads take time. */
static uint32_t tick(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx, (void)offset, (void)width;
    ticks++;
    return 0;
}

static const struct fake_device port_61 = {0x61, 1, tick, NULL, NULL};

static void released(struct machine *m)
{
    if (m->companion) fake_config_set(&m->companion->pci, 0xc0, 2, 0x003f);
}

/* The owner bit is read; it is clear from the patience-th time on. */
static uint32_t owner(struct machine *m, uint32_t v, uint32_t bit)
{
    if (!m->asked || m->patience == NEVER || !(v & bit)) return v;
    if (m->patience) {
        m->patience--;
        return v;
    }
    released(m);
    return v & ~bit;
}

static void config_read(struct fake_function *f, unsigned reg)
{
    struct machine *m = f->ctx;
    if (m->kind == USB_EHCI && reg == m->at)
        fake_config_set(f, reg, 4, owner(m, fake_config(f, reg), 1u << 16));
}

static void config_write(struct fake_function *f, unsigned reg, unsigned width, uint32_t value)
{
    struct machine *m = f->ctx;
    if (m->stuck) return;
    if (m->kind == USB_UHCI && reg == 0xc0) { /* bits 8-11 and 15: cleared by 1; 6, 12 and 14: read-only */
        const uint32_t now = fake_config(f, reg);
        value = (now & 0x5040) | (value & 0x20bf) | (now & 0x8f00 & ~value);
    }
    if (m->kind == USB_EHCI && reg == m->at + 3 && width == 1 && value & 1) {
        if (!(fake_config(f, m->at) >> 16 & 1)) m->complains = true;
        m->asked = true;
    }
    fake_config_set(f, reg, width, value);
}

static uint32_t register_read(void *ctx, uint32_t offset)
{
    struct machine *m = ctx;
    if (m->silent || (m->dead && offset == m->dead)) return UINT32_MAX;
    if (m->kind == USB_OHCI) {
        switch (offset) {
        case 0x00:
            return 0x100u | m->revision;
        case 0x04:
            return m->control = owner(m, m->control, 1u << 8);
        }
        return 0;
    }
    if (offset == 0) return 0x01000020;
    if (offset == 0x20) return m->command;
    if (offset == 0x28) return m->interrupts;
    if (m->kind == USB_EHCI) return offset == 8 ? 0x00000006 | (m->loops ? 0x50 : m->list) << 8 : 0;
    if (m->loops && offset >= 0x8000) return 0x00000102; /* one after the other, and never a last one */
    if (offset == 0x10) return m->list / 4 << 16;
    if (offset == m->at) return m->legacy = owner(m, m->legacy, 1u << 16);
    if (offset == m->at + 4) return m->smis;
    return offset == 0x8000 ? 0x03000402 : 0; /* a supported protocol: what comes first in every list */
}

static void register_write(void *ctx, uint32_t offset, uint32_t v)
{
    struct machine *m = ctx;
    if (m->kind == USB_OHCI) {
        if (offset == 0x04) m->control = v;
        if (offset == 0x10) m->enabled |= v;
        if (offset == 0x14) m->enabled &= ~v;
        /* Without the interrupt nobody tells the firmware. */
        if (offset == 0x08 && v & 1u << 3 && m->enabled >> 30 & 1) m->asked = true;
        return;
    }
    if (offset == 0x20) m->command = v;
    if (offset == 0x28) m->interrupts = v;
    if (m->kind == USB_XHCI && offset == m->at) {
        if (v & 1u << 24) {
            if (!(m->legacy >> 16 & 1)) m->complains = true;
            m->asked = true;
        }
        m->legacy = v;
    }
    if (m->kind == USB_XHCI && offset == m->at + 4) m->smis = (v & 0x1fffffff) | (m->smis & 0xe0000000 & ~v);
}

static uint32_t no_ports(void *ctx, uint16_t offset, unsigned width)
{
    const struct machine *m = ctx;
    (void)width;
    return offset < 8 ? m->ports[offset / 4] : 0xff;
}

static void port_write(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    struct machine *m = ctx;
    if (width == 2 && (offset == 0 || offset == 4)) m->ports[offset / 4] = (uint16_t)value;
}

static struct fake_device ports = {0xe000, 32, no_ports, port_write, NULL};

struct machine *add(enum usb_kind kind)
{
    static const uint8_t interface[] = {0x00, 0x10, 0x20, 0x30};
    struct machine *m = &machines[n_machines];
    *m = (struct machine){
        .kind = kind, .patience = 5, .command = 0x8048d, .interrupts = 0x37, .revision = 0x10};
    m->at = kind == USB_XHCI ? XLEGACY_AT : LEGACY_AT;
    m->list = kind == USB_XHCI ? 0x8000 : LEGACY_AT;
    m->pci = (struct fake_function){
        .at = {0, (uint8_t)(10 + n_machines), 0}, .read = config_read, .write = config_write, .ctx = m};
    m->registers =
        (struct fake_registers){0xf0000000u + (n_machines << 20), 0x40000, register_read, register_write, m};
    fake_config_set(&m->pci, 0x00, 4, 0x12348086);
    fake_config_set(&m->pci, 0x04, 4, 0x02900007);
    fake_config_set(&m->pci, 0x08, 4, 0x0c030000u | (uint32_t)interface[kind] << 8);
    if (kind == USB_UHCI) {
        fake_config_set(&m->pci, 0x20, 4, 0xe001);
        fake_config_set(&m->pci, 0xc0, 4, 0x0000af3f);
        m->ports[0] = 0xc1;
        m->ports[1] = 0x0f;
        ports.ctx = m;
        fake_port(&ports);
    } else {
        fake_config_set(&m->pci, 0x10, 4, (uint32_t)m->registers.base | (kind == USB_XHCI ? 4 : 0));
        fake_registers(&m->registers);
    }
    if (kind == USB_OHCI) m->control = 0x1 << 8 | 2 << 6 | 0x3c;
    if (kind == USB_EHCI) {
        fake_config_set(&m->pci, LEGACY_AT, 4, 0x00010001);
        fake_config_set(&m->pci, LEGACY_AT + 4, 4, 0xc0002001);
        fake_config_set(&m->pci, 0x50, 4, 0x00005007); /* where a loop leads to */
    }
    if (kind == USB_XHCI) {
        m->legacy = 0x00010401;
        m->smis = 0xa00e3ff1;
    }
    n_machines++;
    return m;
}

void start(void)
{
    fake_reset();
    fake_port(&port_61);
    n_machines = ticks = 0;
}

void go(bool keep)
{
    static struct fake_function *all[4];
    for (unsigned i = 0; i < n_machines; i++) all[i] = &machines[i].pci;
    fake_pci(all, n_machines);
    memset(&usb, 0xee, sizeof usb);
    usb_take_over(keep, &usb);
    assert_int_equal(usb.n, n_machines);
    assert_int_equal(usb.beyond, 0);
}

enum usb_state state_of(const struct machine *m)
{
    for (unsigned i = 0; i < usb.n; i++)
        if (memcmp(&usb.c[i].at, &m->pci.at, sizeof usb.c[i].at) == 0) {
            assert_int_equal(usb.c[i].kind, m->kind);
            return usb.c[i].state;
        }
    fail_msg("a controller is missing");
    return USB_FREE;
}

bool makes_smis(const struct machine *m)
{
    switch (m->kind) {
    case USB_UHCI:
        return (fake_config(&m->pci, 0xc0) & 0x00bf) != 0;
    case USB_OHCI:
        return (m->control >> 8 & 1) != 0;
    case USB_EHCI:
        return (fake_config(&m->pci, m->at + 4) & 0xe03f) != 0;
    default:
        return (m->smis & 0xe011) != 0;
    }
}

bool runs(const struct machine *m)
{
    switch (m->kind) {
    case USB_UHCI:
        return m->ports[0] & 1 || m->ports[1];
    case USB_OHCI:
        return (m->control >> 6 & 3) != 0 || m->enabled;
    case USB_EHCI:
        return m->command & 1 || m->interrupts;
    default:
        return (m->command & 0x40d) != 0;
    }
}
