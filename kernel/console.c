#include "kernel/console.h"
#include "kernel/repeated.h"
#include "kernel/screen.h"
#include "kernel/serial.h"
#include <stdio.h>
#include <string.h>

#define CTRL_C 3

/* The operations of a console's device. Strings are valid until the next call. */
struct device {
    void (*line)(void *of, const char *line, size_t len); /* the line, and a line end */
    int (*key)(void *of);          /* a received byte, UART_DAMAGED or UART_NOTHING; NULL: it has no keys */
    void (*drain)(void *of);       /* NULL: every write is complete at once */
    const char *(*name)(void *of); /* NULL: it is not in use */
    const char *(*trouble)(void *of); /* a sentence about its fault; NULL: none */
};

/* ---- serial ports ---- */

static void serial_line(void *of, const char *line, size_t len)
{
    uart_write(of, line, (unsigned)len);
    uart_write(of, "\r\n", 2);
}

REPEATED static int serial_key(void *of)
{
    struct uart *u = of;
    if (!u->present || u->dead) return UART_NOTHING;
    const uint8_t lsr = u->bus->read(u, UART_LSR);
    return lsr & UART_LSR_DATA ? uart_byte(u, lsr) : UART_NOTHING;
}

static void serial_drain(void *of) { uart_drain(of); }

static const char *serial_name_of(void *of)
{
    static char buf[SERIAL_NAME];
    const struct uart *u = of;
    serial_name(u, buf);
    return u->present ? buf : NULL;
}

static const char *serial_trouble(void *of)
{
    static char buf[112];
    const struct uart *u = of;
    if (!u->dead) return NULL;
    snprintf(buf, sizeof buf, "the UART at %s 0x%llx stopped accepting bytes: %u sent, %u lost", u->bus->name,
             (unsigned long long)u->base, (unsigned)u->sent, (unsigned)u->lost);
    return buf;
}

static const struct device serial = {serial_line, serial_key, serial_drain, serial_name_of, serial_trouble};

/* ---- the screen ---- */

static enum screen_kind screen_kind;

static void screen_line(void *of, const char *line, size_t len)
{
    (void)of, (void)len;
    screen_write(line);
    screen_write("\n");
}

static const char *screen_name_of(void *of)
{
    (void)of;
    return screen_kind == SCREEN_NONE ? NULL : screen_name();
}

static const char *screen_trouble_of(void *of)
{
    (void)of;
    return screen_trouble();
}

static const struct device screen = {screen_line, NULL, NULL, screen_name_of, screen_trouble_of};

/* ---- the consoles ---- */

REPEATED_DATA static struct uart port;
static struct uart records_port;

static struct console {
    const struct device *device;
    void *of;
    bool text, records; /* what goes there */
} consoles[] = {
    {&serial, &port, true, true}, {&serial, &records_port, false, false}, {&screen, NULL, true, false}};
static struct console *const main_console = &consoles[0], *const records_console = &consoles[1];
#define END (consoles + sizeof consoles / sizeof *consoles)

void console_init(const struct bootinfo *bi, const char *spec, bool without_screen)
{
    const struct uart *found = serial_find(bi, spec);
    port = found ? *found : (struct uart){0};
    serial_line(&port, "", 0); /* the loader may have left a line unfinished: records begin at column 0 */
    screen_kind = SCREEN_NONE;
    if (without_screen && port.present)
        screen_off();
    else
        screen_kind = screen_init(bi);
}

const char *console_records_to(const char *spec)
{
    struct uart u;
    const char *wrong = serial_find_other(spec, &port, &u);
    if (wrong) return wrong;
    const bool own = u.bus == port.bus && u.base == port.base;
    if (!own) {
        records_port = u;
        serial_line(&records_port, "", 0);
    }
    main_console->records = own;
    records_console->records = !own;
    return NULL;
}

void console_text(const char *line)
{
    for (const struct console *c = consoles; c < END; c++)
        if (c->text) c->device->line(c->of, line, strlen(line));
}

void console_record(const char *line, size_t len)
{
    for (const struct console *c = consoles; c < END; c++)
        if (c->records) c->device->line(c->of, line, len);
}

/* ---- keys ---- */

static struct {
    bool kept; /* else what comes in between repetitions is dropped, but for Ctrl-C */
    short key[CONSOLE_TYPED];
    unsigned from, n; /* a ring */
} typed;

static void keep_typed(int key)
{
    if (key == CTRL_C) {
        typed.n = 0;
        port.interrupted = true;
    } else if (!typed.kept)
        return;
    else if (typed.n < CONSOLE_TYPED)
        typed.key[(typed.from + typed.n++) % CONSOLE_TYPED] = (short)key;
    else
        typed.key[(typed.from + typed.n - 1) % CONSOLE_TYPED] = UART_DAMAGED;
}

void console_keep_typed(void)
{
    typed.kept = true;
    port.received = records_port.received = keep_typed;
}

/* Called between repetitions, so it asks the serial console only, and has few branches. Without a key it
 * touches no other line of data than the port's and its bus's. */
REPEATED bool console_cancelled(void)
{
    int key;
    /* Bounded: the port of a chip that has gone offers data for ever. */
    for (unsigned left = 64; left && (key = serial_key(&port)) != UART_NOTHING; left--) keep_typed(key);
    const bool was = port.interrupted;
    port.interrupted = false;
    return was;
}

int console_typed(void)
{
    if (port.interrupted) { /* it came while something was written */
        port.interrupted = false;
        return CTRL_C;
    }
    if (typed.n) {
        const int key = typed.key[typed.from];
        typed.from = (typed.from + 1) % CONSOLE_TYPED;
        typed.n--;
        return key;
    }
    return console_key();
}

void console_accept(bool on) { uart_accept(&port, on); }
bool console_has_terminal(void) { return port.present && !port.dead; }
void console_terminal(const char *bytes, size_t len) { uart_write(&port, bytes, (unsigned)len); }

_Static_assert(CONSOLE_NO_KEY == UART_NOTHING, "console.h");

int console_key(void)
{
    int key = CONSOLE_NO_KEY;
    for (const struct console *c = consoles; c < END && key == CONSOLE_NO_KEY; c++)
        if (c->device->key) key = c->device->key(c->of);
    return key;
}

bool console_has_keys(void)
{
    for (const struct console *c = consoles; c < END; c++)
        if (c->device->key && c->device->name(c->of)) return true;
    return false;
}

void console_drain(void)
{
    for (const struct console *c = consoles; c < END; c++)
        if (c->device->drain) c->device->drain(c->of);
}

/* The i-th answer of the consoles that have one. */
static const char *nth(unsigned i, const char *(*ask)(const struct console *c))
{
    for (const struct console *c = consoles; c < END; c++) {
        const char *answer = ask(c);
        if (answer && i-- == 0) return answer;
    }
    return NULL;
}

static const char *name(const struct console *c) { return c->device->name(c->of); }
static const char *trouble(const struct console *c) { return c->device->trouble(c->of); }

const char *console_name(unsigned i) { return nth(i, name); }
const char *console_trouble(unsigned i)
{
    unsigned notes = 0;
    while (notes <= i && serial_note(notes)) notes++;
    return notes > i ? serial_note(i) : nth(i - notes, trouble);
}
