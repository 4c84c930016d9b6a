/* What a program may do besides computing: print, allocate, end. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void print(long n)
{
    char *text = malloc(100);
    snprintf(text, 100, "%ld: %.3f %s %lld", n, sqrt((double)n), "text", (long long)n * 1000000007LL / 7);
    printf("%s\n", text);
    free(text);
}
void much(long n)
{
    for (long i = 0; i < n; i++) printf("line %ld of what is much more than there is room for\n", i);
}
static void deep(long n)
{
    if (n == 0) exit(0);
    deep(n - 1);
}
void leave(long n) { deep(n); }
void fails(long n) { exit((int)n); }
void aborts(long n)
{
    printf("before\n");
    if (n) abort();
}
void asserts(long n) { assert(n == 3); }
void nothing(long n) { (void)n; }
