/* The functions of functions.c in a program of Linux, without a C library: for valgrind. The number of each
 * is that of its --arg in tests/boot/cases/payload.sh. */
void crc32(long n);
void sort(long n);
void find(long n);
void matrix(long n);
void move(long n);
void _start(void);
int data = 1; /* valgrind reads the symbols of files that have some */

__attribute__((force_align_arg_pointer)) void _start(void)
{
    crc32(100);
    sort(100);
    find(100);
    matrix(8);
    move(100 * data);
#ifdef __x86_64__
    __asm__ volatile("syscall" ::"a"(60), "D"(0));
#else
    __asm__ volatile("int $0x80" ::"a"(1), "b"(0));
#endif
}
