/* USB controllers taken over from the firmware: what it still has, does not let go of, never had, goes on
 * with. */
#include "tests/unit/fake_usb.h"
#include "tests/unit/unit.h"
#include <string.h>

TEST(test_taken)
{
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

TEST(test_stubborn)
{
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

TEST(test_kept)
{
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
TEST(test_unused)
{
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
TEST(test_smis_only)
{
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
TEST(test_companion)
{
    start();
    struct machine *u = add(USB_UHCI), *e = add(USB_EHCI);
    fake_config_set(&u->pci, 0xc0, 2, 0x2000);
    e->companion = u;
    go(false);
    assert_int_equal(state_of(e), USB_TAKEN);
    assert_int_equal(state_of(u), USB_TAKEN);
    assert_false(makes_smis(u) || makes_smis(e));
}

TEST(test_names)
{
    static const char *const names[] = {"UHCI", "OHCI", "EHCI", "xHCI"};
    for (enum usb_kind kind = 0; kind < USB_KINDS; kind++) assert_string_equal(usb_name(kind), names[kind]);
}

TEST(test_many)
{
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
