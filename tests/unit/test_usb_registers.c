/* Where USB controllers have their registers and capability lists: base addresses of every kind, revisions,
 * lists without an end, and controllers of which nothing or not all is there. */
#include "tests/unit/fake_usb.h"
#include "tests/unit/unit.h"

TEST(test_odd)
{
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
TEST(test_lists)
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
TEST(test_half_dead)
{
    static const struct {
        enum usb_kind kind;
        uint32_t dead;
    } holes[] = {{USB_EHCI, 0x08}, {USB_XHCI, 0x10}, {USB_XHCI, 0x8000}};
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
TEST(test_ohci)
{
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
TEST(test_bases)
{
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
