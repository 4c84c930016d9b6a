/* void bracket_X(payload_fn *payload, void *arg, struct reading *out)
 *
 * Readings of the TSC stay in registers that the payload must preserve; those of counters go to *out, which
 * is in the cache then. No branch depends on data. An empty bracket without counters has 6 instructions
 * between the two RDTSC, MOV MOV [fence] CALL RET [XOR] fence; `make bench` counts them. RDTSC, RDPMC and
 * RDMSR clobber EDX:EAX, CPUID also EBX and ECX.
 *
 * Where CPUID serialises, one and two counters have brackets of their own, for old CPUs and their small
 * caches. All other cases use bracket_many: readings go to *out, through the slots of slot_code.S. It
 * executes more instructions, but exists once.
 *
 * Brackets may run at CPL 3, so they lie in the pages that ring 3 may execute (linker.ld).
 */
#include "kernel/selectors.h"
#include "measure/reading.h"

    .macro FENCE_CPUID
    xorl %eax, %eax /* leaf 0: leaf 1 costs ten times as much on some CPUs */
    cpuid
    .endm

    .macro FENCE_LFENCE
    lfence
    .endm

    .macro FENCE_SERIALIZE
    .byte 0x0f, 0x01, 0xe8 /* SERIALIZE; older assemblers do not have it */
    .endm

    .macro READ_rdpmc
    rdpmc
    .endm

    .macro READ_rdmsr
    rdmsr
    .endm

    .macro READ_gate
    lcall $SEL_GATE, $0
    .endm

#ifdef __x86_64__
#define OUT %r14
#else
#define OUT %ebx
#endif

    /* Counter i into the field at offset where. The label, NAME_startI or NAME_endI, marks the reading: the
     * oracle's brackets begin and end there (sim/bochs/bracket.cc). */
    .macro READ_ONE name, reader, when, where, i
    movl READING_SELECT + 4 * \i(OUT), %ecx
    .globl \name\()_\when\()\i
\name\()_\when\()\i:
    READ_\reader
    movl %eax, \where + 8 * \i(OUT)
    movl %edx, \where + 8 * \i + 4(OUT)
    .endm

    .macro OUT_POINTER n
#ifndef __x86_64__
    .if \n > 0
    movl 4(%esp), OUT
    .endif
#endif
    .endm

    /* The counter that is read first at the start is read last at the end: one counter's readings enclose
     * those of the next. */
    .macro READ_START name, reader, n
    OUT_POINTER \n
    .if \n > 0
    READ_ONE \name, \reader, start, READING_START, 0
    .endif
    .if \n > 1
    READ_ONE \name, \reader, start, READING_START, 1
    .endif
    .endm

    .macro READ_END name, reader, n
    OUT_POINTER \n
    .if \n > 1
    READ_ONE \name, \reader, end, READING_END, 1
    .endif
    .if \n > 0
    READ_ONE \name, \reader, end, READING_END, 0
    .endif
    .endm

/* fence: before the first reading and after the payload; inner: after the first reading, so that the payload
 * cannot start before it. With CPUID there is no inner fence: its cost would exceed the overlap that it
 * prevents. */
    .macro BRACKET name, fence, inner, reader, n
    .globl \name
    .balign 64
\name:
#ifdef __x86_64__
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    movq %rdi, %rbp
    movq %rsi, %rdi
    movq %rdx, %r14
    \fence
    rdtsc
    movl %eax, %r12d
    movl %edx, %r13d
    READ_START \name, \reader, \n
    \inner
    .globl \name\()_call
\name\()_call:
    call *%rbp
    .globl \name\()_back
\name\()_back:
    \fence
    READ_END \name, \reader, \n
    rdtsc
    movl %r12d, READING_TSC(%r14)
    movl %r13d, READING_TSC + 4(%r14)
    movl %eax, READING_TSC + 8(%r14)
    movl %edx, READING_TSC + 12(%r14)
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret
#else
    pushl %ebx
    pushl %esi
    pushl %edi
    pushl %ebp
    movl 20(%esp), %ebp
    pushl 28(%esp)      /* out */
    pushl 28(%esp)      /* arg: the push before it has moved it by 4 */
    \fence
    rdtsc
    movl %eax, %esi
    movl %edx, %edi
    READ_START \name, \reader, \n
    \inner
    .globl \name\()_call
