/* USB controllers that the firmware has: each kind as its manual has it, with firmware that lets go after a
 * while or never, that goes on with a companion, and controllers that do not answer or whose lists do not
 * end. */
#include "kernel/paging.h"
#include "kernel/usb.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/fake_pci.h"
#include "tests/unit/unit.h"
#include <string.h>

#define NEVER      0xffffffffu
#define LEGACY_AT  0x68   /* EHCI's capability, in configuration space */
#define XLEGACY_AT 0x8010 /* xHCI's, in memory */

/* One controller with the firmware's side of it. */
struct machine {
    struct fake_function pci;
    struct fake_registers registers;
    enum usb_kind kind;
    unsigned patience;     /* how often its owner bit is read until the firmware lets go, once it was asked */
    bool asked, complains; /* complains: asked although it had nothing */
    bool loops, silent, stuck;
    uint8_t revision;      /* OHCI's */
    uint32_t at, list;     /* the legacy capability, and the first one of the list */
    uint32_t dead;         /* this register reads all ones; 0: none */
    uint32_t legacy, smis; /* xHCI's USBLEGSUP and USBLEGCTLSTS */
    uint32_t command, interrupts, control, enabled;
    uint16_t ports[2]; /* UHCI's command and interrupt enable */
    struct machine *companion;
};

static struct machine machines[4];
static unsigned n_machines;

static uint64_t mapped;

bool paging_map_device(uint64_t addr, uint64_t len)
{
    mapped = addr;
    return addr + len <= 1ull << 32;
}

/* Port 61h, whose reads take time: so many there were. */
static unsigned ticks;

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

/* A controller that the firmware has, at 00:(10 + index).0; registers at 0xf0000000 + index MiB. */
static struct machine *add(enum usb_kind kind)
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

static void start(void)
{
    fake_reset();
    fake_port(&port_61);
    n_machines = ticks = 0;
}

static struct usb usb;

static void go(bool keep)
{
    static struct fake_function *all[4];
    for (unsigned i = 0; i < n_machines; i++) all[i] = &machines[i].pci;
    fake_pci(all, n_machines);
    memset(&usb, 0xee, sizeof usb);
    usb_take_over(keep, &usb);
    assert_int_equal(usb.n, n_machines);
    assert_int_equal(usb.beyond, 0);
}

static enum usb_state state_of(const struct machine *m)
{
    for (unsigned i = 0; i < usb.n; i++)
        if (memcmp(&usb.c[i].at, &m->pci.at, sizeof usb.c[i].at) == 0) {
            assert_int_equal(usb.c[i].kind, m->kind);
            return usb.c[i].state;
        }
    fail_msg("a controller is missing");
    return USB_FREE;
}

/* What may still raise an SMI. */
static bool makes_smis(const struct machine *m)
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

static bool runs(const struct machine *m)
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

static void test_taken(void **state)
{
    (void)state;
    for (enum usb_kind kind = 0; kind < USB_KINDS; kind++) {
        start();
        struct machine *m = add(kind);
        assert_true(makes_smis(m) && runs(m));
        go(false);
        assert_int_equal(state_of(m), USB_TAKEN);
        assert_false(makes_smis(m) || runs(m));
        assert_false(m->complains);
        assert_true(ticks <= 6 * 2000);                              /* no longer than the firmware takes */
        if (kind == USB_EHCI) assert_int_equal(m->command, 0x8048c); /* nothing else is changed */
        if (kind == USB_XHCI) assert_int_equal(m->command, 0x80080);
        assert_non_null(strstr(usb_outcome(USB_TAKEN), "taken over"));
    }
    start();
    struct machine *m = add(USB_XHCI);
    go(false);
    assert_int_equal(m->smis, 0x000e1fe0); /* status bits cleared, reserved ones preserved */
    start();
    m = add(USB_UHCI);
    go(false);
    assert_int_equal(fake_config(&m->pci, 0xc0), 0);
}

