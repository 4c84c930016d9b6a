/* Two processors hand a line back and forth, each pair its own: a multiboot 1 program for the modelled
 * processors of run-bochs.sh --smp (--through), which needs no kernel.
 *
 * The processors are brought up by INIT-SIPI-SIPI (SDM vol. 3A 8.4.4). Those with an even number play ping,
 * the others pong, with the one below. Of several packages of two threads the second thread of every other
 * one plays ping, and pong the first thread of the next one, so that the line goes between packages; the rest
 * waits. Ping writes an odd number and waits for the even one; pong waits for the odd one and writes the even
 * one. So each of a round's two waits ends with a line that comes from the other's caches, whatever the
 * interleaving is. The first round is played outside of the oracle's brackets, which are what ping_call and
 * pong_call call: from then on both have the line, unmodified.
 *
 * Each processor counts two events in its bracket, and the first one prints a line for each: its number, the
 * counts. tests/boot/cases/processors-sim.sh knows what must be there.
 */
#include "tests/boot/bare.h"

#define ROUNDS     100
#define PROCESSORS 8

#define APIC_ICR        0x300
#define INIT_ALL_OTHERS 0xc4500
#define SIPI_ALL_OTHERS 0xc4600
#define TRAMPOLINE      0x8000 /* a page below 1 MiB, the SIPI's vector */

extern const char ap_begin[], ap_end[];
void play_ping(volatile uint32_t *ball, uint32_t value, uint32_t rounds, const uint32_t counter[2],
               uint32_t counted[2]);
void play_pong(volatile uint32_t *ball, uint32_t value, uint32_t rounds, const uint32_t counter[2],
               uint32_t counted[2]);

static uint32_t cpuid(uint32_t leaf, uint32_t *ebx)
{
    uint32_t a, c, d;
    __asm__ volatile("cpuid" : "=a"(a), "=b"(*ebx), "=c"(c), "=d"(d) : "a"(leaf), "c"(0));
    return a;
}

/* ---- what is counted ---- */

enum { P6, NETBURST, NETBURST_THREADS, CORE_DUO, CORE, CORE_THREADS, SKYLAKE, OTHER };

/* Of each core, which is a package here. */
static int two_threads(void)
{
    uint32_t b;
    cpuid(1, &b);
    return (b >> 16 & 0xff) == 2;
}

static unsigned family(void)
{
    uint32_t b;
    const uint32_t leaves = cpuid(0, &b), version = cpuid(1, &b);
    const int threads = two_threads();
    if ((version >> 8 & 15) == 15)
        return version >> 20 & 0xff ? OTHER : threads ? NETBURST_THREADS : NETBURST;
    if ((version >> 8 & 15) != 6) return OTHER;
    const uint32_t counters = leaves < 10 ? 0 : cpuid(10, &b) & 0xff;
    if (counters < 2) return counters ? CORE_DUO : P6; /* version 1 has no MSR 38Fh */
    return threads ? CORE_THREADS : leaves < 0x14 ? CORE : SKYLAKE;
}

#define COUNTED 0x430000 /* PerfEvtSel: at CPL 0 and 3, enabled */

/* Lines that came to loads from beyond the L2, and: P6, HITM#; Core 2, invalidations; Pentium 4, stores to
 * shared lines; Skylake, lines that loads found modified in the other's; threads, instructions. counter: the
 * numbers for RDPMC. */
