/* The two 8259 interrupt controllers: moved to vectors above the exceptions, and masked. */
#pragma once
#include <stdbool.h>

/* Inputs, as every PC has them wired since the AT (IBM, "Technical Reference: Personal Computer AT", system
 * interrupts). The second 8259 is on IRQ_CASCADE of the first. */
enum { IRQ_TIMER = 0, IRQ_CASCADE = 2, IRQ_RTC = 8, IRQ_SLAVE = 8 /* the second one's first */ };

void pic_mask_all(void);

/* Unmask only these of the 16 inputs, by bit: IRQ n interrupts as VECTOR_PIC + n. Those of the second 8259,
 * from 8 on, come through IRQ_CASCADE of the first one, whose bit must be set too. */
void pic_unmask(unsigned irqs);
void pic_eoi(void);       /* of an interrupt of the first 8259 */
void pic_eoi_slave(void); /* of the second, which needs one at both */

/* IRQ irq came: was it in service? Then it gets its EOI. A spurious interrupt, and INT n, is not (8259A data
 * sheet, "default IR7"); for one of the second 8259, IRQ 2 of the first one is. */
bool pic_acknowledge(unsigned irq);

/* Make channel 0 of the 8254 interrupt (VECTOR_PIC) every ticks of its clock, 2..65535, of 1/1193182 s each.
 * 0: stop it and mask everything again. Always returns true: only its interrupts show whether there is an
 * 8254. */
bool pit_interrupts(unsigned ticks);
#define PIT_HZ 1193182u

/* While it interrupts: another number of ticks, 2..65535. The 8254 takes it when the present period ends
 * (data sheet, mode 2), QEMU's and KVM's at once. General registers only. */
void pit_next(unsigned ticks);

/* Let channel 0 interrupt once, after ticks of its clock, 1..65535. What it was doing ends. The 8259's mask
 * stays as it is. */
void pit_shot(unsigned ticks);

/* For the handler of an NMI that may be IRQ 0, which the CPU has not acknowledged to the 8259: does it by the
 * 8259's poll command, with the EOI. Only IRQ 0 may be unmasked, and pit_shot() and pic_unmask() follow
 * before the next request. False: IRQ 0 is not requested, and the NMI has another source. */
bool pic_poll_timer(void);
