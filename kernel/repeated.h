/* Code that runs for each repetition, between two brackets.
 *
 * It uses the same caches and branch target buffer as the payload. If the compiler chose its addresses, three
 * lines (one of this code, one of the bracket, one of the payload) would sometimes map to one set of a
 * Pentium's two-way L1I, and cause a miss that the payload does not have alone. So these functions lie
 * together (linker.ld), in sets that the brackets do not use.
 */
#pragma once

#define REPEATED __attribute__((noinline, section(".text.repeated")))
