/* Serial ports on PCI: class 07h with the interface of a 16550 or a successor. */
#pragma once
#include "kernel/pci.h"
#include "kernel/uart.h"

/* Find them, in ascending order. Returns their number; the first max of them are in list. */
unsigned pci_serial_find(struct pci_function *list, unsigned max);

/* The first port of a function: *u without its rate. enable: switch its BARs on where the firmware has given
 * them addresses. Returns NULL, or why there is none, in words that follow "passed over: ". */
const char *pci_serial_port(const struct pci_function *f, bool enable, struct uart *u);
