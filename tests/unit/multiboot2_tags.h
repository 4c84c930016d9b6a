/* Multiboot 2 information (Multiboot2 2.0, section 3.6), tag by tag, in fake_loader.h's memory. */
#pragma once
#include "tests/unit/fake_loader.h"

/* Begin in empty memory; its address is returned, which is LOADER_BASE. The size is 0 until finish(). */
uint32_t mb2(void);

/* Begin a tag, where it has to be aligned. end_tag(): its size is counted. */
void tag(uint32_t type);
void end_tag(void);
extern uint32_t tag_at; /* where the last one begins */

/* The end tag; the size of all is counted. */
void finish(void);

/* A tag that is a string. */
void string_tag(uint32_t type, const char *s);

/* In a tag of type 6: an entry of size bytes, which are 20 at least. */
void map_entry(uint64_t base, uint64_t len, uint32_t type, uint32_t size);

/* A framebuffer; rgb NULL: the tag ends in front of the colours, which are pairs of position and size. */
void fb_tag(uint64_t addr, uint32_t pitch, uint32_t width, uint32_t height, uint8_t bpp, uint8_t type,
            const uint8_t rgb[6]);
extern const uint8_t rgb888[6];
