#include "kernel/usb.h"
#include "kernel/hw.h"
#include "kernel/paging.h"
#include <stddef.h>

#define CLASS_USB 0x0c03

#define PCI_COMMAND    0x04
#define COMMAND_IO     (1u << 0)
#define COMMAND_MEMORY (1u << 1)
#define PCI_CLASS      0x08 /* the interface, which gives the kind, is in bits 15:8 */
#define PCI_BAR0       0x10
#define BAR_IO         (1u << 0)
#define BAR_64         (2u << 1)
#define BAR_TYPE       (3u << 1)
#define PCI_BAR4       0x20

/* The part of a controller's memory that is used; xHCI's capabilities lie within the first 256 KiB. */
#define REGISTERS 0x40000u

/* EHCI 1.0: 2.2.4 HCCPARAMS, 2.1.7 USBLEGSUP, 2.1.8 USBLEGCTLSTS. */
#define EHCI_HCCPARAMS  0x08
#define EHCI_EECP(v)    ((v) >> 8 & 0xfc)
#define EHCI_SMIS       0x0000e03fu /* enables */
#define EHCI_CMD        0x00
#define EHCI_INTR       0x08
/* xHCI 1.2: 5.3.6 HCCPARAMS1, 7.1.1 USBLEGSUP, 7.1.2 USBLEGCTLSTS. */
#define XHCI_HCCPARAMS1 0x10
#define XHCI_XECP(v)    ((v) >> 16)
#define XHCI_SMIS       0x0000e011u
#define XHCI_EVENTS     0xe0000000u /* cleared by writing 1 */
#define XHCI_RESERVED   0x000e1feeu /* to be preserved */
#define XHCI_CMD        0x00
/* Of both. The list's links: EHCI's in configuration space, in bytes; xHCI's in memory, relative, in dwords.
 */
#define CAP_LENGTH      0x00
#define CAP_LEGACY      1
#define CAP_NEXT(v)     ((v) >> 8 & 0xff)
#define CAPS_MAX        64
#define LEGCTLSTS       4
#define BIOS_OWNS       (1u << 16)
#define OS_OWNS         (1u << 24)
#define CMD_RUN         (1u << 0)
#define CMD_XHCI_IRQ    (1u << 2 | 1u << 3 | 1u << 10)
/* OHCI 1.0a, 7.1 and 5.1.1.3. */
#define OHCI_REVISION   0x00
#define OHCI_CONTROL    0x04
#define OHCI_STATUS     0x08
#define OHCI_ENABLE     0x10
#define OHCI_DISABLE    0x14
#define OHCI_ROUTING    (1u << 8) /* interrupts go to SMM: the firmware owns it */
#define OHCI_WAKEUP     (1u << 9)
#define OHCI_CHANGE     (1u << 3)  /* OwnershipChangeRequest */
#define OHCI_CHANGE_INT (1u << 30) /* which informs SMM */
/* UHCI 1.1, 5.2.1, with the bits that Intel's PIIX3 has there. */
#define UHCI_LEGSUP     0xc0
#define UHCI_SMIS       0x00bfu /* traps of ports 60h and 64h, and of the controller's interrupts */
#define UHCI_CLEAR      0x8f00u /* no enable; status bits are cleared by writing 1 */
#define UHCI_CMD        0x00
#define UHCI_INTR       0x04

struct host {
    struct pci_function at;
    uint64_t base; /* registers in memory, or, for UHCI, I/O ports; UHCI with 0 has none */
    bool keep;
};

/* ---- private ---- */

/* One to three milliseconds: a read of port 61h takes half a microsecond on new PCs and more than one on old.
 */
static void pause(void)
{
    for (unsigned i = 0; i < 2000; i++) hw_inb(0x61);
}
#define PATIENCE 1000u /* pauses: memtest86+ waits a second, and so does Linux for EHCI */

static uint32_t reg(const struct host *h, uint32_t offset) { return hw_mmio_read(h->base + offset); }
static void set_reg(const struct host *h, uint32_t offset, uint32_t v) { hw_mmio_write(h->base + offset, v); }

