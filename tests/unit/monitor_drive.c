#include "tests/unit/monitor_drive.h"
#include "report/record.h"
#include "tests/unit/unit.h"
#include <string.h>

struct machine machine;
struct cpu cpu = {.machine = &machine};
struct session session;
struct monitor m;
unsigned port_reads, port_writes, port_width;
uint32_t port_value;

static uint32_t port_in(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx;
    port_reads++;
    return width == 1 ? 0x5au + offset : width == 2 ? 0x5b5a : 0xcafe5a5a;
}

static void port_out(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    (void)ctx, (void)offset;
    port_writes++;
    port_value = value;
    port_width = width;
}

static const struct fake_device port = {0x300, 8, port_in, port_out, NULL};
static const struct fake_cpuid leaves[] = {
    {0, 0, {4, 0x756e6547, 0x6c65746e, 0x49656e69}}, {1, 0, {0x673, 0, 0, 1}}, {4, 1, {7, 8, 9, 10}}};

int begin(void **state)
{
    static const struct session_sinks sinks = {console_record, console_text};
    (void)state;
    fake_reset();
    fake_cpuid_asked_freely();
    fake_cpuid(leaves, 3);
    fake_msr(0x1b, 0xfee00900);
    fake_port(&port);
    fake_access_reset();
    fake_request_reset();
    machine = (struct machine){
        .cpus = 1, .cpu = {&cpu}, .memory = {.pool = (uint8_t *)0x400000, .pool_bytes = 1 << 20}};
    static const struct pmu none;
    session = (struct session){.machine = &machine, .words.pmu = &none};
    m = (struct monitor){.session = &session};
    port_reads = port_writes = 0;
    session_begin(&sinks);
    fake_console_reset();
    return 0;
}
const char *answer(const char *line)
{
    static char text[FAKE_CONSOLE_BYTES];
    fake_console_reset();
    command_obey(&m, line);
    strcpy(text, console_said);
    for (char *c = text; *c; c++)
        if (*c == '\n') *c = ' ';
    return text;
}

void says(const char *line, const char *part)
{
    const char *text = answer(line);
    if (!strstr(text, part)) fail_msg("%s: got \"%s\", not \"%s\"", line, text, part);
}
