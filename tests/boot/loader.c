/* A bad loader: a multiboot 1 kernel that starts the real one (its first module) with information of its own
 * making. The first word after its path chooses what is wrong; the rest of its command line is passed on. */
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

void loader_main(const struct info *given);
void loader_main(const struct info *given)
{
    const char *mode = next_word((const char *)given->cmdline);
    const uint32_t *module = (const uint32_t *)given->mods_addr;
    make(given, mode);
    if (starts(mode, "usb")) {
        made = *given;
        firmware_has_usb();
    }
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
        "call loader_main\n\t"
        ".bss\n\t"
        "stack: .skip 4096\n\t"
        ".text");
