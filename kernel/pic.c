#include "kernel/pic.h"
#include "kernel/hw.h"
#include "kernel/trap.h"

/* 8259A data sheet: ICW1-ICW4 in order, then OCW1, the mask. */
#define MASTER 0x20
#define SLAVE  0xa0
#define ICW1   0x11 /* edge-triggered, cascaded, ICW4 follows */
#define ICW4   0x01 /* 8086 mode */

void pic_mask_all(void)
{
    static const struct {
        uint16_t port;
        uint8_t value;
    } sequence[] = {
        {MASTER, ICW1},       {SLAVE, ICW1},     {MASTER + 1, VECTOR_PIC}, {SLAVE + 1, VECTOR_PIC + 8},
        {MASTER + 1, 1 << 2}, {SLAVE + 1, 2}, /* slave on IRQ 2 */
        {MASTER + 1, ICW4},   {SLAVE + 1, ICW4}, {MASTER + 1, 0xff},       {SLAVE + 1, 0xff},
    };
    for (unsigned i = 0; i < sizeof sequence / sizeof sequence[0]; i++) {
        hw_outb(sequence[i].port, sequence[i].value);
        /* A cycle on the ISA bus: the microsecond that old 8259s need between writes. Not the usual write to
         * port 80h, which locks up laptops of 2006 (Linux, io_delay.c: io_delay_0xed_port_dmi_table). */
        hw_inb(0x61);
    }
}

void pic_unmask(unsigned irqs)
{
    hw_outb(MASTER + 1, (uint8_t)~irqs);
    hw_outb(SLAVE + 1, (uint8_t)(~irqs >> 8));
}

/* 8254 data sheet: control word 34h, channel 0, low then high byte, mode 2: one interrupt every ticks. */
bool pit_interrupts(unsigned ticks)
{
    hw_outb(0x43, 0x34);
    hw_outb(0x40, ticks & 0xff);
    hw_outb(0x40, ticks >> 8);
    if (ticks)
        pic_unmask(1 << 0);
    else
        pic_mask_all(); /* begin with ICW1, which clears a latched edge */
    return true;
}

/* Control word 30h: channel 0, low then high byte, mode 0: its output rises once, at the end of the count. */
void pit_shot(unsigned ticks)
{
    hw_outb(0x43, 0x30);
    hw_outb(0x40, ticks & 0xff);
    hw_outb(0x40, ticks >> 8);
}

/* OCW3: the request register is read next. Then the poll command: the 8259A takes the read that follows it as
 * the CPU's acknowledgement, sets the bit in service, and answers with 80h + IRQ (data sheet, "Poll Command";
 * Linux' timer_interrupt() did so for its NMI watchdog while the timer's IRQ was an NMI). The request is
 * judged by the register and not by this answer, which has no bit 7 in KVM's 8259 and in Bochs's. Bochs's
 * does not acknowledge either: there the request falls with IRQ 0 itself, which the next pit_shot() pulls
 * down, and the INT pin with the next pic_unmask(). */
bool pic_poll_timer(void)
{
    hw_outb(MASTER, 0x0a);
    if (!(hw_inb(MASTER) & 1)) return false;
    hw_outb(MASTER, 0x0c);
    if (hw_inb(MASTER) & 0x80) pic_eoi();
    return true;
}

/* OCW2: non-specific EOI */
void pic_eoi(void) { hw_outb(MASTER, 0x20); }
void pic_eoi_slave(void)
{
    hw_outb(SLAVE, 0x20);
    pic_eoi();
}

/* OCW3: the in-service register is read next. */
void pic_acknowledge(unsigned irq)
{
    const uint16_t port = irq < 8 ? MASTER : SLAVE;
    hw_outb(port, 0x0b);
    const bool in_service = hw_inb(port) >> (irq & 7) & 1;
    if (in_service && irq >= 8)
        pic_eoi_slave();
    else if (in_service || irq >= 8) /* a spurious interrupt of the slave is in service at the master */
        pic_eoi();
}
