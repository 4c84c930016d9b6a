/* The two 8259 interrupt controllers: moved out of the exceptions' way and masked. */
#pragma once
void pic_mask_all(void);