static void test_stubborn(void **state)
{
    (void)state;
    for (enum usb_kind kind = USB_OHCI; kind < USB_KINDS; kind++) {
        start();
        struct machine *m = add(kind);
        m->patience = NEVER;
        go(false);
        assert_int_equal(state_of(m), USB_STUBBORN);
        assert_false(makes_smis(m) || runs(m));
        if (kind == USB_EHCI) assert_int_equal(fake_config(&m->pci, LEGACY_AT) >> 16 & 1, 0); /* by force */
        if (kind == USB_XHCI) assert_int_equal(m->legacy >> 16, 0x0100);
        assert_int_equal(ticks, 2000 * 1000); /* seconds, and no more */
        assert_non_null(strstr(usb_outcome(USB_STUBBORN), "does not let go"));
    }
    start(); /* the slowest that is waited for */
    struct machine *m = add(USB_EHCI);
    m->patience = 990;
    go(false);
    assert_int_equal(state_of(m), USB_TAKEN);
    start(); /* UHCI has no owner to ask: the enables stay */
    m = add(USB_UHCI);
    m->stuck = true;
    go(false);
    assert_int_equal(state_of(m), USB_STUBBORN);
}

static void test_kept(void **state)
{
    (void)state;
    for (enum usb_kind kind = 0; kind < USB_KINDS; kind++) {
        start();
        struct machine *m = add(kind);
        const struct machine before = *m;
        go(true);
        assert_int_equal(state_of(m), USB_KEPT);
        assert_memory_equal(m->pci.config, before.pci.config, sizeof before.pci.config);
        assert_true(makes_smis(m) && runs(m) && !m->asked);
        assert_true(m->legacy == before.legacy && m->smis == before.smis && m->command == before.command &&
                    m->control == before.control && m->enabled == before.enabled);
    }
}

/* What the firmware does not use stays as it was found, and nobody is asked for it. */
static void test_unused(void **state)
{
    (void)state;
    start();
    struct machine *u = add(USB_UHCI), *o = add(USB_OHCI), *e = add(USB_EHCI), *x = add(USB_XHCI);
    fake_config_set(&u->pci, 0xc0, 2, 0x2000); /* as it is after reset */
    o->control = 2 << 6;
    fake_config_set(&e->pci, LEGACY_AT, 4, 0x01000001);
    fake_config_set(&e->pci, LEGACY_AT + 4, 4, 0);
    x->legacy = 0x01000401;
    x->smis = 0;
    go(false);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(state_of(&machines[i]), USB_FREE);
        assert_true(runs(&machines[i]));
        assert_false(machines[i].complains);
    }
    assert_int_equal(fake_config(&u->pci, 0xc0), 0x2000);
    assert_null(usb_outcome(USB_FREE));
}

/* SMIs are on though the semaphore is the system's: off they go, without a request. */
static void test_smis_only(void **state)
{
    (void)state;
    start();
    struct machine *e = add(USB_EHCI), *x = add(USB_XHCI);
    fake_config_set(&e->pci, LEGACY_AT, 4, 0x00000001);
    x->legacy = 0x00000401;
    go(false);
    assert_int_equal(state_of(e), USB_TAKEN);
    assert_int_equal(state_of(x), USB_TAKEN);
    assert_false(makes_smis(e) || makes_smis(x) || e->complains || x->complains);
}

/* The firmware goes on with a companion of what it has given up. */
static void test_companion(void **state)
{
    (void)state;
    start();
    struct machine *u = add(USB_UHCI), *e = add(USB_EHCI);
    fake_config_set(&u->pci, 0xc0, 2, 0x2000);
    e->companion = u;
    go(false);
    assert_int_equal(state_of(e), USB_TAKEN);
    assert_int_equal(state_of(u), USB_TAKEN);
    assert_false(makes_smis(u) || makes_smis(e));
}

