/* A bad loader: a multiboot 1 kernel that starts the real one (its first module) with information of its own
 * making, with the local APIC in a state that some firmware leaves, or with an MWAIT that no store ends. The
 * first word after its path chooses what is wrong; the rest of its command line is passed on. */
#include <stdint.h>

#define MAGIC 0x2badb002u

struct info { /* Multiboot 0.6.96, section 3.3 */
    uint32_t flags, mem_lower, mem_upper, boot_device, cmdline, mods_count, mods_addr, syms[4], mmap_length,
        mmap_addr;
    uint32_t drives_length, drives_addr, config_table, boot_loader_name, apm_table, vbe[4], fb[6];
};

struct elf { /* ELF32 */
    uint8_t ident[16];
    uint16_t type, machine;
    uint32_t version, entry, phoff, shoff, flags;
    uint16_t ehsize, phentsize, phnum;
};

struct segment {
    uint32_t type, offset, vaddr, paddr, filesz, memsz, flags, align;
};

static struct info made;

static int starts(const char *s, const char *word)
{
    while (*word)
        if (*s++ != *word++) return 0;
    return *s == ' ' || *s == '\0';
}

static const char *next_word(const char *s)
{
    while (*s && *s != ' ') s++;
    while (*s == ' ') s++;
    return s;
}

/* A loader puts things where the kernel will lie: this much is moved out of its way first, to 48 MiB. */
static uint32_t keep(uint32_t from, uint32_t len)
{
    static uint32_t next = 48u << 20;
    const uint32_t at = next;
    for (uint32_t i = 0; i < len; i++) ((volatile uint8_t *)at)[i] = ((const uint8_t *)from)[i];
    next = (at + len + 4095) & ~4095u;
    return at;
}

static uint32_t keep_module(uint32_t entry)
{
    const uint32_t *m = (const uint32_t *)entry;
    const uint32_t len = m[1] - m[0], at = keep(m[0], len);
    const uint32_t moved[4] = {at, at + len, m[2], 0};
    return keep((uint32_t)moved, sizeof moved);
}

static void make(const struct info *given, const char *mode)
{
    made.flags = 4; /* the command line alone: "nomap" */
    if (starts(mode, "meminfo")) {
        made.flags |= 1;
        made.mem_lower = given->mem_lower;
        made.mem_upper = given->mem_upper;
    }
    if (starts(mode, "truncated")) { /* the last entry is cut off in its middle */
        made.flags |= 0x40;
        made.mmap_addr = given->mmap_addr;
        made.mmap_length = given->mmap_length - 7;
    }
    if (starts(mode, "module")) { /* one at address 0, of which nothing can be read */
        static const uint32_t nowhere[4] = {0, 0x1000, 0, 0};
        made.flags |= 8;
        made.mods_count = 1;
        made.mods_addr = (uint32_t)nowhere;
    }
    if (starts(mode, "garbage")) { /* everything is promised, nothing is there */
        for (uint32_t *p = (uint32_t *)&made; p < (uint32_t *)(&made + 1); p++) *p = 0xfffffff0;
        made.flags = 0xffffffff;
    }
}

static void config_select(uint32_t function, uint32_t reg)
{
    __asm__ volatile("outl %0, %1" ::"a"(0x80000000 | function << 8 | reg), "Nd"((uint16_t)0xcf8));
}

static uint32_t config_read(uint32_t function, uint32_t reg)
{
    uint32_t v;
    config_select(function, reg);
    __asm__ volatile("inl %1, %0" : "=a"(v) : "Nd"((uint16_t)0xcfc));
    return v;
}

static void config_write(uint32_t function, uint32_t reg, uint32_t v)
{
    config_select(function, reg);
    __asm__ volatile("outl %0, %1" ::"a"(v), "Nd"((uint16_t)0xcfc));
}

/* The USB controllers of bus 0 as a firmware leaves them that has a keyboard on each. */
static void firmware_has_usb(void)
{
    for (uint32_t f = 0; f < 256; f++) {
        if (config_read(f, 0) == 0xffffffff || config_read(f, 8) >> 16 != 0x0c03) continue;
        switch (config_read(f, 8) >> 8 & 0xff) {
        case 0x00: /* UHCI: traps of ports 60h and 64h */
            config_write(f, 0xc0, 0x003f);
            break;
        case 0x10: /* OHCI: interrupts are SMIs */
            *(volatile uint32_t *)((config_read(f, 0x10) & ~15u) + 4) |= 0x100;
            break;
        case 0x20: { /* EHCI: the semaphore, and SMIs */
            const uint32_t at = *(volatile uint32_t *)((config_read(f, 0x10) & ~15u) + 8) >> 8 & 0xff;
            config_write(f, at, config_read(f, at) | 0x10000);
            config_write(f, at + 4, 0x2001);
        }
        }
    }
}

/* The loader's own information: memory, and a second module. */
static void pass_on(const struct info *given)
{
    made.flags = 4 | (given->flags & 0x41);
    made.mem_lower = given->mem_lower;
    made.mem_upper = given->mem_upper;
    made.mmap_length = given->mmap_length;
    made.mmap_addr = keep(given->mmap_addr, given->mmap_length);
    if (given->mods_count < 2) return;
    made.flags |= 8;
    made.mods_count = 1;
    made.mods_addr = keep_module(given->mods_addr + 16);
}

