/* Consoles: where lines go, and where keys come from.
 *
 * A console is a device behind a small interface: text out, records out, keys in. There are three: the serial
 * port of console=, which does all three; the one of records=, which takes over the records; and the screen,
 * which shows text. For another one add a row in kernel/console.c. */
#pragma once
#include "kernel/bootinfo.h"

/* Bring up the serial port that spec means (console=; NULL or malformed: auto, kernel/serial.h), and the
 * screen; without_screen (screen=off): only where no port answers, since text must go somewhere. */
void console_init(const struct bootinfo *bi, const char *spec, bool without_screen);
/* Send records to another port (records=com2). Returns NULL, or the fault: no UART there, or the console's
 * own port at another rate. Records then stay where they were. */
const char *console_records_to(const char *spec);

void console_text(const char *line); /* one line, without newline */
void console_record(const char *line, size_t len);

/* A byte that came in over a serial line; one that was damaged is UART_DAMAGED (kernel/uart.h); never waits.
 */
#define CONSOLE_NO_KEY (-1)
int console_key(void);
/* At the prompt (monitor/): bytes that come in while something is written, or between repetitions, are kept,
 * so that pasted lines lose none. Ctrl-C throws away what was kept before it. console_typed() brings those
 * first, and those of all ports; else as console_key(). When CONSOLE_TYPED are kept, a byte that comes is
 * lost, and UART_DAMAGED is in its place. */
#define CONSOLE_TYPED 8192u
void console_keep_typed(void);
int console_typed(void);
void console_accept(bool on);    /* RTS of the console's port (uart_accept()) */
bool console_has_terminal(void); /* a serial line shows text, and brings keys */
/* Bytes to the serial line that shows text, as they are. */
void console_terminal(const char *bytes, size_t len);

bool console_has_keys(void);  /* a port that answers can bring some */
bool console_cancelled(void); /* Ctrl-C (03h) has come in over the serial line since the last call */
void console_drain(void);     /* wait (bounded) until all has been sent */

/* The consoles in use, for the boot record: text face first. NULL after the last. */
const char *console_name(unsigned i);
/* A sentence about the i-th thing that a user should know (a port that was passed over, where the console is,
 * a UART that died, no screen); NULL after the last. */
const char *console_trouble(unsigned i);