static void test_odd(void **state)
{
    (void)state;
    for (enum usb_kind kind = USB_OHCI; kind < USB_KINDS; kind++) {
        start();
        struct machine *m = add(kind);
        m->silent = true;
        go(false);
        assert_int_equal(state_of(m), USB_SILENT);

        start();
        m = add(kind); /* its memory is switched off */
        fake_config_set(&m->pci, 0x04, 4, 0x02900000);
        go(false);
        assert_int_equal(state_of(m), USB_FREE);
        assert_true(runs(m));

        start();
        m = add(kind); /* no address */
        fake_config_set(&m->pci, 0x10, 4, 0);
        go(false);
        assert_int_equal(state_of(m), USB_FREE);
    }
    for (enum usb_kind kind = USB_EHCI; kind < USB_KINDS; kind++) {
        start();
        struct machine *m = add(kind);
        m->loops = true;
        go(false);
        assert_int_equal(state_of(m), USB_ENDLESS);
        assert_true(runs(m) && !m->asked);
        assert_true(fake_accesses() < 60000);
    }
    start(); /* above 4 GiB */
    struct machine *m = add(USB_XHCI);
    fake_config_set(&m->pci, 0x14, 4, 0x40);
    go(false);
    assert_int_equal(state_of(m), USB_UNREACHABLE);
    assert_false(m->asked);
}

static enum usb_state taken(struct machine *m)
{
    go(false);
    return state_of(m);
}

static struct machine *alone(enum usb_kind kind)
{
    start();
    return add(kind);
}

/* Where a list may lie: in all of the configuration space behind its header, and in all of the registers. */
static void test_lists(void **state)
{
    static const struct {
        enum usb_kind kind;
        uint32_t list, at;
        enum usb_state want;
    } lists[] = {
        {USB_EHCI, 0x40, 0x40, USB_TAKEN},       {USB_EHCI, 0xf8, 0xf8, USB_TAKEN},
        {USB_EHCI, 0x3c, 0x3c, USB_FREE},        {USB_EHCI, 0, 0x40, USB_FREE},
        {USB_EHCI, 0x6b, 0x68, USB_TAKEN}, /* the two low bits are reserved */
        {USB_XHCI, 0, 0x8010, USB_FREE},         {USB_XHCI, 0x8010, 0x8010, USB_TAKEN},
        {USB_XHCI, 0x3fff8, 0x3fff8, USB_TAKEN}, {USB_XHCI, 0x3fffc, 0x3fffc, USB_ENDLESS},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct machine *m = alone(lists[i].kind);
        m->list = lists[i].list;
        m->at = lists[i].at;
        if (m->kind == USB_EHCI) {
            fake_config_set(&m->pci, LEGACY_AT, 4, 0);
            fake_config_set(&m->pci, m->at, 4, 0x00010001);
            if (m->at >= 0x40) fake_config_set(&m->pci, m->at + 4, 4, 0x2001);
        }
        if (taken(m) != lists[i].want) fail_msg("list %u: %u", i, state_of(m));
        assert_int_equal(m->asked, lists[i].want == USB_TAKEN);
    }
    struct machine *m = alone(USB_EHCI); /* something else comes first */
    m->list = 0x50;
    fake_config_set(&m->pci, 0x50, 4, 0x00006b07);
    assert_int_equal(taken(m), USB_TAKEN);
    assert_false(makes_smis(m) || m->complains);
    m = alone(USB_EHCI); /* and nothing behind it */
    m->list = 0x50;
    fake_config_set(&m->pci, 0x50, 4, 0x00003c07);
    assert_int_equal(taken(m), USB_FREE);
}

/* What reads all ones is not there. */
static void test_half_dead(void **state)
{
    static const struct {
        enum usb_kind kind;
        uint32_t dead;
    } holes[] = {{USB_EHCI, 0x08}, {USB_XHCI, 0x10}, {USB_XHCI, 0x8000}};
    (void)state;
    for (unsigned i = 0; i < sizeof holes / sizeof *holes; i++) {
        struct machine *m = alone(holes[i].kind);
        m->dead = holes[i].dead;
        assert_int_equal(taken(m), USB_SILENT);
        assert_true(runs(m) && !m->asked);
    }
    struct machine *m = alone(USB_UHCI);
    fake_config_set(&m->pci, 0xc0, 4, UINT32_MAX);
    assert_int_equal(taken(m), USB_FREE);
    assert_int_equal(fake_config(&m->pci, 0xc0), UINT32_MAX);
}

