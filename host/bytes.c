#include "host/bytes.h"
#include <errno.h>
#include <stdlib.h>

bool bytes_read(const char *text, uint64_t *bytes)
{
    char *end;
    errno = 0;
    const unsigned long long n = strtoull(text, &end, 0);
    const unsigned shift = *end == 'K' || *end == 'k' ? 10 : *end == 'M' || *end == 'm' ? 20 : 0;
    if (text[0] < '0' || text[0] > '9' || errno || n > (uint64_t)INT64_MAX >> shift) return false;
    *bytes = (uint64_t)n << shift;
    return !end[shift != 0];
}
