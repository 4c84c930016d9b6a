#include "monitor/say.h"
#include "kernel/console.h"
#include "report/text.h"
#include <stdarg.h>
#include <stdio.h>

void say(const char *fmt, ...)
{
    char line[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    console_text(line);
}

void complain(const char *fmt, ...)
{
    char text[1024];
    struct para p;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    para_begin(&p, console_text, "", 0);
    para_str(&p, text);
    para_end(&p);
}
