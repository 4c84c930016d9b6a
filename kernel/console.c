#include "kernel/console.h"
#include "kernel/repeated.h"
#include "kernel/screen.h"
#include <stdio.h>

#define CTRL_C 3

enum { TEXT, RECORDS, PORTS };
static struct uart port[PORTS];
static struct uart *records = &port[TEXT]; /* same port unless records= moved them */
static enum screen_kind screen;

void console_init(const struct bootinfo *bi, const char *spec)
{
    if (!spec || !uart_parse(spec, &port[TEXT])) uart_parse("com1", &port[TEXT]);
    uart_init(&port[TEXT]);
    uart_write(&port[TEXT], "\r\n",
               2); /* the loader may have left a line unfinished: records begin at column 0 */
    screen = screen_init(bi);
}

const char *console_records_to(const char *spec)
{
    struct uart u;
    if (!uart_parse(spec, &u)) return "there is no such port";
    if (u.port == port[TEXT].port) {
        records = &port[TEXT];
        return u.baud == port[TEXT].baud ? NULL : "the console uses that port at another rate, which stays";
    }
    port[RECORDS] = u;
    if (!uart_init(&port[RECORDS])) return "no UART answers at that port";
    uart_write(&port[RECORDS], "\r\n", 2);
    records = &port[RECORDS];
    return NULL;
}

void console_text(const char *line)
{
    unsigned len = 0;
    while (line[len]) len++;
    uart_write(&port[TEXT], line, len);
    uart_write(&port[TEXT], "\r\n", 2);
    screen_write(line);
    screen_write("\n");
}

void console_record(const char *line, size_t len)
{
    uart_write(records, line, (unsigned)len);
    uart_write(records, "\r\n", 2);
}

REPEATED bool console_cancelled(void)
{
    bool cancelled = false;
    /* Bounded: the port of a chip that has gone offers data for ever. */
    for (unsigned left = 64; uart_waiting(&port[TEXT]) && left; left--)
        if (uart_read(&port[TEXT]) == CTRL_C) cancelled = true;
    return cancelled;
}

void console_drain(void)
{
    uart_drain(&port[TEXT]);
    if (records != &port[TEXT]) uart_drain(records);
}

const char *console_name(unsigned i)
{
    static char buf[48];
    for (unsigned p = 0; p < PORTS; p++)
        if (port[p].present && i-- == 0) {
            snprintf(buf, sizeof buf, "0x%x,%u", port[p].port, (unsigned)port[p].baud);
            return buf;
        }
    return screen != SCREEN_NONE && i == 0 ? screen_name() : NULL;
}

const char *console_trouble(unsigned i)
{
    static char buf[96];
    for (unsigned p = 0; p < PORTS; p++) {
        if (port[p].port == 0 || (port[p].present && !port[p].dead) || i-- != 0) continue;
        if (port[p].dead)
            snprintf(buf, sizeof buf, "the UART at port 0x%x stopped accepting bytes: %u sent, %u lost",
                     port[p].port, (unsigned)port[p].sent, (unsigned)port[p].lost);
        else
            snprintf(buf, sizeof buf, "no UART answers at port 0x%x", port[p].port);
        return buf;
    }
    return i == 0 ? screen_trouble() : NULL;
}
