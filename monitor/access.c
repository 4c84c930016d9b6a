#include "monitor/access.h"
#include "kernel/hw.h"
#include "kernel/x86.h"

static uint64_t load(uint64_t address, unsigned width)
{
    const uintptr_t at = (uintptr_t)address;
    switch (width) {
    case 1:
        return *(volatile uint8_t *)at;
    case 2:
        return *(volatile uint16_t *)at;
    case 4:
        return *(volatile uint32_t *)at;
    default:
        return *(volatile uint64_t *)at;
    }
}

static void store(uint64_t address, unsigned width, uint64_t value)
{
    const uintptr_t at = (uintptr_t)address;
    switch (width) {
    case 1:
        *(volatile uint8_t *)at = (uint8_t)value;
        break;
    case 2:
        *(volatile uint16_t *)at = (uint16_t)value;
        break;
    case 4:
        *(volatile uint32_t *)at = (uint32_t)value;
        break;
    default:
        *(volatile uint64_t *)at = value;
    }
}

static uint64_t read_cr(unsigned n)
{
    switch (n) {
    case 0:
        return READ_CR(0);
    case 2:
        return READ_CR(2);
    case 3:
        return READ_CR(3);
    case 4:
        return READ_CR(4);
#ifdef __x86_64__
    default:
        return READ_CR(8);
#else
    default:
        return 0;
#endif
    }
}

static void write_cr(unsigned n, uint64_t value)
{
    switch (n) {
    case 0:
        WRITE_CR(0, value);
        break;
    case 2:
        WRITE_CR(2, value);
        break;
    case 3:
        WRITE_CR(3, value);
        break;
    case 4:
        WRITE_CR(4, value);
        break;
#ifdef __x86_64__
    default:
        WRITE_CR(8, value);
#endif
    }
}

/* Runs what follows; after a trap *t is it, and the function returns false. */
#define GUARDED(t, what)              \
    do {                              \
        struct trap_guard guard;      \
        if (trap_guard_arm(&guard)) { \
            *(t) = guard.trap;        \
            return false;             \
        }                             \
        what;                         \
        trap_guard_disarm(&guard);    \
        return true;                  \
    } while (0)

bool access_peek(uint64_t address, unsigned width, uint64_t *value, struct trap *t)
{
    GUARDED(t, *value = load(address, width));
}

bool access_poke(uint64_t address, unsigned width, uint64_t value, struct trap *t)
{
    GUARDED(t, store(address, width, value));
}

bool access_read_cr(unsigned n, uint64_t *value, struct trap *t) { GUARDED(t, *value = read_cr(n)); }
bool access_write_cr(unsigned n, uint64_t value, struct trap *t) { GUARDED(t, write_cr(n, value)); }

uint32_t access_in(uint16_t port, unsigned width)
{
    return width == 1 ? hw_inb(port) : width == 2 ? hw_inw(port) : hw_inl(port);
}

void access_out(uint16_t port, unsigned width, uint32_t value)
{
    if (width == 1)
        hw_outb(port, (uint8_t)value);
    else if (width == 2)
        hw_outw(port, (uint16_t)value);
    else
        hw_outl(port, value);
}

static uintptr_t flags(void)
{
    uintptr_t v;
    __asm__ volatile("pushf\n\tpop %0" : "=r"(v));
    return v;
}

#define READ_DR(n)                                         \
    ({                                                     \
        uintptr_t v_;                                      \
        __asm__ volatile("mov %%db" #n ", %0" : "=r"(v_)); \
        v_;                                                \
    })
#define READ_SELECTOR(name)                                  \
    ({                                                       \
        uint16_t v_;                                         \
        __asm__ volatile("mov %%" #name ", %0" : "=rm"(v_)); \
        v_;                                                  \
    })

static struct gdtr gdt(void)
{
    struct gdtr r;
    __asm__ volatile("sgdt %0" : "=m"(r));
    return r;
}

static struct gdtr idt(void)
{
    struct gdtr r;
    __asm__ volatile("sidt %0" : "=m"(r));
    return r;
}

static uint16_t task(void)
{
    uint16_t v;
    __asm__ volatile("str %0" : "=rm"(v));
    return v;
}

bool access_register(unsigned i, const char **name, uint64_t *value)
{
    static const char *const names[] = {"flags",    "cr0",      "cr2",       "cr3",       "cr4", "dr0", "dr1",
                                        "dr2",      "dr3",      "dr6",       "dr7",       "cs",  "ss",  "ds",
                                        "gdt base", "idt base", "gdt limit", "idt limit", "tr"};
    switch (i) {
    case 0:
        *value = flags();
        break;
    case 1:
        *value = READ_CR(0);
        break;
    case 2:
        *value = READ_CR(2);
        break;
    case 3:
        *value = READ_CR(3);
        break;
    case 4:
        *value = READ_CR(4);
        break;
    case 5:
        *value = READ_DR(0);
        break;
    case 6:
        *value = READ_DR(1);
        break;
    case 7:
        *value = READ_DR(2);
        break;
    case 8:
        *value = READ_DR(3);
        break;
    case 9:
        *value = READ_DR(6);
        break;
    case 10:
        *value = READ_DR(7);
        break;
    case 11:
        *value = READ_SELECTOR(cs);
        break;
    case 12:
        *value = READ_SELECTOR(ss);
        break;
    case 13:
        *value = READ_SELECTOR(ds);
        break;
    case 14:
        *value = gdt().base;
        break;
    case 15:
        *value = idt().base;
        break;
    case 16:
        *value = gdt().limit;
        break;
    case 17:
        *value = idt().limit;
        break;
    case 18:
        *value = task();
        break;
    default:
        return false;
    }
    *name = names[i];
    return true;
}
