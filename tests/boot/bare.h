/* What the programs that boot without a kernel (run-bochs.sh --through) share: their entry by multiboot 1,
 * the serial line, flat segments, paging, and switching Bochs off. */
#pragma once
#include <stdint.h>

#define APIC(reg)    (*(volatile uint32_t *)(0xfee00000 + (reg)))
#define APIC_EOI     0x0b0
#define APIC_SVR     0x0f0
#define APIC_ENABLED 0x1ff /* with the spurious vector FFh */

/* The program, on a stack of 4 KiB, with interrupts and paging off. It ends with finish(). */
void program(void);

uint8_t in(uint16_t port);
void out(uint16_t port, uint8_t v);

/* To COM1. A number comes with a space before it: 8 hexadecimal digits, or decimal ones. */
void put(const char *s);
void put_hex(uint32_t v);
void put_decimal(uint32_t v);

/* The low half; the high one is written as 0. */
uint32_t rdmsr(uint32_t msr);
void wrmsr(uint32_t msr, uint32_t lo);

/* A vector and its handler. */
struct handler {
    uint8_t vector;
    const char *at;
};

/* Flat segments: 8 of code, 16 of data. Each vector that is not among these n handlers is an IRET. The 8259s
 * are silent. */
void descriptors(const struct handler *handlers, unsigned n);
/* One to one, in pages of 4 MiB, devices uncached; without paging the oracle takes us for a loader. The first
 * of several processors calls it first. */
void paging(void);

/* Print "NAME: done, status 0", for run-bochs.sh, and switch off. */
void finish(const char *name) __attribute__((noreturn));
