/* Traps in words. */
#include "kernel/fpu.h"
#include "kernel/permits.h"
#include "kernel/trap.h"
#include <stdio.h>

/* SDM vol. 3A table 6-1; 28-30: AMD APM vol. 2 table 8-1. */
static const char *const names[] = {
    "#DE divide error",
    "#DB debug",
    "NMI",
    "#BP breakpoint",
    "#OF overflow",
    "#BR bound range exceeded",
    "#UD invalid opcode",
    "#NM device not available",
    "#DF double fault",
    "coprocessor segment overrun",
    "#TS invalid TSS",
    "#NP segment not present",
    "#SS stack-segment fault",
    "#GP general protection",
    "#PF page fault",
    "reserved vector 15",
    "#MF x87 floating-point error",
    "#AC alignment check",
    "#MC machine check",
    "#XM SIMD floating-point exception",
    "#VE virtualization exception",
    "#CP control protection",
    "reserved vector 22",
    "reserved vector 23",
    "reserved vector 24",
    "reserved vector 25",
    "reserved vector 26",
    "reserved vector 27",
    "#HV hypervisor injection",
    "#VC VMM communication",
    "#SX security exception",
    "reserved vector 31",
};

const char *trap_name(uint32_t vector)
{
    if (vector == TRAP_ASTRAY) return "code that did not return";
    if (vector == TRAP_SYSTEM_CALL) return "system call";
    return vector < sizeof names / sizeof *names ? names[vector] : "not an exception";
}

const char *trap_reg_name(unsigned i)
{
#ifdef __x86_64__
    static const char *const reg[TRAP_REGS] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                               "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
#else
    static const char *const reg[TRAP_REGS] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
#endif
    return i < TRAP_REGS ? reg[i] : "?";
}

/* "write (1) is Linux', and has not been made" */
static void system_call_text(const struct trap *t, char *buf, unsigned cap)
{
    const char *name = t->cr2 ? NULL : machine_call_name(t->error);
    snprintf(buf, cap, "%s%s%llu%s%s, which has not been made", name ? name : "", name ? " (" : "number ",
             (unsigned long long)t->error, name ? ")" : "", t->cr2 ? " of INT 80h" : "");
}

void trap_error_text(const struct trap *t, char *buf, unsigned cap)
{
    static const char *const table[] = {"GDT", "IDT", "LDT", "IDT"}; /* bits 2:1, SDM vol. 3A 6.13 */
    unsigned e = (unsigned)t->error;
    buf[0] = '\0';
    switch (t->vector) {
    case 14: /* SDM vol. 3A 6.15, interrupt 14 */
        snprintf(buf, cap, "%s %s 0x%llx, CPL %s%s",
                 e & 16  ? "fetch from"
                 : e & 2 ? "write to"
                         : "read of",
                 e & 8   ? "a page with reserved bits set,"
                 : e & 1 ? "a protected page,"
                         : "a page not present,",
                 (unsigned long long)t->cr2, e & 4 ? "3" : "0-2", e & 32 ? ", protection key" : "");
        break;
    case TRAP_SYSTEM_CALL:
        system_call_text(t, buf, cap);
        break;
    case 8:
        snprintf(buf, cap, "stack pointer 0x%llx: stack overflow?", (unsigned long long)t->sp);
        break;
    case 10:
    case 11:
    case 12:
    case 13:
        if (e == 0)
            snprintf(buf, cap, "no selector");
        else
            snprintf(buf, cap, "%s entry %u%s", table[e >> 1 & 3], e >> 3, e & 1 ? ", external event" : "");
        break;
    default:
        break;
    }
}

void trap_guard_after(struct trap_guard *g)
{
    (void)g; /* popped by deliver(); the FPU's state is whatever the faulting code left */
    fpu_init();
}
