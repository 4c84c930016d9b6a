/* libFuzzer: texts of QR codes, and the records made of them. First byte: even, the rest are lines as a
 * reader gives them; odd, the rest is a stream, in parts with right checksums, the last one's number from the
 * byte's upper bits. */
#include "host/parts.h"
#include "kernel/crc32.h"
#include <stdlib.h>
#include <string.h>

static struct parts p;

static void check(int ok)
{
    if (!ok) abort();
}

static void lines(const uint8_t *data, size_t size)
{
    while (size) {
        const uint8_t *end = memchr(data, '\n', size);
        const size_t len = end ? (size_t)(end - data) : size;
        char *copy = malloc(len ? len : 1); /* of exactly this size, so that a byte too far is seen */
        memcpy(copy, data, len);
        parts_add(&p, copy, len);
        free(copy);
        data += len + (end != NULL);
        size -= len + (end != NULL);
    }
}

static void stream(const uint8_t *data, size_t size, unsigned more)
{
    char text[FRAME_TEXT];
    struct frame f = {.run = crc32(0, data, size), .number = 0};
    f.count = (unsigned)((size + FRAME_BYTES - 1) / FRAME_BYTES) + more;
    while (size) {
        f.number++;
        f.n = size < FRAME_BYTES ? size : FRAME_BYTES;
        memcpy(f.bytes, data, f.n);
        frame_write(&f, text);
        check(parts_add(&p, text, strlen(text)) == FRAME_GOOD);
        data += f.n;
        size -= f.n;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    if (data[0] & 1)
        stream(data + 1, size - 1, data[0] >> 6);
    else
        lines(data + 1, size - 1);
    for (unsigned i = 0; i < p.runs; i++) {
        size_t n = 0;
        bool whole;
        char *text = parts_records(&p.run[i], &n, &whole);
        check(!text == !n && n <= PARTS_BYTES);
        check(!whole || p.run[i].have == p.run[i].count);
        check(whole || !text || text[n - 1] == '\n');
        parts_missing(&p.run[i]);
        free(text);
    }
    parts_free(&p);
    return 0;
}
