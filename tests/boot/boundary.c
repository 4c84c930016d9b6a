/* Interrupts at every boundary of a few instructions, for the glue between Bochs and the model (sim/bochs/):
 * a multiboot 1 program for a P6 (run-bochs.sh --through).
 *
 * In each pass a counter of retired instructions overflows one instruction later than in the pass before, and
 * asks for an NMI; at one boundary, `edge_from`, an interrupt from the local APIC to itself becomes due as
 * well. There the NMI goes first (SDM vol. 3A 6.9, table 6-2). The oracle's brackets are edge_from to
 * edge_to, and what path_7 calls, until its RET.
 *
 * For each pass a line: how many NMIs came and where the last one was to return to, and the same of the
 * interrupt. tests/boot/cases/interrupts.sh knows what must be there.
 */
#include "tests/boot/bare.h"

#define MSR_SELECT0  0x186 /* SDM vol. 3B 18.6: the P6's counter 0 */
#define MSR_COUNTER0 0x0c1
#define INST_RETIRED 0x5300c0 /* at CPL 0 and 3, with interrupt, enabled */
#define PASSES       18       /* as many as the path has boundaries */

#define APIC_LVT_PC    0x340
#define LVT_NMI        0x400
#define SELF_VECTOR_50 0x44050 /* interrupt command 300h: to this CPU, edge */

uint32_t nmi_eip, nmi_count, interrupt_eip, interrupt_count;
extern const char on_nmi[], on_interrupt[];
void edges(uint32_t count, uint32_t command);

void program(void)
{
    static const struct handler handlers[] = {{2, on_nmi}, {0x50, on_interrupt}};
    descriptors(handlers, 2);
    paging();
    APIC(APIC_SVR) = APIC_ENABLED;
    wrmsr(MSR_SELECT0, INST_RETIRED);
    for (uint32_t n = 1; n <= PASSES; n++) {
        nmi_eip = nmi_count = interrupt_eip = interrupt_count = 0;
        APIC(APIC_LVT_PC) = LVT_NMI;
        edges(n, SELF_VECTOR_50);
        put("pass");
        put_hex(nmi_count);
        put_hex(nmi_eip);
        put_hex(interrupt_count);
        put_hex(interrupt_eip);
        put("\r\n");
    }
    finish("boundary");
}

/* The path that a counter sees: path_0 to path_2, edge_from, the interrupt's handler, edge_from again and on.
 */
__asm__(".text\n"
        ".globl edges\n"
        "edges: pushl %ebx\n\t"
        "movl 12(%esp), %ebx\n\t"
        "movl 8(%esp), %eax\n\t"
        "negl %eax\n\t"
        "xorl %edx, %edx\n\t"
        "movl $0xc1, %ecx\n\t"
        "sti\n\t"
        "nop\n\t"
        "wrmsr\n"
        "path_0: nop\n"
        "path_1: nop\n"
        "path_2: movl %ebx, 0xfee00300\n"
        "edge_from: nop\n"
        "path_4: nop\n"
        "path_5: nop\n"
        "edge_to: nop\n"
        "path_7: call callee\n"
        "path_10: cli\n\t"
        "popl %ebx\n\t"
        "ret\n"

        "callee: nop\n"
        "path_9: ret\n"

        "on_interrupt: pushl %eax\n"
        "int_1: movl 4(%esp), %eax\n"
        "int_2: movl %eax, interrupt_eip\n"
        "int_3: incl interrupt_count\n"
        "int_4: movl $0, 0xfee000b0\n"
        "int_5: popl %eax\n"
        "int_6: iret\n"

        "on_nmi: pushl %eax\n\t"
        "movl 4(%esp), %eax\n\t"
        "movl %eax, nmi_eip\n\t"
        "incl nmi_count\n\t"
        "popl %eax\n\t"
        "iret");