static void count(unsigned me, uint32_t counter[2])
{
    static const uint32_t selects[][2] = {[P6] = {0x65, 0x7b},
                                          [CORE_DUO] = {0x4065, 0x7069},
                                          [CORE] = {0x4065, 0x4069},
                                          [CORE_THREADS] = {0x20d1, 0x00c0},
                                          [SKYLAKE] = {0x20d1, 0x04d3}};
    const unsigned f = family();
    if (f == NETBURST_THREADS) { /* of each thread its own, on counters that both have: RD_2ndL_MISS,
                                    instr_retired */
        const uint32_t side = me & 1, levels = side ? 3 : 0xc;
        counter[0] = 2 * side;
        counter[1] = 12 + 2 * side;
        wrmsr(0x3a0 + side, 0x0cu << 25 | 1u << (8 + 9) | levels);
        wrmsr(0x360 + counter[0], 3u << 16 | 7u << 13 | 1u << 12);
        wrmsr(0x3b8 + side, 0x02u << 25 | 3u << 9 | levels);
        wrmsr(0x360 + counter[1], 3u << 16 | 4u << 13 | 1u << 12);
        return;
    }
    counter[0] = 0;
    counter[1] = f == NETBURST ? 2 : 1;
    if (f == NETBURST) { /* BSQ_cache_reference RD_2ndL_MISS, RD_2ndL_HITS */
        wrmsr(0x3a0, 0x0cu << 25 | 1u << (8 + 9) | 0xc);
        wrmsr(0x3a1, 0x0cu << 25 | 1u << 9 | 0xc);
        wrmsr(0x360, 3u << 16 | 7u << 13 | 1u << 12);
        wrmsr(0x362, 3u << 16 | 7u << 13 | 1u << 12);
    } else if (f != OTHER) {
        wrmsr(0x187, selects[f][1] | (f == P6 ? COUNTED & ~0x400000u : COUNTED));
        wrmsr(0x186, selects[f][0] | COUNTED);
        if (f != P6 && f != CORE_DUO) wrmsr(0x38f, 3);
    }
}

/* ---- the game ---- */

struct line {
    volatile uint32_t value;
    uint32_t rest[31];
} __attribute__((aligned(128)));

static struct line ball[PROCESSORS], go, finished;
static struct {
    uint32_t counted[2], rest[30];
} result[PROCESSORS] __attribute__((aligned(128)));
volatile uint32_t arrived __attribute__((aligned(128))); /* processors beside the first one */

enum role { RESTS, PING, PONG };

/* The role of processor me of all; its ball is that of the pair's PING. */
static enum role role(unsigned me, unsigned all)
{
    const int packages = all > 2 && two_threads();
    const unsigned place =
        packages ? me % 4 - 1 : me % 2; /* in its pair, which is complete or there is none */
    if (place > 1 || me - place + 1 >= all) return RESTS;
    return place ? PONG : PING;
}

static void play(unsigned me, enum role what)
{
    uint32_t counter[2] __attribute__((aligned(64)));
    volatile uint32_t *with = &ball[what == PONG ? me - 1 : me].value;
    count(me, counter);
    if (what == PONG) {
        play_pong(with, 0, 1, counter, result[me].counted);
        play_pong(with, 2, ROUNDS, counter, result[me].counted);
    } else {
        play_ping(with, 0, 1, counter, result[me].counted);
        play_ping(with, 2, ROUNDS, counter, result[me].counted);
    }
    __asm__ volatile("lock incl %0" : "+m"(finished.value));
}

void ap_main(unsigned me);
void ap_main(unsigned me)
{
    paging();
    while (!go.value) __asm__ volatile("pause");
    const enum role mine = role(me, go.value);
    if (mine != RESTS) play(me, mine);
    for (;;) __asm__ volatile("cli\n\thlt");
}

static void start_others(void)
{
    char *to = (char *)TRAMPOLINE;
    for (const char *from = ap_begin; from < ap_end; from++) *to++ = *from;
    APIC(APIC_SVR) = APIC_ENABLED;
    APIC(APIC_ICR) = INIT_ALL_OTHERS;
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; k < 10000; k++) in(0x80);
        APIC(APIC_ICR) = SIPI_ALL_OTHERS | TRAMPOLINE >> 12;
    }
    for (unsigned k = 0; k < 20000; k++) in(0x80);
}

void program(void)
{
    descriptors(0, 0);
    paging();
    start_others();
    const unsigned all = arrived + 1;
    unsigned players = 0;
    for (unsigned k = 0; k < all; k++) players += role(k, all) != RESTS;
    go.value = all;
    if (role(0, all) != RESTS) play(0, role(0, all));
    while (finished.value != players) __asm__ volatile("pause");
    put("processors");
    put_decimal(all);
    put("\r\n");
    for (unsigned k = 0; k < all; k++) {
        if (role(k, all) == RESTS) continue;
        put("player");
        put_decimal(k);
        put_decimal(result[k].counted[0]);
        put_decimal(result[k].counted[1]);
        put("\r\n");
    }
    finish("ping_pong");
}