/* Only controllers that the firmware uses are changed; the others are left as they were found. */
static enum usb_state uhci(const struct host *h)
{
    const uint32_t found = pci_read32(&h->at, UHCI_LEGSUP);
    if (!(found & UHCI_SMIS) || found == UINT32_MAX) return USB_FREE;
    if (h->keep) return USB_KEPT;
    pci_write16(&h->at, UHCI_LEGSUP, UHCI_CLEAR);
    if (h->base) {
        hw_outw((uint16_t)(h->base + UHCI_INTR), 0);
        hw_outw((uint16_t)(h->base + UHCI_CMD), 0);
    }
    return pci_read32(&h->at, UHCI_LEGSUP) & UHCI_SMIS ? USB_STUBBORN : USB_TAKEN;
}

static enum usb_state ohci(const struct host *h)
{
    const uint32_t revision = reg(h, OHCI_REVISION) & 0xff;
    if (revision != 0x10 && revision != 0x11) return USB_SILENT;
    if (!(reg(h, OHCI_CONTROL) & OHCI_ROUTING)) return USB_FREE;
    if (h->keep) return USB_KEPT;
    set_reg(h, OHCI_ENABLE, OHCI_CHANGE_INT);
    set_reg(h, OHCI_STATUS, OHCI_CHANGE);
    unsigned waits = 0;
    while (reg(h, OHCI_CONTROL) & OHCI_ROUTING && waits++ < PATIENCE) pause();
    const bool let_go = !(reg(h, OHCI_CONTROL) & OHCI_ROUTING);
    set_reg(h, OHCI_DISABLE, UINT32_MAX);
    /* The reset state: nothing runs, nothing is routed. */
    set_reg(h, OHCI_CONTROL, reg(h, OHCI_CONTROL) & OHCI_WAKEUP);
    return let_go ? USB_TAKEN : USB_STUBBORN;
}

static enum usb_state ehci(const struct host *h)
{
    const uint32_t first = reg(h, CAP_LENGTH), parameters = reg(h, EHCI_HCCPARAMS);
    if (first == UINT32_MAX || parameters == UINT32_MAX) return USB_SILENT;
    unsigned cap = EHCI_EECP(parameters), left = CAPS_MAX;
    uint32_t owner = 0;
    for (; cap >= 0x40 && left; left--) {
        owner = pci_read32(&h->at, cap);
        if ((owner & 0xff) == CAP_LEGACY) break;
        cap = CAP_NEXT(owner) & 0xfc;
    }
    if (!left) return USB_ENDLESS;
    if (cap < 0x40) return USB_FREE; /* none: no handover */
    if (!(owner & BIOS_OWNS) && !(pci_read32(&h->at, cap + LEGCTLSTS) & EHCI_SMIS)) return USB_FREE;
    if (h->keep) return USB_KEPT;
    unsigned waits = 0;
    /* Some firmware fails if the system's semaphore is set for another reason (Linux). */
    if (owner & BIOS_OWNS) pci_write8(&h->at, cap + 3, 1);
    while (pci_read32(&h->at, cap) & BIOS_OWNS && waits++ < PATIENCE) pause();
    const bool let_go = !(pci_read32(&h->at, cap) & BIOS_OWNS);
    if (!let_go) pci_write8(&h->at, cap + 2, 0);
    pci_write32(&h->at, cap + LEGCTLSTS, 0);
    const uint32_t operational = first & 0xff;
    set_reg(h, operational + EHCI_CMD, reg(h, operational + EHCI_CMD) & ~CMD_RUN);
    set_reg(h, operational + EHCI_INTR, 0);
    return let_go ? USB_TAKEN : USB_STUBBORN;
}