/* ---- possible leftovers of firmware in the local APIC (SDM vol. 3A 10.4.3, 10.8, 10.12) ---- */

#define MSR_APIC_BASE 0x1b
#define BASE_X2APIC   (1u << 10)
#define BASE_ENABLE   (1u << 11)
#define APIC(reg)     (*(volatile uint32_t *)(0xfee00000 + (reg)))
#define SELF_FIXED    0x44000 /* interrupt command: to this CPU, edge */

static void apic_base(uint32_t set, uint32_t clear)
{
    uint32_t lo, hi;
    __asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(MSR_APIC_BASE));
    __asm__ volatile("wrmsr" ::"a"((lo | set) & ~clear), "d"(hi), "c"(MSR_APIC_BASE));
}

extern const char ignore[];
struct table {
    uint16_t limit;
    uint32_t base;
} __attribute__((packed));

static void descriptors(void)
{
    static const uint64_t gdt[] = {0, 0x00cf9a000000ffff, 0x00cf92000000ffff};
    static uint32_t idt[256][2];
    for (unsigned i = 0; i < 256; i++) {
        idt[i][0] = 8u << 16 | ((uint32_t)ignore & 0xffff);
        idt[i][1] = ((uint32_t)ignore & 0xffff0000) | 0x8e00;
    }
    const struct table gdtr = {sizeof gdt - 1, (uint32_t)gdt}, idtr = {sizeof idt - 1, (uint32_t)idt};
    __asm__ volatile("lgdt %0\n\tljmp $8, $1f\n1:\tmovl $16, %%eax\n\tmovl %%eax, %%ds\n\t"
                     "movl %%eax, %%es\n\tmovl %%eax, %%ss" ::"m"(gdtr)
                     : "eax", "memory");
    __asm__ volatile("lidt %0" ::"m"(idtr));
}

/* One of the highest class is in service for good, one of another waits, and the task priority lets nothing
 * through. */
static void leave_in_service(void)
{
    __asm__ volatile("outb %%al, $0x21\n\toutb %%al, $0xa1" ::"a"(0xff)); /* the 8259s are silent */
    descriptors();
    APIC(0xf0) = 0x1ff;
    APIC(0x80) = 0;
    APIC(0x300) = SELF_FIXED | 0xfe;
    __asm__ volatile("sti\n\tnop\n\tnop\n\tnop\n\tcli");
    APIC(0x80) = 0xf0;
    APIC(0x300) = SELF_FIXED | 0x41;
}

static uint32_t load(const uint8_t *image)
{
    const struct elf *e = (const struct elf *)image;
    const struct segment *s = (const struct segment *)(image + e->phoff);
    for (unsigned i = 0; i < e->phnum; i++, s++) {
        volatile uint8_t *to = (volatile uint8_t *)s->paddr;
        if (s->type != 1) continue;
        for (uint32_t k = 0; k < s->memsz; k++) to[k] = k < s->filesz ? image[s->offset + k] : 0;
    }
    return e->entry;
}

/* The MWAIT of a processor with erratum ICX143 misses the store: here it is HLT with interrupts disabled,
 * which an NMI ends. Worse, it may miss the NMI as well: here it is a jump to itself. */
static void change_mwait(uint8_t *image, uint32_t bytes, uint32_t with)
{
    for (uint32_t i = 0; i + 3 <= bytes; i++) {
        if (image[i] != 0x0f || image[i + 1] != 0x01 || image[i + 2] != 0xc9) continue;
        for (unsigned k = 0; k < 3; k++) image[i + k] = (uint8_t)(with >> 8 * k);
    }
}
#define HLT  0x9090f4 /* and two NOPs */
#define LOOP 0x90feeb

void loader_main(const struct info *given);
void loader_main(const struct info *given)
{
    const char *mode = next_word((const char *)keep(given->cmdline, 4096));
    const uint32_t *module = (const uint32_t *)keep_module(given->mods_addr);
    make(given, mode);
    if (starts(mode, "usb") || starts(mode, "x2apic") || starts(mode, "apicoff") ||
        starts(mode, "inservice") || starts(mode, "deaf") || starts(mode, "dead"))
        pass_on(given);
    if (starts(mode, "deaf")) change_mwait((uint8_t *)module[0], module[1] - module[0], HLT);
    if (starts(mode, "dead")) change_mwait((uint8_t *)module[0], module[1] - module[0], LOOP);
    if (starts(mode, "usb")) firmware_has_usb();
    if (starts(mode, "x2apic")) apic_base(BASE_X2APIC, 0);
    if (starts(mode, "apicoff")) apic_base(0, BASE_ENABLE);
    if (starts(mode, "inservice")) leave_in_service();
    made.cmdline = (uint32_t)mode; /* the mode stands where a loader puts the kernel's path */
    uint32_t entry = load((const uint8_t *)module[0]);
    __asm__ volatile("jmp *%2" ::"a"(MAGIC), "b"(&made), "r"(entry));
}

__asm__(".section .multiboot, \"a\"\n\t"
        ".long 0x1badb002, 3, -(0x1badb002 + 3)\n\t"
        ".text\n\t"
        ".globl entry\n"
        "entry: movl $stack + 4096, %esp\n\t"
        "pushl %ebx\n\t"
        "call loader_main\n"
        "ignore: iret\n\t" /* an interrupt that gets no EOI */
        ".bss\n\t"
        "stack: .skip 4096\n\t"
        ".text");
