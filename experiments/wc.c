/* Word count, the study of B. Safford's thesis (section 5.6): the whole program, and its inner loop by the
 * character.
 *
 * His wc, his compiler and his text are not there. This wc makes his loads and stores: for a character it
 * reads and writes stdio's count and its pointer, reads the character and its class; a line or a word is a
 * read and a write more. (His tables: 4.19 reads and 2.19 writes a character.) So of a text with c
 * characters, l lines and w words, in b buffers, the loop
 *
 *     executes   15 c + l + 3 w + 2 b   instructions, 5 c + w + b of them branches,
 *     reads      4 c + l + w + b        times, and writes 2 c + l + w + b times.
 *
 * The text is made here: words of 1 to 10 letters, lines of unequal lengths; the same one each time. */
#include "anechoic/experiment.h"
#include <stddef.h>

#define BUFFER 4096 /* of stdio: a block of Linux 2.0's file systems */

enum { LINES, CHARS };

struct wc {
    uint32_t left, words, lines, chars; /* left: in the buffer, -1 behind its end */
    const uint8_t *next;                /* in the buffer */
    const uint8_t *file, *at, *end;     /* the text; up to where it has been read; its end */
    uint8_t space[256];                 /* 1: a blank, a line's end, a tab */
    uint8_t buffer[BUFFER];
};

/* What read() does for stdio: the next part of the file. False: there is none. */
static inline __attribute__((always_inline)) bool refill(struct wc *f)
{
    size_t n = (size_t)(f->end - f->at), words, bytes;
    uint8_t *to = f->buffer;
    if (n == 0) return false;
    if (n > BUFFER) n = BUFFER;
    words = n / 4;
    bytes = n % 4;
    f->left = (uint32_t)n;
    f->next = f->buffer;
    __asm__ volatile("cld\n\trep movsl\n\tmov %[bytes], %[words]\n\trep movsb"
                     : "+S"(f->at), "+D"(to), [words] "+c"(words)
                     : [bytes] "r"(bytes)
                     : "memory", "cc");
    return true;
}

/* Up to the end of the buffer. */
static inline __attribute__((always_inline)) void loop(struct wc *f, uint32_t *inside)
{
    const uint8_t *p;
    uintptr_t c;
    uint32_t chars = f->chars;
    __asm__ volatile(
        "1:\n\t"
        "decl %[left]\n\t" /* getc() */
        "js 9f\n\t"
        "mov %[next], %[p]\n\t"
        "inc %[p]\n\t"
        "mov %[p], %[next]\n\t"
        "movzbl -1(%[p]), %k[c]\n\t"
        "cmpl $-1, %k[c]\n\t" /* EOF: not from here */
        "je 9f\n\t"
        "incl %[chars]\n\t"
        "cmpl $10, %k[c]\n\t"
        "jne 2f\n\t"
        "incl %[lines]\n"
        "2:\n\t"
        "testb $1, %c[space](%[f],%[c])\n\t"
        "jz 3f\n\t"
        "xorl %[inside], %[inside]\n\t"
        "jmp 1b\n"
        "3:\n\t"
        "testl %[inside], %[inside]\n\t"
        "jnz 1b\n\t"
        "incl %[words]\n\t"
        "movl $1, %[inside]\n\t"
        "jmp 1b\n"
        "9:"
        : [left] "+m"(f->left), [next] "+m"(f->next), [lines] "+m"(f->lines), [words] "+m"(f->words),
          [chars] "+r"(chars), [inside] "+r"(*inside), [p] "=&r"(p), [c] "=&r"(c)
        : [f] "r"(f), [space] "i"(offsetof(struct wc, space))
        : "memory", "cc");
    f->chars = chars;
}

static inline __attribute__((always_inline)) void word_count(struct wc *f, bool counting)
{
    uint32_t inside = 0;
    f->words = f->lines = f->chars = 0;
    f->at = f->file;
    while (refill(f))
        if (counting) loop(f, &inside);
}

LAB_CODE static void program(void *arg) { word_count(arg, true); }
LAB_CODE static void buffers_only(void *arg) { word_count(arg, false); }

/* ---- the text ---- */

static uint32_t draw(uint32_t *state, uint32_t below) /* xorshift32 */
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state % below;
}

static void write_text(uint8_t *text, uint32_t chars, uint32_t lines)
{
    uint32_t seed = 2463534242u;
    for (uint32_t at = 0; at < chars; at++) {
        for (uint32_t n = 1 + draw(&seed, 10); n && at < chars; n--)
            text[at++] = (uint8_t)('a' + draw(&seed, 26));
        if (at < chars) text[at] = ' ';
    }
    for (uint32_t line = 0; line < lines; line++) {
        const uint32_t end = (uint32_t)((uint64_t)(line + 1) * chars / lines) - 1;
        text[line + 1 < lines ? end - draw(&seed, chars / lines / 2 + 1) : end] = '\n';
    }
}

/* The words of the text, counted in another way than the program does. */
static uint32_t words_in(const uint8_t *text, uint32_t chars)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < chars; i++) n += text[i] > ' ' && (i == 0 || text[i - 1] <= ' ');
    return n;
}

/* ---- what is asked ---- */

struct question {
    const char *name, *events;
    double measured, simulated; /* Safford's: tables 5.6 and 5.7; below 0: he has none */
};

/* Not perf's L1-dcache-loads, which on P6 and AMD's counts stores as well. */
#define READS \
    "data_read|memory_loads|mem_inst_retired:all_loads|mem_uops_retired:all_loads|mem_inst_retired:loads"
#define WRITES                                                                                           \
    "data_write|memory_stores|mem_inst_retired:all_stores|mem_uops_retired:all_stores|mem_inst_retired:" \
    "stores"
