#include "tests/boot/bare.h"

extern const char ignore[];

/* ---- serial line ---- */

uint8_t in(uint16_t port)
{
    uint8_t v;
    __asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}

void out(uint16_t port, uint8_t v) { __asm__ volatile("outb %0, %1" ::"a"(v), "Nd"(port)); }

void put(const char *s)
{
    for (; *s; s++) {
        while (!(in(0x3fd) & 0x20)) {
        }
        out(0x3f8, (uint8_t)*s);
    }
}

void put_hex(uint32_t v)
{
    char digits[10] = {' '};
    for (unsigned i = 9; i-- > 1; v >>= 4) digits[i] = "0123456789abcdef"[v & 15];
    put(digits);
}

void put_decimal(uint32_t v)
{
    char digits[11] = {0};
    unsigned i = 10;
    do {
        digits[--i] = (char)('0' + v % 10);
    } while ((v /= 10));
    put(" ");
    put(digits + i);
}

/* ---- the processor ---- */

uint32_t rdmsr(uint32_t msr)
{
    uint32_t lo, hi;
    __asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr));
    return lo;
}

void wrmsr(uint32_t msr, uint32_t lo) { __asm__ volatile("wrmsr" ::"c"(msr), "a"(lo), "d"(0)); }

struct table {
    uint16_t limit;
    uint32_t base;
} __attribute__((packed));

const uint64_t gdt[] = {0, 0x00cf9a000000ffff, 0x00cf92000000ffff};

static void gate(uint32_t to[2], const char *handler)
{
    to[0] = 8u << 16 | ((uint32_t)handler & 0xffff);
    to[1] = ((uint32_t)handler & 0xffff0000) | 0x8e00; /* present, an interrupt gate of 32 bits */
}

void descriptors(const struct handler *handlers, unsigned n)
{
    static uint32_t idt[256][2];
    for (unsigned i = 0; i < 256; i++) gate(idt[i], ignore);
    for (unsigned k = 0; k < n; k++) gate(idt[handlers[k].vector], handlers[k].at);
    const struct table gdtr = {sizeof gdt - 1, (uint32_t)gdt}, idtr = {sizeof idt - 1, (uint32_t)idt};
    __asm__ volatile("lgdt %0\n\tljmp $8, $1f\n1:\tmovl $16, %%eax\n\tmovl %%eax, %%ds\n\t"
                     "movl %%eax, %%es\n\tmovl %%eax, %%ss\n\tlidt %1" ::"m"(gdtr),
                     "m"(idtr)
                     : "eax", "memory");
    out(0x21, 0xff);
    out(0xa1, 0xff);
}

void paging(void)
{
    static uint32_t directory[1024] __attribute__((aligned(4096)));
    if (!directory[0])
        for (uint32_t i = 0; i < 1024; i++) directory[i] = i << 22 | 0x83 | (i >= 0x3fb ? 0x18 : 0);
    __asm__ volatile("movl %%cr4, %%eax\n\torl $0x10, %%eax\n\tmovl %%eax, %%cr4\n\tmovl %0, %%cr3\n\t"
                     "movl %%cr0, %%eax\n\torl $0x80000000, %%eax\n\tmovl %%eax, %%cr0" ::"r"(directory)
                     : "eax", "memory");
}

/* ---- the beginning and the end ---- */

void finish(const char *name)
{
    put(name);
    put(": done, status 0\r\n");
    for (const char *s = "Shutdown"; *s; s++) out(0x8900, (uint8_t)*s); /* Bochs's port for it */
    for (;;) __asm__ volatile("cli\n\thlt");
}

__asm__(".section .multiboot, \"a\"\n\t"
        ".long 0x1badb002, 3, -(0x1badb002 + 3)\n\t"
        ".text\n"
        ".globl entry\n"
        "entry: movl $stack + 4096, %esp\n\t"
        "call program\n"
        "ignore: iret\n\t"
        ".bss\n\t"
        ".balign 4096\n\t"
        "stack: .skip 4096\n\t"
        ".text");
