/* A boot loader's memory for host tests: build boot information in it, then parse it. */
#pragma once
#include <stdint.h>

struct bootinfo;

/* Where the memory lies. Everything that is put lies in it one behind the other, and nothing else can be
 * read. */
enum { LOADER_BASE = 0x10000, LOADER_SIZE = 0x10000 };

/* Begin with empty memory. */
void loader_start(void);

/* Append; the address of what was appended is returned. */
uint32_t put(const void *data, uint32_t len);
uint32_t put8(uint8_t v);
uint32_t put32(uint32_t v);
uint32_t put64(uint64_t v);
uint32_t put_string(const char *s); /* with its NUL */
uint32_t put_zeros(uint32_t len);
uint32_t put_letters(uint32_t len); /* words and blanks, no NUL */

/* The address that the next put() returns. */
uint32_t loader_end(void);
/* Forget what lies at and behind addr. */
void loader_cut(uint32_t addr);

/* Overwrite. */
void poke(uint32_t addr, const void *data, uint32_t len);
void poke32(uint32_t addr, uint32_t v);

/* bootinfo_parse() into *out, which is full of garbage before. */
void loader_parse(uint32_t magic, uint32_t info, struct bootinfo *out);
