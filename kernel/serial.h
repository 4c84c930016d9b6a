/* Serial ports: which one a word of console= or records= means, and which ones the firmware and PCI name.
 *
 * console=auto, the default, takes the first port that answers: of ACPI's SPCR, com1, the other ports of the
 * BIOS data area, those of ACPI's DBG2, PCI's in ascending order. What was looked at stays in a list. */
#pragma once
#include "kernel/bootinfo.h"
#include "kernel/pci.h"
#include "kernel/uart.h"

/* ---- words ---- */

enum serial_kind { SERIAL_AUTO, SERIAL_SPCR, SERIAL_PCI, SERIAL_ADDRESS };
struct serial_word {
    enum serial_kind kind;
    struct uart uart;       /* SERIAL_ADDRESS; of SERIAL_PCI its rate only */
    struct pci_function at; /* SERIAL_PCI */
};

#define SERIAL_WORD 48 /* bytes of a word's value at most, with a NUL */
/* "auto", "spcr", "pci:BUS:DEVICE.FUNCTION[,RATE]" (hexadecimal, as lspci shows them), or what uart_parse()
 * takes; names in any case; up to the end or a blank. */
bool serial_parse(const char *spec, struct serial_word *w);
#define SERIAL_HELP                                                                                          \
    "com1 to com4 (or ttyS0 to ttyS3), a port such as 0x3f8, pci:00:16.3, mmio:0xADDRESS, mmio16: or "       \
    "mmio32: for registers in "                                                                              \
    "memory, spcr; all but spcr may have ,RATE (50 to 115200, a divisor of the latter, n8 after it); or as " \
    "Linux has it, uart8250,io,0x3f8"

/* As words have it: "0x3f8,115200", "mmio32:0xfe034000,115200"; without a rate that is not known. */
#define SERIAL_NAME 40
void serial_name(const struct uart *u, char name[SERIAL_NAME]);

/* ---- the list ---- */

enum serial_by { BY_WORD, BY_SPCR, BY_COM1, BY_BDA, BY_DBG2, BY_PCI };
/* PORT_NAMED: not tried, since none was needed. */
enum serial_state { PORT_NAMED, PORT_CONSOLE, PORT_RECORDS, PORT_PASSED };

struct serial_port {
    enum serial_by by;
    enum serial_state state;
    struct uart uart;        /* bus NULL: nothing usable is named */
    struct pci_function at;  /* BY_PCI, and BY_WORD of pci: */
    uint16_t vendor, device; /* of that function; 0 without one */
    const char *why;         /* it was passed over; NULL: it does not answer */
};

#define SERIAL_PORTS 16
struct serial_list {
    char wanted[SERIAL_WORD]; /* the word, "auto" where there is none */
    struct serial_port port[SERIAL_PORTS];
    unsigned n, beyond;  /* beyond: there was no room for so many */
    bool pci_asked, pci; /* PCI was looked for; there is PCI */
    bool pci_searched;   /* all buses were looked through */
    uint64_t ticks;      /* of the TSC that looking took; 0: there is no TSC */
};
const struct serial_list *serial_list(void);

/* Look for the port of console=: spec, or auto where it is NULL or none of the words. Before paging_init(),
 * which takes page 0 away. Returns NULL, or the port in use. */
const struct uart *serial_find(const struct bootinfo *bi, const char *spec);

/* The port that a word of records= names, tried unless it is console, which stays as it is. Returns NULL, and
 * the port in *out, or what is wrong. */
const char *serial_find_other(const char *spec, const struct uart *console, struct uart *out);

/* Does a port in use have registers in memory at [from, end)? */
bool serial_uses(uint64_t from, uint64_t end);

/* A sentence about the i-th port that was passed over; then one about the port that was found, unless it is
 * com1 or named by the word. NULL after the last. Valid until the next call. */
const char *serial_note(unsigned i);
const char *serial_by_name(enum serial_by by); /* "word", "spcr", "com1", "bda", "dbg2", "pci" */
