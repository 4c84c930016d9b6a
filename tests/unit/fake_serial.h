/* A machine of 128 MiB whose tables, memory and ports a test fills with UARTs, and what serial_find() makes
 * of them. */
#pragma once
#include "kernel/serial.h"
#include "tests/unit/acpi_tables.h"
#include "tests/unit/fake_uart.h"
#include "tests/unit/unit.h"
#include <string.h>

/* Where an RSDT and what it leads to lie: offsets in tables[], which is at TABLES. */
enum { TABLES = 0x7fe0000, RSDT = 0, SPCR = 0x100, DBG2 = 0x200 };
extern uint8_t tables[0x400], low[0x500]; /* low: the first bytes of memory, with the BIOS data area */
extern struct bootinfo bi;
extern struct fake_uart chip[4];

void put(uint8_t *p, uint64_t value, unsigned bytes);
void machine(void); /* with no port at all */
void spcr(unsigned kind, uint8_t space, uint8_t width, uint64_t address, unsigned rate);
void dbg2(uint8_t space, uint8_t width, uint64_t address);

const char *console(const char *word); /* the port in use, or "none" */
const struct serial_port *port(unsigned i);
void expect_note(unsigned i, const char *part); /* NULL: there is no such note */
