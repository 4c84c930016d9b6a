/* Shared by the two halves of assembling: what the assembler gets and says (assemble.c), and what it wrote
 * (assemble_object.c). */
#pragma once
#include "host/assemble.h"

/* Snippets that are assembled in one go. */
struct batch {
    struct assembling *how;
    struct snippet **at;
    size_t n;
    const char *dir; /* of its files */
};

/* Where the parts go. Each has a section of its own, so that the assembler leaves a gap for what one has of
 * another. A row of ASSEMBLE_SIZES has the size of a part, 32 bits, in the order in which the parts come. */
extern const char *const assemble_section[SNIPPET_PARTS];
#define ASSEMBLE_SIZES "anechoic.sizes"

/* Says what is wrong (or, without `fault`, what is doubtful). */
void assemble_say(struct assembling *how, bool fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The line of the assembler's input after a part. */
#define ASSEMBLE_PART_END "# 1 \"end of a part\""

/* Fills in the parts' lines, whose bytes count from the section's beginning until assemble_take(). */
void assemble_lines(struct batch *b, const char *listing);

/* Hands out the code of an object, and refuses what is not code alone. To a status. */
int assemble_take(struct batch *b, const char *object);
