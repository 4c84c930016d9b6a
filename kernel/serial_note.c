/* What is said about serial ports: see kernel/serial.h. */
#include "kernel/serial.h"
#include <stdio.h>
#include <string.h>

static const char *passed_over(const struct serial_port *p)
{
    static const char *const who[] = {[BY_WORD] = "",
                                      [BY_SPCR] = ", which ACPI's SPCR names",
                                      [BY_COM1] = "",
                                      [BY_BDA] = ", which the BIOS data area names",
                                      [BY_DBG2] = ", which ACPI's DBG2 names",
                                      [BY_PCI] = ", which PCI names"};
    static const char *const what[] = {
        [BY_WORD] = "the port of console=", [BY_SPCR] = "ACPI's SPCR", [BY_COM1] = "com1",
        [BY_BDA] = "the BIOS data area",    [BY_DBG2] = "ACPI's DBG2", [BY_PCI] = "a serial port on PCI"};
    static char text[240];
    if (p->why && p->device)
        snprintf(text, sizeof text, "the serial port at PCI %02x:%02x.%u is passed over: %s", p->at.bus,
                 p->at.device, p->at.function, p->why);
    else if (p->why)
        snprintf(text, sizeof text, "%s is passed over: %s", what[p->by], p->why);
    else
        snprintf(text, sizeof text,
                 p->uart.dead ? "a UART that accepts no bytes is at %s 0x%llx%s"
                              : "no UART answers at %s 0x%llx%s",
                 p->uart.bus->name, (unsigned long long)p->uart.base, who[p->by]);
    return text;
}

static const char *found(const struct serial_port *p)
{
    static char text[160];
    static const char *const by[] = {
        [BY_SPCR] = "ACPI's SPCR", [BY_BDA] = "the BIOS data area", [BY_DBG2] = "ACPI's DBG2"};
    char place[32];
    snprintf(place, sizeof place, "PCI %02x:%02x.%u", p->at.bus, p->at.device, p->at.function);
    snprintf(text, sizeof text, "the console is the UART at %s 0x%llx, %u baud, found by %s",
             p->uart.bus->name, (unsigned long long)p->uart.base, (unsigned)p->uart.baud,
             p->by == BY_PCI ? place : by[p->by]);
    return text;
}

/* Linux' names are known here, and those of the BIOS are in all that is said. NULL: the word has none. */
static const char *renamed(const char *word)
{
    static char text[40];
    const char *number = word ? uart_parse_name(word, "ttys") : NULL;
    if (!number) return NULL;
    snprintf(text, sizeof text, "console=ttyS%c is com%c", *number, *number + 1);
    return text;
}

const char *serial_note(unsigned i)
{
    const struct serial_list *list = serial_list();
    for (const struct serial_port *p = list->port; p < list->port + list->n; p++)
        if (p->state == PORT_PASSED && i-- == 0) return passed_over(p);
    for (const struct serial_port *p = list->port; p < list->port + list->n; p++)
        if (p->state == PORT_CONSOLE && p->by != BY_WORD && p->by != BY_COM1 && i-- == 0) return found(p);
    if (renamed(list->wanted) && i-- == 0) return renamed(list->wanted);
    return NULL;
}
