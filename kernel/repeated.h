/* What runs for each repetition, between two brackets.
 *
 * It passes through the same caches and branch target buffer as what is measured. Were its addresses left to
 * the compiler, then now and then three lines, one of it, one of the bracket and one of the payload, would
 * want one set of a Pentium's two-way L1I, and a miss would be counted that is nobody's. So these functions
 * lie together (linker.ld), in sets that the brackets do not use.
 */
#pragma once

#define REPEATED __attribute__((noinline, section(".text.repeated")))