\name\()_call:
    call *%ebp
    .globl \name\()_back
\name\()_back:
    \fence
    READ_END \name, \reader, \n
    rdtsc
    popl %ecx           /* arg */
    popl %ecx           /* out */
    movl %esi, READING_TSC(%ecx)
    movl %edi, READING_TSC + 4(%ecx)
    movl %eax, READING_TSC + 8(%ecx)
    movl %edx, READING_TSC + 12(%ecx)
    popl %ebp
    popl %edi
    popl %esi
    popl %ebx
    ret
#endif
    .globl \name\()_end
\name\()_end:
    .endm

    .section .payload.bracket, "ax"
    BRACKET bracket_cpuid, FENCE_CPUID, , none, 0
    BRACKET bracket_cpuid_rdmsr1, FENCE_CPUID, , rdmsr, 1
    BRACKET bracket_cpuid_rdmsr2, FENCE_CPUID, , rdmsr, 2
#ifndef __x86_64__
    BRACKET bracket_cpuid_gate1, FENCE_CPUID, , gate, 1
    BRACKET bracket_cpuid_gate2, FENCE_CPUID, , gate, 2
#endif

    .section .text.isa.rdpmc, "ax"
    BRACKET bracket_cpuid_rdpmc1, FENCE_CPUID, , rdpmc, 1
    BRACKET bracket_cpuid_rdpmc2, FENCE_CPUID, , rdpmc, 2

    .section .text.isa.sse2, "ax"
    BRACKET bracket_lfence, FENCE_LFENCE, FENCE_LFENCE, none, 0

    .section .text.isa.serialize, "ax"
    BRACKET bracket_serialize, FENCE_SERIALIZE, FENCE_SERIALIZE, none, 0

    /* bracket_many: *out has been prepared (slots.h), its sums are zero. BP = the sums for the end, SI = for the start. */
#define MANY_BP           (READING_END - SLOTS_SUMS)
#define MANY_TSC          (READING_TSC - MANY_BP)
#define MANY_SLOTS(field) (READING_SLOTS + field - MANY_BP)

    .section .text.isa.rdpmc, "ax"
    .globl bracket_many
    .balign 64
bracket_many:
#ifdef __x86_64__
#define BX %rbx
#define BP %rbp
#define SI %rsi
#define PAYLOAD %r12
    pushq %rbx
    pushq %rbp
    pushq %r12
    movq %rdi, PAYLOAD
    movq %rsi, %rdi
    leaq MANY_BP(%rdx), BP
#else
#define BX %ebx
#define BP %ebp
#define SI %esi
#define PAYLOAD %edi
    pushl %ebx
    pushl %esi
    pushl %edi
    pushl %ebp
    movl 20(%esp), PAYLOAD
    movl 28(%esp), BP
    addl $MANY_BP, BP
    pushl 24(%esp)      /* arg */
#endif
    mov BP, SI
    sub MANY_SLOTS(SLOTS_SHIFT)(BP), SI
    call *MANY_SLOTS(SLOTS_FENCE)(BP)
    rdtsc
    movl %eax, MANY_TSC(BP)
    movl %edx, MANY_TSC + 4(BP)
    mov MANY_SLOTS(SLOTS_START_SELECT)(BP), BX
    call *MANY_SLOTS(SLOTS_START)(BP)
    call *MANY_SLOTS(SLOTS_INNER)(BP)
    .globl bracket_many_call
bracket_many_call:
    call *PAYLOAD
    .globl bracket_many_back
bracket_many_back:
    call *MANY_SLOTS(SLOTS_FENCE)(BP)
    mov MANY_SLOTS(SLOTS_END_SELECT)(BP), BX
    call *MANY_SLOTS(SLOTS_END)(BP)
    rdtsc
    movl %eax, MANY_TSC + 8(BP)
    movl %edx, MANY_TSC + 12(BP)
#ifdef __x86_64__
    popq %r12
    popq %rbp
    popq %rbx
#else
    popl %ecx           /* arg */
    popl %ebp
    popl %edi
    popl %esi
    popl %ebx
#endif
    ret

    .section .note.GNU-stack, "", @progbits