/* play_...(ball, value, rounds, counter, counted). Between two readings of the counters there is nothing but
 * the call, whose stack the processor has to itself. Ping waits before it begins, until pong's bracket is
 * open, and pong stays in its own until ping has the last line: both without memory. */
__asm__(".text\n"
        ".code16\n"
        "ap_begin: cli\n\t"
        "xorw %ax, %ax\n\t"
        "movw %ax, %ds\n\t"
        "lgdtl 0x8000 + ap_gdtr - ap_begin\n\t"
        "movl %cr0, %eax\n\t"
        "orl $1, %eax\n\t"
        "movl %eax, %cr0\n\t"
        "ljmpl $8, $ap_32\n"
        "ap_gdtr: .word 23\n\t"
        ".long gdt\n"
        "ap_end:\n"
        ".code32\n"
        "ap_32: movl $16, %eax\n\t"
        "movl %eax, %ds\n\t"
        "movl %eax, %es\n\t"
        "movl %eax, %ss\n\t"
        "movl $1, %eax\n\t"
        "lock xaddl %eax, arrived\n\t"
        "incl %eax\n\t"
        "movl %eax, %ecx\n\t"
        "shll $12, %ecx\n\t"
        "leal stacks(%ecx), %esp\n\t"
        "pushl %eax\n\t"
        "call ap_main\n"

        ".macro play name\n"
        "play_\\name: pushl %ebp\n\t"
        "pushl %ebx\n\t"
        "pushl %esi\n\t"
        "pushl %edi\n\t"
        "movl 20(%esp), %esi\n\t"
        "movl 32(%esp), %ebx\n\t"
        "movl (%ebx), %ecx\n\t"
        "rdpmc\n\t"
        "movl %eax, %edi\n\t"
        "movl 4(%ebx), %ecx\n\t"
        "rdpmc\n\t"
        "movl %eax, %ebp\n\t"
        "movl 28(%esp), %ebx\n\t"
        "movl 24(%esp), %edx\n"
        "\\name\\()_call: call \\name\n\t"
        "movl 32(%esp), %ebx\n\t"
        "movl (%ebx), %ecx\n\t"
        "rdpmc\n\t"
        "subl %edi, %eax\n\t"
        "movl %eax, %edi\n\t"
        "movl 4(%ebx), %ecx\n\t"
        "rdpmc\n\t"
        "subl %ebp, %eax\n\t"
        "movl 36(%esp), %ecx\n\t"
        "movl %edi, (%ecx)\n\t"
        "movl %eax, 4(%ecx)\n\t"
        "popl %edi\n\t"
        "popl %esi\n\t"
        "popl %ebx\n\t"
        "popl %ebp\n\t"
        "ret\n"
        ".endm\n"
        "play ping\n"
        "play pong\n"

        "ping: movl $60000, %ecx\n"
        "1: decl %ecx\n\t"
        "jnz 1b\n"
        "2: incl %edx\n\t"
        "movl %edx, (%esi)\n\t"
        "incl %edx\n"
        "3: pause\n\t"
        "cmpl %edx, (%esi)\n\t"
        "jne 3b\n\t"
        "decl %ebx\n\t"
        "jnz 2b\n\t"
        "ret\n"

        "pong: incl %edx\n"
        "1: pause\n\t"
        "cmpl %edx, (%esi)\n\t"
        "jne 1b\n\t"
        "incl %edx\n\t"
        "movl %edx, (%esi)\n\t"
        "decl %ebx\n\t"
        "jnz pong\n\t"
        "movl $20000, %ecx\n"
        "2: decl %ecx\n\t"
        "jnz 2b\n\t"
        "ret\n\t"

        ".bss\n\t"
        ".balign 4096\n\t"
        "stacks: .skip 7 * 4096\n\t"
        ".text");
