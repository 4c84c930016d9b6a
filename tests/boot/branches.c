/* Each kind of transfer of control once, with last branch records on: a multiboot 1 program for Core 2 and
 * later, and for zen4 (run-bochs.sh --through).
 *
 * Between the two WRMSRs of path, 16 transfers are made, each from a label to a label. A line is printed for
 * each record of the stack, the newest first: from, to, and LBR_INFO where there is one.
 * tests/boot/cases/branches.sh knows what must be there.
 */
#include "tests/boot/bare.h"

enum {
    MSR_SYSENTER_CS = 0x174,
    MSR_SYSENTER_EIP = 0x176,
    MSR_LBR_TOS = 0x1c9,
    MSR_DEBUGCTL = 0x1d9,
    MSR_PERF_CAPABILITIES = 0x345,
};
#define DEBUGCTL_LBR     (1u << 0)
#define MSR_DBG_EXTN_CFG 0xc000010f
#define AMD_LBR_V2_EN    (1u << 6)
#define MSR_AMD_FROM0    0xc0010300 /* from and to in turn */

extern const char on_interrupt[], on_ud[], on_int60[], t_sysenter[];
/* Enable by this MSR's bits, go, and disable. */
void path(uint32_t msr, uint32_t bits);

static int is_amd(void)
{
    uint32_t a = 0, b, c, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    return b == 0x68747541; /* "Auth" */
}

static void record(uint32_t from, uint32_t to, uint32_t info)
{
    put("record");
    put_hex(rdmsr(from));
    put_hex(rdmsr(to));
    if (info) put_hex(rdmsr(info));
    put("\r\n");
}

/* AMD64 manual, vol. 2, 13.1.1.8 and 13.1.1.9. */
static void amd(void)
{
    path(MSR_DBG_EXTN_CFG, AMD_LBR_V2_EN);
    for (uint32_t n = 0; n < 16; n++) record(MSR_AMD_FROM0 + 2 * n, MSR_AMD_FROM0 + 2 * n + 1, 0);
}

/* SDM vol. 3, 17.4.8, by the format in IA32_PERF_CAPABILITIES. */
static void intel(void)
{
    const uint32_t format = rdmsr(MSR_PERF_CAPABILITIES) & 0x3f;
    const uint32_t depth = format < 3 ? 4 : format < 5 ? 16 : 32;
    const uint32_t from = format < 3 ? 0x40 : 0x680, to = format < 3 ? 0x60 : 0x6c0;
    path(MSR_DEBUGCTL, DEBUGCTL_LBR);
    const uint32_t top = rdmsr(MSR_LBR_TOS);
    for (uint32_t n = 0; n < depth && n < 16; n++) {
        const uint32_t i = (top - n) & (depth - 1);
        record(from + i, to + i, format < 5 ? 0 : 0xdc0 + i);
    }
}

void program(void)
{
    static const struct handler handlers[] = {{6, on_ud}, {0x50, on_interrupt}, {0x60, on_int60}};
    descriptors(handlers, 3);
    paging();
    APIC(APIC_SVR) = APIC_ENABLED;
    wrmsr(MSR_SYSENTER_CS, 8);
    wrmsr(MSR_SYSENTER_EIP, (uint32_t)t_sysenter);
    if (is_amd())
        amd();
    else
        intel();
    finish("branches");
}

__asm__(".text\n"
        ".globl path\n"
        "path: pushl %ebx\n\t"
        "pushl %esi\n\t"
        "movl %esp, %eax\n\t" /* SYSENTER's stack is this one */
        "xorl %edx, %edx\n\t"
        "movl $0x175, %ecx\n\t"
        "wrmsr\n\t"
        "movl $icall_to, %ebx\n\t"
        "movl $ijmp_to, %esi\n\t"
        "movl 12(%esp), %ecx\n\t"
        "movl 16(%esp), %eax\n\t"
        "sti\n\t"
        "wrmsr\n"
        "begin: cmpl %eax, %eax\n"
        "jcc: je jcc_to\n\t"
        "nop\n"
        "jcc_to: jne jcc\n"
        "call: call call_to\n"
        "icall: call *%ebx\n"
        "int: int $0x60\n"
        "ud: ud2\n"
        "ljmp: ljmp $8, $lcall\n"
        "lcall: lcall $8, $lcall_to\n"
        "ijmp: jmp *%esi\n\t"
        "nop\n"
        "ijmp_to: movl $0x44050, 0xfee00300\n" /* an interrupt to this CPU, edge, vector 50h */
        "sysenter: sysenter\n"
        "t_sysenter: rdmsr\n\t"
        "xorl %eax, %eax\n\t"
        "wrmsr\n"
        "end: popl %esi\n\t"
        "popl %ebx\n\t"
        "ret\n"

        "call_to: nop\n"
        "ret1: ret\n"
        "icall_to: nop\n"
        "ret2: ret\n"
        "lcall_to: lret\n"

        "on_int60: nop\n"
        "iret1: iret\n"
        "on_ud: addl $2, (%esp)\n" /* behind UD2 */
        "iret2: iret\n"
        "on_interrupt: movl $0, 0xfee000b0\n"
        "iret3: iret");
