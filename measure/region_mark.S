/* The markers of regions: void marker(table in AX, id in DX), all registers except the flags are preserved.
 *
 * Serialise and read as the bracket does (bracket.S). The same instructions run for every id, every time:
 * there is no branch, and ids out of range count in a region of their own. A marker counts itself outside of
 * its region's span, so that a span's begins and ends are the complete markers between its two readings, of
 * whatever region.
 */
#include "kernel/selectors.h"
#include "measure/region_table.h"

#ifdef __x86_64__
#define AX %rax
#define CX %rcx
#define DX %rdx
#define BX %rbx
#define SI %rsi
#define DI %rdi
#define BP %rbp
#define SP %rsp
#else
#define AX %eax
#define CX %ecx
#define DX %edx
#define BX %ebx
#define SI %esi
#define DI %edi
#define BP %ebp
#define SP %esp
#endif

    .macro MARK_CPUID
    xorl %eax, %eax
    cpuid
    .endm

    .macro MARK_LFENCE
    lfence
    .endm

    .macro MARK_SERIALIZE
    .byte 0x0f, 0x01, 0xe8
    .endm

    .macro MARK_rdpmc
    rdpmc
    .endm

    .macro MARK_rdmsr
    rdmsr
    .endm

    .macro MARK_gate
    lcall $SEL_GATE, $0
    .endm

    /* DI = table, SI = region, BP = span: the first while the count at this offset of the region is 0, then the later
     * one's. */
    .macro MARK_ENTER count, regions=TABLE_REGIONS, shift=REGION_SHIFT, bytes=SPAN_BYTES, span=REGION_SPAN
    push AX
    push CX
    push DX
    push BX
    push SI
    push DI
    push BP
    mov AX, DI
    cmpl $REGIONS, %edx
    sbbl %ecx, %ecx     /* all ones where the id is in range, else 0 */
    andl %ecx, %edx
    notl %ecx
    andl $REGIONS, %ecx
    orl %ecx, %edx
    btsl %edx, TABLE_USED(DI)
    shll $\shift, %edx
    lea \regions(DI, DX), SI
    cmpl $1, \count(SI)
    sbbl %eax, %eax     /* all ones where the count is 0 */
    notl %eax
    andl $\bytes, %eax
    lea \span(SI, AX), BP
    .endm

    .macro MARK_LEAVE
    pop BP
    pop DI
    pop SI
    pop BX
    pop DX
    pop CX
    pop AX
    ret
    .endm

    .macro MARK_SUM low, high, k
    \low %eax, SPAN_SUM + 8 * \k(BP)
    \high %edx, SPAN_SUM + 8 * \k + 4(BP)
    .endm

    .macro MARK_SUM_TSC low, high
    rdtsc
    MARK_SUM \low, \high, 0
    .endm

    .macro MARK_ONE reader, low, high, i
    movl TABLE_SELECT + 4 * \i(DI), %ecx
    MARK_\reader
    MARK_SUM \low, \high, (\i + 1)
    .endm

    /* The first counter read at the begin is the last one read at the end. */
    .macro MARK_START reader, n
    MARK_SUM_TSC subl, sbbl
    .if \n > 0
    MARK_ONE \reader, subl, sbbl, 0
    .endif
    .if \n > 1
    MARK_ONE \reader, subl, sbbl, 1
    .endif
    .endm

    .macro MARK_STOP reader, n
    .if \n > 1
    MARK_ONE \reader, addl, adcl, 1
    .endif
    .if \n > 0
    MARK_ONE \reader, addl, adcl, 0
    .endif
    MARK_SUM_TSC addl, adcl
    .endm

    /* Counts of markers, BP pointing bias bytes after the span: add the number of markers before this one to
     * the span. */
    .macro MARK_MARKERS op, bias=0
    movl TABLE_BEGINS(DI), %eax
    \op %eax, SPAN_BEGINS - \bias(BP)
    movl TABLE_ENDS(DI), %eax
    \op %eax, SPAN_ENDS - \bias(BP)
    .endm

    .macro MARK_COUNT_BEGIN bias=0
    incl REGION_ENTERED(SI)
    incl TABLE_BEGINS(DI)
    MARK_MARKERS subl, \bias
    .endm

    .macro MARK_COUNT_END bias=0
    MARK_MARKERS addl, \bias
    incl TABLE_ENDS(DI)
    movl REGION_EXITED(SI), %eax
    cmpl REGION_ENTERED(SI), %eax
    cmc                 /* set if there were as many ends as begins already */
    adcl $0, REGION_EARLY(SI)
    incl REGION_EXITED(SI)
    .endm

    .macro MARKERS name, fence, inner, reader, n
    .globl \name\()_begin
    .balign 64
\name\()_begin:
    MARK_ENTER REGION_ENTERED
    MARK_COUNT_BEGIN
    \fence
    MARK_START \reader, \n
    \inner
    MARK_LEAVE

    .globl \name\()_end
    .balign 64
