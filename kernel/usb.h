/* USB host controllers that the firmware drives (keyboards, sticks) by SMIs, which would disturb every
 * measurement: taken over from it, as memtest86+ (system/ehci.c, ohci.c, uhci.c, xhci.c) and Linux
 * (drivers/usb/host/pci-quirks.c) do. What is taken is halted; no USB device works after that. */
#pragma once
#include "kernel/pci.h"

enum usb_kind { USB_UHCI, USB_OHCI, USB_EHCI, USB_XHCI, USB_KINDS };

enum usb_state {
    USB_FREE,        /* not used by the firmware, and left alone */
    USB_TAKEN,       /* from the firmware */
    USB_STUBBORN,    /* not handed over within one to three seconds; its SMIs were switched off by force */
    USB_KEPT,        /* the firmware's, and left to it */
    USB_UNREACHABLE, /* registers lie where this kernel cannot map them */
    USB_SILENT,      /* registers read all ones, or are of another revision */
    USB_ENDLESS,     /* its list of capabilities has no end */
};

#define USB_MAX 32
struct usb {
    unsigned n, beyond; /* in c; found, but beyond USB_MAX and left alone */
    struct usb_controller {
        struct pci_function at;
        enum usb_kind kind;
        enum usb_state state;
    } c[USB_MAX];
};

/* Take all controllers that the firmware uses; keep: only look at them. Bounded: three seconds at most for
 * each that is not handed over. Needs pci_probe(). */
void usb_take_over(bool keep, struct usb *out);

const char *usb_name(enum usb_kind kind); /* "EHCI" */
/* The outcome: the end of a sentence that begins with the controller; NULL where there is nothing to report.
 */
const char *usb_outcome(enum usb_state state);