/* Revisions 1.0 and 1.1 are known. Remote wake-up is the board's. */
static void test_ohci(void **state)
{
    (void)state;
    for (unsigned revision = 0x0f; revision <= 0x13; revision++) {
        struct machine *m = alone(USB_OHCI);
        m->revision = (uint8_t)revision;
        m->control |= 1u << 9;
        const bool known = revision == 0x10 || revision == 0x11;
        assert_int_equal(taken(m), known ? USB_TAKEN : USB_SILENT);
        if (known) assert_int_equal(m->control, 1u << 9);
    }
}

/* Base addresses: the bits that tell their kind, and halves that are not theirs. */
static void test_bases(void **state)
{
    (void)state;
    struct machine *m = alone(USB_EHCI);
    fake_config_set(&m->pci, 0x14, 4, 0x40); /* of another base address, since this one has 32 bits */
    assert_int_equal(taken(m), USB_TAKEN);
    assert_int_equal(mapped, m->registers.base);
    m = alone(USB_EHCI); /* prefetchable */
    fake_config_set(&m->pci, 0x10, 4, (uint32_t)m->registers.base | 8);
    assert_int_equal(taken(m), USB_TAKEN);
    assert_int_equal(mapped, m->registers.base);
    m = alone(USB_XHCI);
    fake_config_set(&m->pci, 0x14, 4, 0x41);
    assert_int_equal(taken(m), USB_UNREACHABLE);
    assert_true(mapped == (0x41ull << 32 | m->registers.base));
    m = alone(USB_OHCI); /* ports, where its kind has memory */
    fake_config_set(&m->pci, 0x10, 4, 0xf0000001);
    assert_int_equal(taken(m), USB_FREE);
    for (unsigned i = 0; i < 3; i++) { /* UHCI: ports that are switched off, that are not ports, that are */
        m = alone(USB_UHCI);
        fake_config_set(&m->pci, 0x04, 4, i == 0 ? 0x02900006 : 0x02900007);
        fake_config_set(&m->pci, 0x20, 4, i == 1 ? 0xe000 : 0xe001);
        assert_int_equal(taken(m), USB_TAKEN);
        assert_int_equal(runs(m), i != 2);
        assert_false(makes_smis(m));
    }
}

static void test_names(void **state)
{
    static const char *const names[] = {"UHCI", "OHCI", "EHCI", "xHCI"};
    (void)state;
    for (enum usb_kind kind = 0; kind < USB_KINDS; kind++) assert_string_equal(usb_name(kind), names[kind]);
}

static void test_many(void **state)
{
    (void)state;
    static struct fake_function f[40], *all[40];
    start();
    for (unsigned i = 0; i < 40; i++) {
        f[i] = (struct fake_function){.at = {(uint8_t)(i / 20), (uint8_t)(i % 20), 0}};
        fake_config_set(&f[i], 0x00, 4, 0x12348086);
        fake_config_set(&f[i], 0x08, 4, 0x0c030000);
        fake_config_set(&f[i], 0xc0, 4, 0x003f);
        all[i] = &f[i];
    }
    fake_config_set(&f[3], 0x08, 4, 0x0c038000); /* a kind that nobody knows is left alone */
    fake_pci(all, 40);
    usb_take_over(false, &usb);
    assert_int_equal(usb.n, USB_MAX - 1);
    assert_int_equal(usb.beyond, 40 - USB_MAX);
    assert_int_equal(fake_config(&f[3], 0xc0), 0x3f);
    for (unsigned i = 0; i < usb.n; i++) assert_int_equal(usb.c[i].state, USB_TAKEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken),  cmocka_unit_test(test_stubborn),  cmocka_unit_test(test_kept),
        cmocka_unit_test(test_unused), cmocka_unit_test(test_smis_only), cmocka_unit_test(test_companion),
        cmocka_unit_test(test_odd),    cmocka_unit_test(test_lists),     cmocka_unit_test(test_half_dead),
        cmocka_unit_test(test_ohci),   cmocka_unit_test(test_bases),     cmocka_unit_test(test_names),
        cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