\name\()_end:
    MARK_ENTER REGION_EXITED
    \fence
    MARK_STOP \reader, \n
    MARK_COUNT_END
    MARK_LEAVE
    .endm

    .section .payload.region, "ax"
    MARKERS region_cpuid, MARK_CPUID, , none, 0
    MARKERS region_cpuid_rdmsr1, MARK_CPUID, , rdmsr, 1
    MARKERS region_cpuid_rdmsr2, MARK_CPUID, , rdmsr, 2
#ifndef __x86_64__
    MARKERS region_cpuid_gate1, MARK_CPUID, , gate, 1
    MARKERS region_cpuid_gate2, MARK_CPUID, , gate, 2
#endif

    .section .text.isa.rdpmc, "ax"
    MARKERS region_cpuid_rdpmc1, MARK_CPUID, , rdpmc, 1
    MARKERS region_cpuid_rdpmc2, MARK_CPUID, , rdpmc, 2

    /* For many counters, like bracket_many: through the slots (slot_code.S), which need BP at the sums for
     * the end and SI at those for the start. */
#define MANY_BIAS         (SPAN_SUM + 8 - SLOTS_SUMS)
#define MANY_SLOTS(field) (TABLE_SLOTS + field)

    .macro MANY_ENTER count
    MARK_ENTER \count, TABLE_MANY, MANY_SHIFT, MANY_BYTES, (REGION_SPAN + MANY_BIAS)
    .endm

    .macro MANY_TSC low, high
    rdtsc
    \low %eax, SPAN_SUM - MANY_BIAS(BP)
    \high %edx, SPAN_SUM + 4 - MANY_BIAS(BP)
    .endm

    .globl region_many_begin
    .balign 64
region_many_begin:
    MANY_ENTER REGION_ENTERED
    MARK_COUNT_BEGIN MANY_BIAS
    mov BP, SI
    sub MANY_SLOTS(SLOTS_SHIFT)(DI), SI
    call *MANY_SLOTS(SLOTS_FENCE)(DI)
    MANY_TSC subl, sbbl
    mov MANY_SLOTS(SLOTS_START_SELECT)(DI), BX
    call *MANY_SLOTS(SLOTS_START)(DI)
    call *MANY_SLOTS(SLOTS_INNER)(DI)
    MARK_LEAVE

    .globl region_many_end
    .balign 64
region_many_end:
    MANY_ENTER REGION_EXITED
    call *MANY_SLOTS(SLOTS_FENCE)(DI)
    mov MANY_SLOTS(SLOTS_END_SELECT)(DI), BX
    call *MANY_SLOTS(SLOTS_END)(DI)
    MANY_TSC addl, adcl
    MARK_COUNT_END MANY_BIAS
    MARK_LEAVE

    .section .text.isa.sse2, "ax"
    MARKERS region_lfence, MARK_LFENCE, MARK_LFENCE, none, 0

    .section .text.isa.serialize, "ax"
    MARKERS region_serialize, MARK_SERIALIZE, MARK_SERIALIZE, none, 0

    /* Payloads that measure the markers (measure/region_cost.c); their argument is the table. The same three
     * instructions as in region_table.h. */
    .macro MARK which, id
    mov CX, AX
    movl $\id, %edx
    call *\which(AX)
    .endm

    .macro CALIBRATE name
    .globl \name
    .balign 64
\name:
#ifdef __x86_64__
    mov %rdi, CX
#else
    movl 4(%esp), CX
#endif
    .endm

    .section .payload.region, "ax"
    /* Region 0, empty: its begin returns to where its end is called, in one line. */
    CALIBRATE region_empty
    MARK TABLE_BEGIN, 0
    MARK TABLE_END, 0
    ret

    /* The code around one marker: two blocks of 16 bytes, the second of which begins after the jump. The
     * marker shares its line of the stack with nothing else. */
    .macro AWAY name, at
    CALIBRATE \name
    lea -REGION_AWAY(SP), SP
    jmp.d32 \at
    .endm

    .macro BACK
    lea REGION_AWAY(SP), SP
    ret
    .endm

    .macro ONE_MARKER name, which
    AWAY region_near_\name, 2f
1:
    BACK
    .balign 64
2:
    MARK \which, 1
    jmp 1b

    /* Several markers in one line: the third one finds the state that the second has left, since only a
     * region's first entry counts in another place than the later ones. */
    AWAY region_two_\name, 2f
1:
    BACK
    .balign 64
2:
    MARK \which, 1
    MARK \which, 1
    jmp 1b

    AWAY region_three_\name, 2f
1:
    BACK
    .balign 64
2:
    MARK \which, 1
    MARK \which, 1
    MARK \which, 1
    jmp 1b

    /* The call lies in two lines, on two pages. */
    AWAY region_far_\name, 2f
1:
    BACK
    .balign 4096
    .skip 4096 - 5
2:
    MARK \which, 1
    jmp 1b
    .endm

    AWAY region_nothing, 1f
1:
    jmp 2f
2:
    BACK
    ONE_MARKER begin, TABLE_BEGIN
    ONE_MARKER end, TABLE_END

    .section .note.GNU-stack, "", @progbits
