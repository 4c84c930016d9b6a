/* The QR codes of a file's lines as the kernel would draw them, for tests: codes WIDTH HEIGHT LINES DIR
 * writes DIR/001.pbm and so on. Prints how many there are. Status 1: it could not. */
#include "report/codes.h"
#include "report/kept.h"
#include "report/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY (64u << 20)

/* Nothing here is a line for people. */
void text_begin(void) {}
void text_finish(text_put put) { (void)put; }
void text_render(const struct record *r, text_put put) { (void)r, (void)put; }

static struct graphics screen;
static uint8_t *picture;

static void line(unsigned y, const uint8_t *dots)
{
    for (unsigned i = 0; i < screen.width / 8; i++)
        picture[y * screen.width / 8 + i] = (uint8_t)~dots[i]; /* 1 is black */
}

static void keep(FILE *in)
{
    char text[8192];
    for (unsigned n = 0; fgets(text, sizeof text, in); n++) kept_add(n, text, strcspn(text, "\n"));
}

static int draw(const struct codes *c, const char *dir)
{
    static const char *const text[CODES_LINES] = {"QR code", "of a test", ""};
    for (unsigned k = 1; k <= c->count; k++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%03u.pbm", dir, k);
        FILE *to = fopen(name, "wb");
        if (!to || !codes_draw(c, k, text, &screen)) return 1;
        fprintf(to, "P4 %u %u\n", screen.width, screen.height);
        fwrite(picture, screen.width / 8, screen.height, to);
        if (fclose(to) != 0) return 1;
    }
    printf("%u\n", c->count);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 5) return 1;
    screen = (struct graphics){(unsigned)atoi(argv[1]) / 8 * 8, (unsigned)atoi(argv[2]), line};
    picture = calloc(screen.width / 8, screen.height);
    kept_begin(malloc(MEMORY), MEMORY, KEPT_LAST);
    FILE *in = fopen(argv[3], "r");
    if (!in) return 1;
    keep(in);
    struct arena memory = {malloc(MEMORY), MEMORY, 0};
    struct codes c;
    const char *why = codes_make(&c, &memory);
    if (!why) return draw(&c, argv[4]);
    fprintf(stderr, "%s\n", why);
    return 1;
}
