#include "monitor/control_registers.h"
#include <stddef.h>

/* SDM vol. 3A 2.5. What the kernel cannot do without, at the very next instruction or the next line that it
 * prints. Bits that only change what is measured later are not here. */
static const struct rule {
    unsigned cr;
    uint64_t bits;  /* must stay as they are */
    bool long_only; /* in long mode */
    bool legacy_only;
    const char *why;
} rules[] = {
    {0, 1u << 0, false, false, "PE must stay set: the kernel runs in protected mode."},
    {0, 1u << 2, false, false, "EM must stay clear: the kernel computes with the FPU."},
    {0, 1u << 3, false, false, "TS must stay clear: the kernel computes with the FPU."},
    {0, 1u << 31, false, false, "PG must stay as it is: the kernel's addresses depend on it."},
    {3, ~(uint64_t)0xfff, false, false, "The page tables must stay where they are: the kernel runs in them."},
    {4, 1u << 4, false, true, "PSE must stay as it is: the kernel's page tables are made for it."},
    {4, 1u << 5, false, false, "PAE must stay as it is: the kernel's page tables are made for it."},
    {4, 1u << 9, true, false, "OSFXSR must stay set: this kernel computes with SSE."},
    {CONTROL_EFER, 1u << 8 | 1u << 11, true, false,
     "LME and NXE must stay as they are: the kernel's page tables are made for them."},
    {4, 1u << 12, true, false, "LA57 must stay as it is: the kernel's page tables are made for it."},
};

const char *control_register_refused(unsigned n, uint64_t now, uint64_t value, bool long_mode)
{
    for (const struct rule *r = rules; r < rules + sizeof rules / sizeof *rules; r++)
        if (r->cr == n && ((now ^ value) & r->bits) && (long_mode ? !r->legacy_only : !r->long_only))
            return r->why;
    return NULL;
}
