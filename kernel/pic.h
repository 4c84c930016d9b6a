/* The two 8259 interrupt controllers: moved out of the exceptions' way and masked. */
#pragma once
void pic_mask_all(void);

/* Channel 0 of the 8254 interrupts (VECTOR_PIC) every ticks of its clock, 2..65535, of 1/1193182 s each. 0:
 * it does not, and all is masked again. */
void pit_interrupts(unsigned ticks);
#define PIT_HZ 1193182u
void pic_eoi(void); /* of an interrupt of the first 8259 */
