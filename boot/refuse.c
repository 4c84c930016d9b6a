/* The x86_64 kernel on a CPU without long mode: report this over the serial line, as a record and as text,
 * and leave with status 3.
 *
 * This is 32-bit code inside the 64-bit kernel (boot/code32.h; all its symbols are prefixed with boot32_),
 * together with the few sources that it shares. Assembly, or a driver of its own, would duplicate console=
 * and exit=. There is neither a C library nor an IDT.
 */
#include "kernel/bootinfo.h"
#include "kernel/cmdline.h"
#include "kernel/crc32.h"
#include "kernel/exit.h"
#include "kernel/uart.h"

/* ---- functions of the C library ---- */

size_t strlen(const char *s)
{
    const char *p = s;
    while (*p) p++;
    return (size_t)(p - s);
}

int strncmp(const char *a, const char *b, size_t n)
{
    for (; n; n--, a++, b++)
        if (*a != *b || !*a) return (unsigned char)*a - (unsigned char)*b;
    return 0;
}

size_t strcspn(const char *s, const char *reject)
{
    size_t n = 0;
    for (; s[n]; n++)
        for (const char *r = reject; *r; r++)
            if (s[n] == *r) return n;
    return n;
}

/* ---- the loader's command line ---- */

#define MB1_FLAG_CMDLINE 4
#define MB2_TAG_END      0
#define MB2_TAG_CMDLINE  1

static const char *raw_cmdline(uint32_t magic, const uint32_t *info)
{
    if (magic == MULTIBOOT1_MAGIC) return info[0] & MB1_FLAG_CMDLINE ? (const char *)info[4] : "";
    if (magic != MULTIBOOT2_MAGIC) return "";
    const uint32_t *end = info + info[0] / 4;
    for (const uint32_t *tag = info + 2; tag + 2 < end && tag[0] != MB2_TAG_END && tag[1] >= 8;
         tag += (tag[1] + 7) / 8 * 2)
        if (tag[0] == MB2_TAG_CMDLINE) return (const char *)(tag + 2);
    return "";
}

/* ---- the message ---- */

static struct uart uart;

/* Prints one record: body has no closing brace; the CRC and the brace are added. */
static void record(const char *body)
{
    static const char hex[] = "0123456789abcdef";
    char tail[] = ",\"crc\":\"........\"}\r\n";
    uint32_t crc = crc32(0, body, strlen(body));
    for (unsigned i = 0; i < 8; i++) tail[8 + i] = hex[crc >> (28 - 4 * i) & 15];
    uart_write(&uart, body, strlen(body));
    uart_write(&uart, tail, sizeof tail - 1);
}

void refuse_no_long_mode(uint32_t magic, const uint32_t *info);
void refuse_no_long_mode(uint32_t magic, const uint32_t *info)
{
    static const char text[] =
        "error: this CPU has no long mode, or no SSE2; boot the i586 kernel instead\r\n";
    const char *line = raw_cmdline(magic, info);
    const char *spec = cmdline_raw_find(line, "console"), *exit_word = cmdline_raw_find(line, "exit");
    enum exit_how how = exit_word ? exit_parse(exit_word) : EXIT_HALT;
    if (!spec || !uart_parse(spec, &uart)) uart_parse("com1", &uart);
    uart_init(&uart);
    uart_write(&uart, text, sizeof text - 1);
    record("{\"n\":0,\"t\":\"error\",\"what\":\"kernel\",\"valid\":\"the i586 kernel\","
           "\"message\":\"this CPU has no long mode, or no SSE2\"");
    record("{\"n\":1,\"t\":\"end\",\"records\":2,\"status\":3");
    uart_drain(&uart);
    machine_exit(how == EXIT_COUNT ? EXIT_HALT : how, 3);
}