#define READ_MISSES                                                                                      \
    "data_read_miss|1stl_cache_load_miss_retired|dcu_lines_in|dcache_repl|mem_load_retired:l1d_miss|"    \
    "mem_load_retired:l1_miss|mem_load_uops_retired:l1_miss|l1d:replacement|l1d:repl|data_cache_misses|" \
    "requests_to_l2_group1:rd_blk_l|L1-dcache-load-misses"

static const struct question whole[] = {
    {"data reads", READS, 448702.5, 441127},
    {"data writes", WRITES, 234355.5, 230755},
    {"data reads and writes", "data_read_or_write|data_mem_refs|data_cache_accesses", 683058,
     671882}, /* sums */
    {"data read misses", READ_MISSES, 1726.8, 138},
    {"data write misses", "data_write_miss", 28.0, 10},
    {"lines written back", "data_cache_lines_written_back|dcu_m_lines_out", 200.7, 0},
    {"instructions", "instructions", 2266817.5, 2248201},
    {"whole program: cycles", "cycles", -1, 0},
};

static const struct question inner[] = {
    {"branches", "branches", 5.5, 0},
    {"BTB hits", "btb_hits", 3, 0},
    {"instructions", "instructions", 24, 0},
    {"instructions in the V pipe", "instructions_executed_v_pipe", 14, 0},
    {"loop: data reads", READS, -1, 0},
    {"loop: data writes", WRITES, -1, 0},
    {"loop: mispredicted branches", "branch-misses|pipeline_flushes", -1, 0},
    {"loop: cycles", "cycles", -1, 0},
};
#define QUESTIONS (sizeof whole / sizeof *whole)
_Static_assert(QUESTIONS <= LAB_EVENTS && QUESTIONS == sizeof inner / sizeof *inner, "one measurement each");

/* The medians, divided by `by`: a table with his figures in so many columns, then those that he does not
 * have. */
static void answer(struct lab *lab, const struct lab_program *program, const struct question *q,
                   const char *table, const char *unit, double by, unsigned columns)
{
    const char *events[QUESTIONS + 1] = {NULL};
    struct lab_counts counts;
    for (unsigned i = 0; i < QUESTIONS; i++) events[i] = q[i].events;
    lab_measure(lab, program, events, &counts);
    for (unsigned i = 0; i < QUESTIONS; i++) {
        const struct lab_count *c = &counts.event[i];
        const struct lab_quantity row[] = {{"event", q[i].name, 0, LAB_NAMED, LAB_COUNTED},
                                           {"here", "", c->median / by, LAB_COUNTS, c->state},
                                           {"Safford", "", q[i].measured, LAB_KNOWN, LAB_COUNTED},
                                           {"simulated", "", q[i].simulated, LAB_KNOWN, LAB_COUNTED}};
        const struct lab_quantity value = {q[i].name, unit, c->median / by, LAB_COUNTS, c->state};
        if (q[i].measured < 0)
            lab_value(lab, &value, NULL);
        else
            lab_row(lab, table, row, 2 + columns);
    }
}

static void empty_caches(struct lab *lab, void *arg)
{
    (void)arg;
    lab_flush_all(lab);
}

static void known(struct lab *lab, const char *name, uint32_t n)
{
    lab_value(lab, &(const struct lab_quantity){name, "", n, LAB_KNOWN, LAB_COUNTED}, NULL);
}

static void run(struct lab *lab)
{
    const uint32_t lines = (uint32_t)lab->param[LINES], chars = (uint32_t)lab->param[CHARS];
    if (lines > chars / 4)
        lab_fail(lab, "lines=%u do not fit into chars=%u: a fourth of these is the most", (unsigned)lines,
                 (unsigned)chars);
    struct wc *f = lab_alloc(lab, sizeof *f, 4096);
    uint8_t *text = lab_alloc(lab, chars, 4096);
    write_text(text, chars, lines);
    f->file = text;
    f->end = text + chars;
    f->space[' '] = f->space['\n'] = f->space['\t'] = 1;

    const struct lab_program all = {.code = program, .arg = f, .ring = lab->ring, .before = empty_caches};
    const struct lab_program less = {.code = program, .arg = f, .ring = lab->ring, .baseline = buffers_only};
    lab_at_cpl(lab, lab->ring, program, f);
    if (f->chars != chars || f->lines != lines || f->words != words_in(text, chars))
        lab_fail(lab, "counted %u characters, %u words, %u lines of %u, %u, %u", (unsigned)f->chars,
                 (unsigned)f->words, (unsigned)f->lines, (unsigned)chars, (unsigned)words_in(text, chars),
                 (unsigned)lines);
    known(lab, "characters", f->chars);
    known(lab, "words", f->words);
    known(lab, "lines", f->lines);
    known(lab, "turns of the loop", chars + (chars + BUFFER - 1) / BUFFER);
    answer(lab, &all, whole, "the whole program; table 5.6", "", 1, 2);
    answer(lab, &less, inner, "its loop, a character; table 5.7", "/character", chars, 1);
}

EXPERIMENT(wc) = {
    .program = {.name = "wc",
                .desc = "word count: the whole program, and its inner loop (Safford, section 5.6)"},
    .experiment = run,
    .op = "character",
    .cost = "of the loop 15 instructions or some more, 4 data reads, 2 writes, 5 branches",
    BENCH_PARAM_LIST([LINES] = {"lines", "lines", "of the text", 1, 1000000, 1, 4036, false},
                     [CHARS] = {"chars", "characters", "of the text", 16, 16000000, 1, 105196, true}),
};
