/* Which serial ports there are, as a record. */
#include "report/emit.h"
#include "report/put.h"

static void port_fields(struct record *r, const struct serial_port *p)
{
    static const char *const state[] = {[PORT_NAMED] = "named",
                                        [PORT_CONSOLE] = "console",
                                        [PORT_RECORDS] = "records",
                                        [PORT_PASSED] = "passed over"};
    char name[SERIAL_NAME];
    rec_object(r, NULL);
    PUT(r, port, by, serial_by_name(p->by));
    PUT(r, port, state, state[p->state]);
    if (p->uart.bus) {
        serial_name(&p->uart, name);
        PUT(r, port, port, name);
    }
    if (p->device) {
        PUTF(r, port, pci, "%02x:%02x.%u", p->at.bus, p->at.device, p->at.function);
        PUTF(r, port, id, "%04x:%04x", p->vendor, p->device);
    }
    if (p->state == PORT_PASSED)
        PUT(r, port, why, p->why ? p->why : p->uart.dead ? "it accepts no bytes" : "it does not answer");
    rec_close(r);
}

void emit_consoles(const struct serial_list *list, const struct clock *clock)
{
    struct record *r = NEW(consoles);
    PUT(r, consoles, wanted, list->wanted);
    for (unsigned i = 0; i < list->n; i++) {
        const struct serial_port *p = &list->port[i];
        char name[SERIAL_NAME];
        if (p->state != PORT_CONSOLE) continue;
        serial_name(&p->uart, name);
        PUT(r, consoles, console, name);
        PUT(r, consoles, by, serial_by_name(p->by));
    }
    OPEN(r, consoles, ports);
    for (unsigned i = 0; i < list->n; i++) port_fields(r, &list->port[i]);
    rec_close(r);
    if (list->beyond) PUT(r, consoles, more, list->beyond);
    PUT(r, consoles, pci,
        list->pci_searched              ? "searched"
        : list->pci_asked && !list->pci ? "absent"
                                        : "not searched");
    if (list->ticks) PUT(r, consoles, ticks, list->ticks);
    if (list->ticks && clock->tsc_hz) PUT(r, consoles, ms, (double)list->ticks * 1e3 / (double)clock->tsc_hz);
    record_emit(r);
}
