#include "kernel/serial.h"
#include "kernel/acpi.h"
#include "kernel/acpi_serial.h"
#include "kernel/cpuid.h"
#include "kernel/hw.h"
#include "kernel/multiboot.h"
#include "kernel/paging.h"
#include "kernel/pci_serial.h"
#include <stdio.h>
#include <string.h>

#define BDA_COM       0x400 /* BIOS data area: four words, the ports of COM1 to COM4; 0: none */
#define BDA_COMS      4
#define PORT_LEAST    0x100
#define PORT_MOST     0xfff8
#define DBG2_PORTS    4
#define PCI_PORTS     6
#define MAPLESS_BELOW 0xc0000000u /* without a map, what may be RAM (kernel/paging.c likewise) */

static const char out_of_reach[] = "this kernel cannot reach its address";

static struct serial_list list;
static const struct bootinfo *boot;
static bool acpi_found;

const struct serial_list *serial_list(void) { return &list; }

/* ---- the list ---- */

static bool same_place(const struct uart *a, const struct uart *b)
{
    return a->bus && a->bus == b->bus && a->base == b->base;
}

/* Another port; one at the place of an earlier one is that. NULL: no room. */
static struct serial_port *add(enum serial_by by, const struct uart *u)
{
    for (unsigned i = 0; u && i < list.n; i++)
        if (same_place(&list.port[i].uart, u)) return &list.port[i];
    if (list.n == SERIAL_PORTS) {
        list.beyond++;
        return NULL;
    }
    struct serial_port *p = &list.port[list.n++];
    *p = (struct serial_port){.by = by};
    if (u) p->uart = *u;
    return p;
}

static void pass(struct serial_port *p, const char *why)
{
    if (!p) return;
    p->state = PORT_PASSED;
    p->why = why;
}

/* ---- trying a port ---- */

/* Would writing there change memory? A table may lie, and a word have a slip of the pen. */
static bool is_ram(uint64_t base, uint64_t bytes)
{
    if (boot->map_source != MAP_MMAP) return base < MAPLESS_BELOW;
    for (unsigned i = 0; i < boot->n_map; i++) {
        const struct mem_range *r = &boot->map[i];
        if (r->type == MEM_AVAILABLE && r->base < base + bytes && base < r->base + r->len) return true;
    }
    return false;
}

/* NULL: the port may be touched. */
static const char *unreachable(const struct uart *u)
{
    const uint64_t bytes = (uint64_t)u->stride * UART_REGISTERS;
    if (u->bus != &uart_memory) return NULL;
    if (is_ram(u->base, bytes)) return "its address is that of RAM";
    return paging_map_device(u->base, bytes) ? NULL : out_of_reach;
}

/* In use, if it answers. One that was tried is not tried again. */
static bool try_as(struct serial_port *p, enum serial_state use)
{
    if (!p || p->state != PORT_NAMED) return false;
    p->why = unreachable(&p->uart);
    p->state = !p->why && uart_init(&p->uart) ? use : PORT_PASSED;
    return p->state == use;
}

static bool try(struct serial_port *p) { return try_as(p, PORT_CONSOLE); }

/* ---- where ports are named ---- */

static struct serial_port *spcr, *com1, *dbg2[DBG2_PORTS], *bda[BDA_COMS];
static const char *spcr_lack;

static struct serial_port *add_acpi(enum serial_by by, const struct acpi_port *port)
{
    struct serial_port *p = add(by, port->fault ? NULL : &port->uart);
    if (port->fault) pass(p, port->fault);
    return p;
}

static void read_spcr(const struct acpi_table *table)
{
    struct acpi_port port = {.fault = table->fault};
    spcr_lack = table->bytes || table->fault ? NULL : "the firmware has no such table";
    if (spcr_lack) return;
    if (table->bytes) spcr_read(table->bytes, table->length, &port);
    spcr = add_acpi(BY_SPCR, &port);
}

static void read_dbg2(const struct acpi_table *table)
{
    struct acpi_port port[DBG2_PORTS] = {{.fault = table->fault}};
    unsigned n = table->fault ? 1 : 0;
    if (table->bytes) n = dbg2_read(table->bytes, table->length, port, DBG2_PORTS);
    for (unsigned i = 0; i < n; i++) dbg2[i] = add_acpi(BY_DBG2, &port[i]);
}

static void read_bda(void)
{
    uint16_t port[BDA_COMS];
    if (boot->efi || !boot_read(port, BDA_COM, sizeof port)) return;
    for (unsigned i = 0; i < BDA_COMS; i++) {
        const struct uart u = {
            .bus = &uart_ports, .base = port[i], .clock = UART_PC_BAUD, .baud = UART_PC_BAUD};
        if (port[i] >= PORT_LEAST && port[i] <= PORT_MOST) bda[i] = add(BY_BDA, &u);
    }
}

static bool has_pci(void)
{
    if (!list.pci_asked) list.pci = pci_probe(boot, acpi_found);
    list.pci_asked = true;
    return list.pci;
}

