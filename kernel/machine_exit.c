#include "kernel/exit.h"
#include "kernel/hw.h"
#include "kernel/x86.h"

#define QEMU_DEBUG_EXIT 0xf4
#define STATUS_BASE     16     /* distinguishes our exit codes from QEMU's own */
#define BOCHS_SHUTDOWN  0x8900 /* takes the letters of "Shutdown" */
#define KBC_COMMAND     0x64   /* 8042: FEh pulses the reset line */
#define KBC_RESET       0xfe
#define RESET_CONTROL   0xcf9 /* PCI chip sets: 06h is a hard reset */

static void reboot(void)
{
    for (unsigned i = 0; i < 100000 && hw_inb(KBC_COMMAND) & 2; i++) {
    }
    hw_outb(KBC_COMMAND, KBC_RESET);
    for (unsigned i = 0; i < 100000; i++) hw_inb(0x80);
    hw_outb(RESET_CONTROL, 0x02);
    hw_outb(RESET_CONTROL, 0x06);
    for (unsigned i = 0; i < 100000; i++) hw_inb(0x80);
#ifndef HOST
    static const struct gdtr nothing; /* an exception without an IDT: triple fault, which resets */
    __asm__ volatile("lidt %0; int3" ::"m"(nothing));
#endif
}

void machine_exit(enum exit_how how, int status)
{
    switch (how) {
    case EXIT_QEMU:
        hw_outb(QEMU_DEBUG_EXIT, (uint8_t)(status + STATUS_BASE));
        break;
    case EXIT_BOCHS:
        for (const char *p = "Shutdown"; *p; p++) hw_outb(BOCHS_SHUTDOWN, (uint8_t)*p);
        break;
    case EXIT_REBOOT:
        reboot();
        break;
    default:
        break;
    }
    for (;;) __asm__ volatile("cli; hlt");
}
