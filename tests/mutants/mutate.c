/* Mutants of a C file: copies with one operator, one integer constant or one call changed.
 *
 *   mutate FILE      lists them, one a line: number, line, what stands there, what would, and the line's
 * text; parted by tabs mutate FILE N    prints the file with mutant N
 *
 * An operator becomes its neighbour (see `operators`), a constant one more, a statement that is nothing but a
 * call is emptied. Text in comments, strings and directives stays. Some mutants will not compile, such as a
 * pointer's * taken for a product; the compiler sorts them out.
 *
 * Exit status: 0 done, 2 wrong usage, or the file cannot be read or has no mutant N.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest first, so that the first one that fits is the token; NULL: stays as it is. `binary`: only
 * behind an operand. */
static const struct exchange {
    const char *from, *to;
    bool binary;
} operators[] = {
    {"<<=", ">>=", 0}, {">>=", "<<=", 0}, {"...", NULL, 0}, {"->", NULL, 0}, {"++", "--", 0}, {"--", "++", 0},
    {"<<", ">>", 0},   {">>", "<<", 0},   {"<=", "<", 0},   {">=", ">", 0},  {"==", "!=", 0}, {"!=", "==", 0},
    {"&&", "||", 0},   {"||", "&&", 0},   {"+=", "-=", 0},  {"-=", "+=", 0}, {"*=", "/=", 0}, {"/=", "*=", 0},
    {"|=", "&=", 0},   {"&=", "|=", 0},   {"^=", "|=", 0},  {"<", "<=", 0},  {">", ">=", 0},  {"+", "-", 1},
    {"-", "+", 1},     {"*", "+", 1},     {"/", "*", 1},    {"%", "/", 1},   {"&", "|", 1},   {"|", "&", 1},
    {"^", "|", 1},     {"!", "!!", 0},    {"~", "~~", 0},
};

static char *text;
static unsigned number, wanted; /* wanted: 0 lists */
static unsigned line = 1;

/* A mutant: from `at`, `length` characters become `to`. */
static void mutant(const char *at, size_t length, const char *to)
{
    number++;
    if (!wanted) {
        printf("%u\t%u\t", number, line);
        for (size_t i = 0; i < length; i++) putchar(isspace((unsigned char)at[i]) ? ' ' : at[i]);
        const char *start = at, *end = at + strcspn(at, "\n");
        while (start > text && start[-1] != '\n') start--;
        start += strspn(start, " ");
        printf("\t%s\t%.*s\n", to, (int)(end - start), start);
    } else if (number == wanted) {
        fwrite(text, 1, (size_t)(at - text), stdout);
        printf("%s%s", to, at + length);
    }
}

/* What stays, from `at` on: blanks, comments, directives, strings. 0: none of these. */
static size_t skipped(const char *at)
{
    size_t n = 0;
    if (isspace((unsigned char)*at)) return 1;
    if (strncmp(at, "/*", 2) == 0) return (size_t)(strstr(at, "*/") + 2 - at);
    if (strncmp(at, "//", 2) == 0) return strcspn(at, "\n");
    if (*at == '#') {
        while (at[n] && (at[n] != '\n' || at[n - 1] == '\\')) n++;
        return n;
    }
    if (*at != '"' && *at != '\'') return 0;
    for (n = 1; at[n] && at[n] != *at; n++) n += at[n] == '\\';
    return n + 1;
}

static size_t word(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_') n++;
    return n;
}

/* The length of a call with its semicolon, such as `f(a, b(c));`, where the statement is nothing else; 0: it
 * is. */
static size_t call(const char *at)
{
    static const char *const keywords[] = {"if",     "for",    "while",         "switch",
                                           "return", "sizeof", "_Static_assert"};
    size_t n = word(at);
    unsigned depth = 0;
    for (size_t k = 0; k < sizeof keywords / sizeof *keywords; k++)
        if (strlen(keywords[k]) == n && strncmp(at, keywords[k], n) == 0) return 0;
    if (at[n] != '(' || isdigit((unsigned char)*at)) return 0;
    do {
        const size_t skip = skipped(at + n);
        depth += at[n] == '(';
        depth -= at[n] == ')';
        n += skip ? skip : 1;
    } while (at[n] && depth);
    return at[n] == ';' ? n + 1 : 0;
}

/* An integer as it is written, with its suffix; real numbers stay. */
static void constant(const char *at, size_t n)
{
    char *end, to[32];
    const unsigned long long value = strtoull(at, &end, 0);
    const size_t digits = (size_t)(end - at);
    if (at[n] == '.' || strspn(end, "uUlL") < n - digits) return;
    snprintf(to, sizeof to, at[1] == 'x' ? "0x%llx%.*s" : "%llu%.*s", value + 1, (int)(n - digits), end);
    mutant(at, n, to);
}

static size_t exchange(const char *at, bool operand)
{
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++) {
        const struct exchange *o = &operators[k];
        const size_t n = strlen(o->from);
        if (strncmp(at, o->from, n) != 0) continue;
        if (o->to && (operand || !o->binary)) mutant(at, n, o->to);
        return n;
    }
    return 1;
}

static void scan(void)
{
    bool operand = false, statement = false; /* what stands before */
    unsigned depth = 0;                      /* of braces: calls are in functions */
    for (const char *at = text; *at;) {
        size_t n = skipped(at);
        if (n > 1 && (*at == '"' || *at == '\'')) operand = true, statement = false;
        if (!n && (isalpha((unsigned char)*at) || *at == '_')) {
            const size_t whole = statement && depth ? call(at) : 0;
            if (whole) mutant(at, whole, ";");
            n = word(at);
            operand = strncmp(at, "return", n) != 0;
            statement = n == 4 && strncmp(at, "else", 4) == 0;
        } else if (!n && isdigit((unsigned char)*at)) {
            n = word(at);
            constant(at, n);
            if (at[n] == '.') n += 1 + word(at + n + 1);
            operand = true, statement = false;
        } else if (!n) {
            n = exchange(at, operand);
            depth += *at == '{';
            depth -= *at == '}';
            operand = *at == ')' || *at == ']';
            statement = strchr(";{})", *at) != NULL;
        }
        for (; n > 0; n--) line += *at++ == '\n';
    }
}

int main(int argc, char **argv)
{
    FILE *f = argc == 2 || argc == 3 ? fopen(argv[1], "r") : NULL;
    if (!f) {
        fprintf(stderr, "usage: mutate FILE [N]\n");
        return 2;
    }
    text = calloc(1, 1 << 20);
    fread(text, 1, (1 << 20) - 1, f);
    wanted = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    scan();
    if (wanted > number || (argc == 3 && !wanted)) {
        fprintf(stderr, "mutate: %s has mutants 1 to %u, not %s\n", argv[1], number, argv[2]);
        return 2;
    }
    return 0;
}
