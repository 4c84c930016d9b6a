/* USB controllers that the firmware has, on fake_pci.h's bus: each kind as its manual has it, with firmware
 * that lets go after a while or never, that goes on with a companion, and controllers that do not answer or
 * whose lists do not end. */
#pragma once
#include "kernel/usb.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/fake_pci.h"

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

extern struct machine machines[4]; /* in the order of add() */
extern unsigned ticks;             /* reads of port 61h, which take time */
extern uint64_t mapped;            /* what the last paging_map_device() was called with */
extern struct usb usb;             /* of the last go() */

/* A machine without any. */
void start(void);

/* A controller that the firmware has, at 00:(10 + index).0; registers at 0xf0000000 + index MiB. */
struct machine *add(enum usb_kind kind);

/* usb_take_over(keep), which has to find them all. */
void go(bool keep);

/* What became of it: it has to be among them, and of its kind. */
enum usb_state state_of(const struct machine *m);

/* What may still raise an SMI, and what still works. */
bool makes_smis(const struct machine *m);
bool runs(const struct machine *m);
