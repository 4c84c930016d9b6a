#include "kernel/pic.h"
#include "kernel/hw.h"
#include "kernel/trap.h"

/* 8259A data sheet (Intel 231468): ICW1-ICW4 in order, then OCW1, the mask. ICW1, OCW2 and OCW3 go to the
 * first port, the others to the second. */
#define MASTER    0x20
#define SLAVE     0xa0
#define ICW1      0x11 /* edge-triggered, cascaded, ICW4 follows */
#define ICW4      0x01 /* 8086 mode */
#define ALL       0xff /* of OCW1: everything is masked */
#define OCW2_EOI  0x20 /* non-specific EOI */
#define OCW3_IRR  0x0a /* the interrupt request register is read next, */
#define OCW3_ISR  0x0b /* the in-service register, */
#define OCW3_POLL 0x0c /* an acknowledgement, by the next read */
#define POLLED    0x80 /* in what that reads: there was a request */

/* 8254 data sheet (Intel 231164): control words of channel 0, low then high byte, */
#define PIT_COUNT   0x40
#define PIT_CONTROL 0x43
#define PIT_RATE    0x34 /* mode 2: one interrupt every count */
#define PIT_ONCE    0x30 /* mode 0: its output rises once, at the end of the count */

void pic_mask_all(void)
{
    static const struct {
        uint16_t port;
        uint8_t value;
    } sequence[] = {
        {MASTER, ICW1},
        {SLAVE, ICW1},
        {MASTER + 1, VECTOR_PIC},
        {SLAVE + 1, VECTOR_PIC + IRQ_SLAVE},
        {MASTER + 1, 1 << IRQ_CASCADE},
        {SLAVE + 1, IRQ_CASCADE},
        {MASTER + 1, ICW4},
        {SLAVE + 1, ICW4},
        {MASTER + 1, ALL},
        {SLAVE + 1, ALL},
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

void pit_next(unsigned ticks)
{
    hw_outb(PIT_COUNT, ticks & 0xff);
    hw_outb(PIT_COUNT, ticks >> 8);
}

static void pit_count(uint8_t control, unsigned ticks)
{
    hw_outb(PIT_CONTROL, control);
    pit_next(ticks);
}

bool pit_interrupts(unsigned ticks)
{
    pit_count(PIT_RATE, ticks);
    if (ticks)
        pic_unmask(1 << IRQ_TIMER);
    else
        pic_mask_all(); /* begin with ICW1, which clears a latched edge */
    return true;
}

void pit_shot(unsigned ticks) { pit_count(PIT_ONCE, ticks); }

/* After the poll command the 8259A takes the next read as the CPU's acknowledgement, sets the bit in service,
 * and answers with 80h + IRQ (data sheet, "Poll Command"; Linux' timer_interrupt() did so for its NMI
 * watchdog while the timer's IRQ was an NMI). The request is judged by the register and not by this answer,
 * which has no bit 7 in KVM's 8259 and in Bochs's. Bochs's does not acknowledge either: there the request
 * falls with IRQ 0 itself, which the next pit_shot() pulls down, and the INT pin with the next pic_unmask().
 */
bool pic_poll_timer(void)
{
    hw_outb(MASTER, OCW3_IRR);
    if (!(hw_inb(MASTER) & 1 << IRQ_TIMER)) return false;
    hw_outb(MASTER, OCW3_POLL);
    if (hw_inb(MASTER) & POLLED) pic_eoi();
    return true;
}

void pic_eoi(void) { hw_outb(MASTER, OCW2_EOI); }
void pic_eoi_slave(void)
{
    hw_outb(SLAVE, OCW2_EOI);
    pic_eoi();
}

bool pic_acknowledge(unsigned irq)
{
    const uint16_t port = irq < IRQ_SLAVE ? MASTER : SLAVE;
    hw_outb(port, OCW3_ISR);
    const bool in_service = hw_inb(port) >> (irq & 7) & 1;
    if (in_service && irq >= IRQ_SLAVE)
        pic_eoi_slave();
    else if (in_service ||
             irq >= IRQ_SLAVE) /* a spurious interrupt of the slave is in service at the master */
        pic_eoi();
    return in_service;
}
