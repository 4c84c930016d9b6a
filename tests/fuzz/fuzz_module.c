/* libFuzzer target: modules of the user's code. What is verified is walked to its end: every name and every
 * byte of code. With the first byte odd the header is put right, so that what is behind magic and CRC is
 * reached. */
#include "kernel/crc32.h"
#include "kernel/module.h"
#include <stdlib.h>
#include <string.h>

static void check(bool holds)
{
    if (!holds) abort();
}

static void repair(uint8_t *copy, size_t size)
{
    struct module_header *h = (struct module_header *)(void *)copy;
    const size_t from = offsetof(struct module_header, bytes);
    memcpy(h->magic, MODULE_MAGIC, sizeof h->magic);
    h->version = MODULE_VERSION;
    h->bytes = (uint32_t)size;
    h->kind = MODULE_SNIPPETS;
    h->bits = MODULE_BITS;
    h->crc = crc32(0, copy + from, size - from);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t memory[1 << 16];
    char why[160] = "";
    if (size < 1) return 0;
    const size_t n = size - 1;
    uint8_t *copy = malloc(n ? n : 1); /* exact, so that a byte too far is seen */
    memcpy(copy, data + 1, n);
    if (data[0] & 1 && n >= sizeof(struct module_header)) repair(copy, n);
    if (module_open(copy, n, (struct arena){memory, sizeof memory, 0}, why, sizeof why)) {
        check(module_snippets() > 0);
        for (unsigned i = 0; i < module_snippets(); i++) {
            const struct module_snippet *s = module_snippet(i);
            const size_t length = strlen(module_snippet_name(s));
            check(length > 0 && length < MODULE_NAME_BYTES);
            for (unsigned p = 0; p < SNIPPET_PARTS; p++) {
                const struct module_bytes b = module_snippet_part(s, p);
                crc32(0, b.at, b.n); /* reads all of it */
            }
        }
        modules_close();
    } else
        check(why[0] && module_snippets() == 0);
    free(copy);
    return 0;
}
