/* Hidden benchmarks that test the harness: faults of every kind, and a payload of known length. Not in
 * bench=list nor bench=all. */
#include "bench/bench.h"
#include "kernel/hw.h"
#include "kernel/percpu.h"
#include "kernel/x86.h"

PAYLOAD static void invalid_opcode(void *arg)
{
    (void)arg;
    __asm__ volatile(".byte 0xf0, 0x90"); /* LOCK NOP: nothing to lock, invalid on every x86 */
}

PAYLOAD static void divide_error(void *arg)
{
    (void)arg;
    __asm__ volatile("xorl %%ecx, %%ecx\n\tdivl %%ecx" ::: "eax", "ecx", "edx", "cc");
}

PAYLOAD static void general_protection(void *arg)
{
    (void)arg;
    __asm__ volatile("movl $0xffff, %%eax\n\tmovl %%eax, %%es" ::: "eax"); /* beyond the GDT */
}

PAYLOAD static void page_fault(void *arg)
{
    (void)arg;
    __asm__ volatile("movl $0, 16" ::: "memory"); /* page 0 is never present */
}

PAYLOAD static void stack_overflow(void *arg)
{
    (void)arg;
    __asm__ volatile("1: push %%" /* one push in each turn */
#ifdef __x86_64__
                     "rax"
#else
                     "eax"
#endif
                     "\n\tjmp 1b" ::
                         : "memory");
}

PAYLOAD static void thousand(void *arg)
{
    (void)arg;
    __asm__ volatile("movl $333, %%ecx\n1:\n\tnop\n\tdecl %%ecx\n\tjnz 1b" ::: "ecx", "cc"); /* 1 + 333 x 3 */
}

/* #UD while the third of three interrupts is due; #DE if the first two do not come. */
PAYLOAD static void fault_while_waiting(void *arg)
{
    uint32_t left = 3, turns = 1000000;
    (void)arg;
    __asm__ volatile("int %2\n1:\n\tcmpl $1, %%eax\n\tjbe 2f\n\tdecl %1\n\tjnz 1b\n\t"
                     "divl %1\n2:\n\t.byte 0xf0, 0x90"
                     : "+a"(left), "+c"(turns)
                     : "i"(VECTOR_TIMER_CALL)
                     : "edx", "cc");
}

/* Unused vectors, one for each kind of gate. At CPL 0. */
PAYLOAD static void stray_vectors(void *arg)
{
    (void)arg;
    __asm__ volatile("int $0x27\n\tint $0x2f\n\tint $0x32\n\tint $0xa5\n\tint $0xf5\n\tint $0xff");
}

/* An NMI while GS is not the kernel's, as when it comes between the entry from ring 3 and its SWAPGS. At CPL
 * 0.
 */
PAYLOAD static void nmi_before_swapgs(void *arg)
{
    (void)arg;
#ifdef __x86_64__
    __asm__ volatile("swapgs\n\tint $2\n\tswapgs");
#else
    __asm__ volatile("push %%gs\n\txorl %%eax, %%eax\n\tmovl %%eax, %%gs\n\tint $2\n\tpop %%gs" ::: "eax");
#endif
}

/* #UD in the same state; the guard catches it. At CPL 0. */
PAYLOAD static void fault_before_swapgs(void *arg)
{
    (void)arg;
#ifdef __x86_64__
    __asm__ volatile("swapgs\n\tud2");
#else
    __asm__ volatile("xorl %%eax, %%eax\n\tmovl %%eax, %%gs\n\t.byte 0xf0, 0x90" ::: "eax");
#endif
}

/* The CPU interrupts itself by its interrupt command register: with a vector of the highest class, as a
 * device might, and with one of another class. Then it runs long enough for a timer. At CPL 0. */
PAYLOAD static void interrupt_self(void *arg)
{
    const bool x2apic = arg != NULL;
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t vector = i ? 0x45 : 0xf5;
        if (x2apic)
            hw_wrmsr(0x83f, vector); /* SDM vol. 3A 10.12.11 */
        else
            *(volatile uint32_t *)(uintptr_t)0xfee00300 = 0x44000 | vector; /* 10.6.1 */
    }
    for (volatile uint32_t i = 0; i < 1000000u; i++) {
    }
}

static bool find_apic(struct bench_run *run)
{
    uint64_t base;
    run->arg = rdmsr_safe(MSR_APIC_BASE, &base) && base >> 10 & 1 ? run : NULL;
    return true;
}

PAYLOAD static void endless_pause(void *arg)
{
    (void)arg;
    for (volatile uint32_t i = 0; i < 20000000u; i++) {
    }
}

PAYLOAD static void endless(void *arg)
{
    (void)arg;
    for (;;) __asm__ volatile("pause");
}

/* A gate of its own for the NMI leads to a loop, from which nothing leads back: the processor answers nobody
 * any more. Not on the boot processor. */