/* A function's port, in the list. rate: its baud; by: who names it. */
static struct serial_port *add_pci(const struct pci_function *at, enum serial_by by, uint32_t rate)
{
    struct uart u = {0};
    const char *why = pci_serial_port(at, by == BY_WORD, &u);
    u.baud = rate;
    const unsigned before = list.n;
    struct serial_port *p = add(by, why ? NULL : &u);
    if (!p || list.n == before) return p;
    const uint32_t id = pci_read32(at, 0);
    p->at = *at;
    p->vendor = (uint16_t)id;
    p->device = (uint16_t)(id >> 16);
    if (why) pass(p, why);
    return p;
}

/* ---- choosing ---- */

static struct serial_port *first_of_pci(void)
{
    struct pci_function at[PCI_PORTS];
    struct serial_port *used = NULL;
    if (!has_pci()) return NULL;
    list.pci_searched = true;
    const unsigned n = pci_serial_find(at, PCI_PORTS);
    if (n > PCI_PORTS) list.beyond += n - PCI_PORTS;
    for (unsigned i = 0; i < n && i < PCI_PORTS; i++) {
        struct serial_port *p = add_pci(&at[i], BY_PCI, UART_PC_BAUD);
        if (!used && try(p)) used = p;
    }
    return used;
}

static struct serial_port *first_of(struct serial_port *const *port, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (try(port[i])) return port[i];
    return NULL;
}

static struct serial_port *automatic(void)
{
    struct serial_port *p;
    if (try(spcr)) return spcr;
    if (try(com1)) return com1;
    if ((p = first_of(bda, BDA_COMS)) || (p = first_of(dbg2, DBG2_PORTS))) return p;
    return first_of_pci();
}

/* The one port that the word names, in the list. NULL: none, and *why says it. */
static struct serial_port *named(const struct serial_word *word, const char **why)
{
    if (word->kind == SERIAL_SPCR) {
        *why = spcr_lack;
        return spcr;
    }
    if (word->kind == SERIAL_PCI && !has_pci()) {
        *why = "there is no PCI here";
        return NULL;
    }
    struct serial_port *p =
        word->kind == SERIAL_PCI ? add_pci(&word->at, BY_WORD, word->uart.baud) : add(BY_WORD, &word->uart);
    *why = "there are too many ports";
    if (p && p->state == PORT_NAMED) { /* the word's rate counts, and not that of another source */
        p->by = BY_WORD;
        p->uart.baud = word->uart.baud;
    }
    return p;
}

static uint64_t now(void)
{
    return cpuid_present() && hw_cpuid(0, 0).eax >= 1 && hw_cpuid(1, 0).edx & CPUID_1_EDX_TSC ? hw_rdtsc()
                                                                                              : 0;
}

const struct uart *serial_find(const struct bootinfo *bi, const char *spec)
{
    struct serial_word word = {.kind = SERIAL_AUTO};
    static const char *const signatures[] = {"SPCR", "DBG2"};
    struct acpi_table table[2];
    const char *why = NULL;
    const uint64_t begun = now();
    list = (struct serial_list){.wanted = "auto"};
    spcr = NULL;
    memset(dbg2, 0, sizeof dbg2);
    memset(bda, 0, sizeof bda);
    boot = bi;
    if (spec && serial_parse(spec, &word))
        snprintf(list.wanted, sizeof list.wanted, "%.*s", (int)strcspn(spec, " \t"), spec);
    acpi_found = acpi_find(bi, signatures, 2, table);
    read_spcr(&table[0]);
    struct serial_port *p = NULL;
    struct uart first;
    uart_parse("com1", &first);
    if (word.kind == SERIAL_AUTO)
        com1 = add(BY_COM1, &first);
    else
        p = named(&word, &why);
    read_bda();
    read_dbg2(&table[1]);
    if (word.kind == SERIAL_AUTO)
        p = automatic();
    else if (!p)
        pass(add(word.kind == SERIAL_SPCR ? BY_SPCR : BY_WORD, NULL), why);
    else if (!try(p))
        p = NULL;
    list.ticks = now() - begun;
    return p ? &p->uart : NULL;
}

const char *serial_find_other(const char *spec, const struct uart *console, struct uart *out)
{
    static char wrong[160];
    struct serial_word word;
    const char *why = NULL;
    if (!serial_parse(spec, &word) || word.kind == SERIAL_AUTO) return "there is no such port";
    struct serial_port *p = named(&word, &why);
    if (p && p->state == PORT_CONSOLE) {
        *out = *console;
        if (word.kind != SERIAL_SPCR && word.uart.baud != console->baud)
            return "the console uses that port at another rate, which stays";
        return NULL;
    }
    if (p && (p->state == PORT_RECORDS || try_as(p, PORT_RECORDS))) {
        *out = p->uart;
        return NULL;
    }
    if (p) why = p->why;
    if (!why) return "no UART answers at that port";
    snprintf(wrong, sizeof wrong, "that port cannot be used: %s", why);
    return wrong;
}

bool serial_uses(uint64_t from, uint64_t end)
{
    for (const struct serial_port *p = list.port; p < list.port + list.n; p++) {
        const struct uart *u = &p->uart;
        if ((p->state == PORT_CONSOLE || p->state == PORT_RECORDS) && u->bus == &uart_memory &&
            u->base < end && u->base + (uint64_t)u->stride * UART_REGISTERS > from)
            return true;
    }
    return false;
}
