/* The two 8259 interrupt controllers: moved out of the exceptions' way and masked. */
#pragma once
#include <stdbool.h>

void pic_mask_all(void);

/* Nothing but these of the 16 inputs, by bit: IRQ n interrupts as VECTOR_PIC + n. Those of the second one,
 * from 8 on, come through the first one's IRQ 2, which is to be among them. */
void pic_unmask(unsigned irqs);
void pic_eoi(void);       /* of an interrupt of the first 8259 */
void pic_eoi_slave(void); /* of the second, and so of both */

/* IRQ irq came and nobody had asked for it: the EOI, where it is in service. A spurious one is not (8259A
 * data sheet, "default IR7"); of the second 8259 the first one's input is. */
void pic_acknowledge(unsigned irq);

/* Channel 0 of the 8254 interrupts (VECTOR_PIC) every ticks of its clock, 2..65535, of 1/1193182 s each. 0:
 * it does not, and all is masked again. Always true: whether there is one shows by what comes. */
bool pit_interrupts(unsigned ticks);
#define PIT_HZ 1193182u
