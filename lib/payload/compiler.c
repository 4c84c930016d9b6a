/* What GCC calls. On i586 its own library is for later CPUs, where there is one. On x86_64 newlib's memset()
 * and memcpy() would evict what they write from the caches (kernel/string.c). */
#ifdef __x86_64__
#include "kernel/string.c"
#else
#include "kernel/div64.c"
#endif