static enum usb_state xhci(const struct host *h)
{
    const uint32_t first = reg(h, CAP_LENGTH), parameters = reg(h, XHCI_HCCPARAMS1);
    if (first == UINT32_MAX || parameters == UINT32_MAX) return USB_SILENT;
    uint32_t cap = XHCI_XECP(parameters) * 4, owner = 0;
    unsigned left = CAPS_MAX;
    for (; cap && cap <= REGISTERS - 8 && left; left--) {
        owner = reg(h, cap);
        if (owner == UINT32_MAX) return USB_SILENT;
        if ((owner & 0xff) == CAP_LEGACY) break;
        cap = CAP_NEXT(owner) ? cap + CAP_NEXT(owner) * 4 : 0;
    }
    if (!left || cap > REGISTERS - 8) return USB_ENDLESS;
    if (!cap) return USB_FREE;
    if (!(owner & BIOS_OWNS) && !(reg(h, cap + LEGCTLSTS) & XHCI_SMIS)) return USB_FREE;
    if (h->keep) return USB_KEPT;
    unsigned waits = 0;
    if (owner & BIOS_OWNS) set_reg(h, cap, owner | OS_OWNS);
    while (reg(h, cap) & BIOS_OWNS && waits++ < PATIENCE) pause();
    const bool let_go = !(reg(h, cap) & BIOS_OWNS);
    if (!let_go) set_reg(h, cap, (owner | OS_OWNS) & ~BIOS_OWNS);
    set_reg(h, cap + LEGCTLSTS, (reg(h, cap + LEGCTLSTS) & XHCI_RESERVED) | XHCI_EVENTS);
    const uint32_t operational = first & 0xff;
    set_reg(h, operational + XHCI_CMD, reg(h, operational + XHCI_CMD) & ~(CMD_RUN | CMD_XHCI_IRQ));
    return let_go ? USB_TAKEN : USB_STUBBORN;
}

static const struct {
    const char *name;
    uint8_t interface; /* of class 0C03h */
    enum usb_state (*take)(const struct host *h);
} kinds[USB_KINDS] = {
    [USB_UHCI] = {"UHCI", 0x00, uhci},
    [USB_OHCI] = {"OHCI", 0x10, ohci},
    [USB_EHCI] = {"EHCI", 0x20, ehci},
    [USB_XHCI] = {"xHCI", 0x30, xhci},
};

static enum usb_state take(enum usb_kind kind, struct host *h)
{
    const uint32_t command = pci_read32(&h->at, PCI_COMMAND);
    if (kind == USB_UHCI) {
        const uint32_t bar = pci_read32(&h->at, PCI_BAR4);
        h->base = command & COMMAND_IO && bar & BAR_IO ? bar & 0xffe0 : 0;
        return uhci(h);
    }
    const uint32_t bar = pci_read32(&h->at, PCI_BAR0);
    h->base = bar & ~0xfu;
    if ((bar & BAR_TYPE) == BAR_64) h->base |= (uint64_t)pci_read32(&h->at, PCI_BAR0 + 4) << 32;
    if (!(command & COMMAND_MEMORY) || bar & BAR_IO || h->base == 0) return USB_FREE; /* nobody uses it */
    return paging_map_device(h->base, REGISTERS) ? kinds[kind].take(h) : USB_UNREACHABLE;
}

/* ---- public ---- */

const char *usb_name(enum usb_kind kind) { return kinds[kind].name; }

const char *usb_outcome(enum usb_state state)
{
    static const char *const text[] = {
        [USB_FREE] = NULL,
        [USB_TAKEN] = "was taken over from the firmware: it causes no more SMIs",
        [USB_STUBBORN] =
            "does not let go: the firmware did not hand it over. Its SMIs were switched off, but may still "
            "occur",
        [USB_KEPT] = "stays with the firmware: SMIs may occur",
        [USB_UNREACHABLE] =
            "is at an address that this kernel cannot reach and was left alone: SMIs may occur",
        [USB_SILENT] = "does not answer and was left alone: SMIs may occur",
        [USB_ENDLESS] = "has an endless list of capabilities and was left alone: SMIs may occur",
    };
    return text[state];
}

/* Fast controllers first: firmware that gives one up may continue with its slow companions. */
void usb_take_over(bool keep, struct usb *out)
{
    static struct pci_function found[USB_MAX];
    const unsigned n = pci_find(CLASS_USB, found, USB_MAX);
    *out = (struct usb){.beyond = n > USB_MAX ? n - USB_MAX : 0};
    for (unsigned kind = USB_KINDS; kind--;)
        for (unsigned i = 0; i < n && i < USB_MAX; i++) {
            struct host h = {.at = found[i], .keep = keep};
            if ((pci_read32(&h.at, PCI_CLASS) >> 8 & 0xff) != kinds[kind].interface) continue;
            out->c[out->n++] = (struct usb_controller){h.at, kind, take(kind, &h)};
        }
}
