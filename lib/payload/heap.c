/* malloc()'s memory: an array that `anechoic payload build --heap` makes. What is not freed stays taken in
 * the calls that follow. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

extern char anechoic_heap[], anechoic_heap_end[];

void *sbrk(intptr_t more);
void *sbrk(intptr_t more)
{
    static char *end = anechoic_heap;
    char *const was = end;
    if (more > anechoic_heap_end - end || more < anechoic_heap - end) {
        errno = ENOMEM;
        return (void *)-1;
    }
    end += more;
    return was;
}
