/* Figure 5.1 of the thesis, but that j begins with a value: without one a compiler of today leaves the loop
 * out. */
#include <stdio.h>

int main()
{
    int i, j = 0;
    printf("Hello World!\n");
    for (i = 0; i < 1000000; i++) j += 2;
    printf("j is: %d", j);
    return (0);
}
