/* It never returns, but for 0. */
void payload(long n)
{
    while (n) __asm__ volatile("");
}