PAYLOAD static void gone(void *arg)
{
    uint32_t *const gate = (uint32_t *)arg + VECTOR_NMI * sizeof(void *) / 2;
    uintptr_t loop;
#ifdef __x86_64__
    __asm__ volatile("leaq 1f(%%rip), %0\n\tjmp 2f\n1:\tpause\n\tjmp 1b\n2:" : "=r"(loop));
#else
    __asm__ volatile("movl $1f, %0\n\tjmp 2f\n1:\tpause\n\tjmp 1b\n2:" : "=r"(loop));
#endif
    gate[0] = SEL_CODE << 16 | (loop & 0xffff);
    gate[1] = (loop & 0xffff0000u) | 0x8e00; /* present, interrupt gate */
    const struct {
        uint16_t limit;
        uintptr_t base;
    } __attribute__((packed)) idtr = {BENCH_ARG_BYTES - 1, (uintptr_t)arg};
    __asm__ volatile("lidt %0" ::"m"(idtr));
    for (;;) __asm__ volatile("pause");
}

/* Watched, as code of the user's own is. */
#define WATCHED(id, what, fn)                                                              \
    BENCHMARK(id) = {.program = {.name = #id, .desc = what, .payload = fn, .users = true}, \
                     .op = "call",                                                         \
                     .cost = "",                                                           \
                     .hidden = true}

#define SELFTEST(id, what, fn) \
    BENCHMARK(id) = {          \
        .program = {.name = #id, .desc = what, .payload = fn}, .op = "call", .cost = "", .hidden = true}

/* Without a guard a fault is the kernel's own: the stack overflow becomes a panic. */
static bool drop_guard(struct bench_run *run)
{
    (void)run;
    this_cpu()->guard = NULL;
    return true;
}

WATCHED(test_endless, "never returns", endless);
WATCHED(test_gone, "takes its processor away", gone);
BENCHMARK(test_self) = {
    .program = {.name = "test_self",
                .desc = "interrupts itself with vectors that nobody uses",
                .payload = interrupt_self,
                .prepare = find_apic},
    .op = "call",
    .cost = "",
    .hidden = true,
};

/* The third call of the first run executes INT of vectors that nobody uses: no other run does. */
static unsigned strays_runs;
PAYLOAD static void stray_once(void *arg)
{
    uint32_t *left = arg;
    if (*left && --*left == 0) __asm__ volatile("int $0x27");
}

static bool stray_in_first_run(struct bench_run *run)
{
    *(uint32_t *)run->arg = strays_runs++ == 0 ? 3 : 0;
    return true;
}

BENCHMARK(test_stray_once) = {
    .program = {.name = "test_stray_once",
                .desc = "executes INT of a vector that nobody uses, in its first run only",
                .payload = stray_once,
                .prepare = stray_in_first_run},
    .op = "call",
    .cost = "",
    .hidden = true,
};

/* Asks for SMIs in one call (port B2h: APMC of Intel's chipsets, PIIX4 datasheet 3.4), as often as told.
 */
struct smi_calls {
    uint32_t call, n;
};

PAYLOAD static void ask_for_smis(void *arg)
{
    struct smi_calls *c = arg;
    if (c->call && --c->call) return;
    for (; c->n; c->n--) __asm__ volatile("outb %b0, $0xb2" ::"a"(0));
}

static bool smis_in_one_call(struct bench_run *run)
{
    *(struct smi_calls *)run->arg = (struct smi_calls){(uint32_t)run->param[1], (uint32_t)run->param[0]};
    return true;
}

BENCHMARK(test_smi) = {
    .program = {.name = "test_smi",
                .desc = "asks the chipset for SMIs",
                .payload = ask_for_smis,
                .prepare = smis_in_one_call},
    .op = "call",
    .cost = "",
    .hidden = true,
    BENCH_PARAM_LIST({"n", "SMIs", "to ask for", 0, 1000000, 1, 1000, false},
                     {"call", "calls", "the call that does", 1, 1000000, 1, 5, false}),
};

BENCHMARK(test_panic) = {
    .program = {.name = "test_panic",
                .desc = "overflows the stack with nobody to catch it",
                .payload = stack_overflow,
                .prepare = drop_guard},
    .op = "call",
    .cost = "",
    .hidden = true,
};

SELFTEST(test_ud, "raises #UD", invalid_opcode);
SELFTEST(test_de, "raises #DE", divide_error);
SELFTEST(test_gp, "raises #GP", general_protection);
SELFTEST(test_pf, "raises #PF", page_fault);
SELFTEST(test_stack, "overflows its stack", stack_overflow);
SELFTEST(test_timer, "raises #UD while the timer interrupts", fault_while_waiting);
SELFTEST(test_strays, "executes INT of vectors that nobody uses", stray_vectors);
SELFTEST(test_gs, "raises #UD before SWAPGS", fault_before_swapgs);
SELFTEST(test_nmi, "is interrupted by an NMI before SWAPGS", nmi_before_swapgs);
SELFTEST(test_1000, "1,000 instructions", thousand);
SELFTEST(test_slow, "long enough for a cancel request to come in between", endless_pause);
