/* The oracle's brackets: where in the code it begins to tally, and where it stops. Without a file for its
 * lines there are none.
 *
 *   ANECHOIC_BRACKET=LABEL=FROM:TO[,LABEL=FROM:TO...]
 *
 * FROM is a hexadecimal linear address, whose instruction is the first inside, or call@ADDRESS, the CALL
 * there: the first inside is then whatever it calls, and the label in the output has its address behind an @.
 * TO is an address, whose instruction is the first outside, or ret: the called function's own RET is the
 * first outside. So a reading of a counter, which sees what retired before it, agrees with a bracket that
 * begins at the first reading and ends at the last; and a payload without its CALL and RET agrees with the
 * corrected count.
 *
 * An interrupt before the first instruction is inside, one before the first instruction outside is not. A
 * counter that the previous instruction has started or stopped counts in the same way.
 *
 * Each CPU opens and closes brackets of its own. Brackets may nest. One that begins again without an end (its
 * payload faulted) starts over, and its first pass is not written.
 *
 * An idle model costs nothing here: the handlers of the instructions at these addresses are replaced as they
 * are decoded.
 */
#include "sim/bochs/glue.h"
#include <string>
#include <vector>

namespace
{
struct bracket {
    std::string label;
    bx_address from, to;
    bool callee, until_return;
};

struct point {
    bx_address lin;
    BxExecutePtr_tR handler; /* Bochs's own */
};

std::vector<bracket> brackets;
std::vector<point> points;
/* Of one CPU. */
struct place {
    std::vector<unsigned> open;          /* brackets, innermost last */
    unsigned called;                     /* the bracket of g->watch */
    bx_address arrived = STREAM_NOWHERE; /* before which an interrupt came */
};
place places[ANECHOIC_CPUS];

place &place_of(const struct glue *g) { return places[g->cpu->which_cpu()]; }

const char *histogram, *trace; /* NULL: none */
FILE *output;                  /* NULL: no oracle */

[[noreturn]] void wrong(const std::string &word)
{
    fprintf(stderr, "anechoic: bracket \"%s\": needs LABEL=[call@]HEX:HEX or LABEL=[call@]HEX:ret\n",
            word.c_str());
    exit(2);
}

bool hex(const std::string &text, bx_address *value)
{
    char *end;
    *value = strtoull(text.c_str(), &end, 16);
    return !text.empty() && *end == 0;
}

void add_point(bx_address lin)
{
    for (const point &p : points)
        if (p.lin == lin) return;
    points.push_back({lin, NULL});
}

void parse(const std::string &word)
{
    bracket b = {};
    size_t equals = word.find('='), colon = word.find(':', equals == std::string::npos ? 0 : equals);
    if (equals == std::string::npos || colon == std::string::npos || equals == 0) wrong(word);
    std::string from = word.substr(equals + 1, colon - equals - 1), to = word.substr(colon + 1);
    b.label = word.substr(0, equals);
    b.callee = from.compare(0, 5, "call@") == 0;
    if (b.callee) from.erase(0, 5);
    b.until_return = to == "ret";
    if (!hex(from, &b.from) || (!b.until_return && !hex(to, &b.to))) wrong(word);
    brackets.push_back(b);
    add_point(b.from);
    if (!b.until_return) add_point(b.to);
}

void put_line(void *, const char *line)
{
    fprintf(output, "%s\n", line);
    fflush(output); /* Bochs may be ended at any time */
}
void put_nothing(void *, const char *) {}

void close_innermost(struct glue *g, bool complete)
{
    sim_oracle_end(g->sim, complete ? put_line : put_nothing, NULL, histogram ? "*" : NULL);
    place_of(g).open.pop_back();
}

bool is_open(const struct glue *g, unsigned b)
{
    for (unsigned k : place_of(g).open)
        if (k == b) return true;
    return false;
}

void begin(struct glue *g, unsigned b)
{
    while (is_open(g, b)) close_innermost(g, false);
    char label[64];
    snprintf(label, sizeof label, brackets[b].callee ? "%s@%llx" : "%s", brackets[b].label.c_str(),
             (unsigned long long)g->cpu->get_laddr(BX_SEG_REG_CS, g->cpu->gen_reg[BX_64BIT_REG_RIP].rrx));
    sim_oracle_begin_histogram(g->sim, label, histogram);
    if (trace) sim_oracle_trace(g->sim, trace);
    place_of(g).open.push_back(b);
    glue_wants(g);
}

void end(struct glue *g, unsigned b)
{
    if (!is_open(g, b)) return;
    while (place_of(g).open.back() != b) close_innermost(g, false);
    close_innermost(g, true);
    glue_wants(g);
}

/* Watch for the payload's RET: the stack is then as after its CALL. */
void expect_return(struct glue *g, unsigned b)
{
    place_of(g).called = b;
    g->watch = WATCH_RETURN;
    g->watched_rsp = g->cpu->gen_reg[BX_64BIT_REG_RSP].rrx;
}

/* The callee's first instruction is next. */
void begin_called(struct glue *g)
{
    const unsigned called = place_of(g).called;
    begin(g, called);
    expect_return(g, called);
    if (!brackets[called].until_return) g->watch = WATCH_NOTHING;
}

/* Is the next instruction the payload's RET? It is not decoded yet, so its bytes are compared: C2, C3, or F3
 * C3. */
bool returns_next(const struct glue *g)
{
    const BX_CPU_C *cpu = g->cpu;
    if (g->watch != WATCH_RETURN || cpu->gen_reg[BX_64BIT_REG_RSP].rrx != g->watched_rsp) return false;
    const bx_address at = cpu->gen_reg[BX_64BIT_REG_RIP].rrx + cpu->eipPageBias;
    if (at + 1 >= cpu->eipPageWindowSize)
        return false; /* on another page than the instruction before: not known */
    const Bit8u *code = cpu->eipFetchPtr + at;
    return (code[code[0] == 0xf3] & 0xfe) == 0xc2;
}

void reached(struct glue *g, bx_address lin)
{
    /* Loaders run other code at the same addresses, without paging. */
    if (!g->cpu->cr0.get_PG()) return;
    for (unsigned b = 0; b < brackets.size(); b++)
        if (!brackets[b].until_return && brackets[b].to == lin) end(g, b);
    for (unsigned b = 0; b < brackets.size(); b++) {
        if (brackets[b].from != lin) continue;
        if (brackets[b].callee) {
            place_of(g).called = b;
            g->watch = WATCH_CALLEE;
            glue_wants(g);
        } else {
            begin(g, b);
            if (brackets[b].until_return) expect_return(g, b);
        }
    }
}

/* See registers.cc for why it is a member of this. */
class bracket_handler : public BX_CPU_C
{
  public:
    void BX_CPP_AttrRegparmN(1) at_point(bxInstruction_c *i)
    {
        struct glue *g = &glue_of[bx_cpuid];
        bx_address lin = get_laddr(BX_SEG_REG_CS, prev_rip);
        bool was_idle = !anechoic_log[bx_cpuid], batched = g->batching;
        if (batched) {
            /* This instruction began as part of a batch, but must be handled alone. */
            batch_end(g, true);
            stream_begin(g, prev_rip, i->ilen(), i->getIaOpcode(), i);
        }
        if (lin == place_of(g).arrived)
            place_of(g).arrived = STREAM_NOWHERE;
        else
            reached(g, lin);
        if (was_idle && anechoic_log[bx_cpuid] && g->watch != WATCH_CALLEE)
            stream_begin(g, prev_rip, i->ilen(), i->getIaOpcode(), i);
        for (const point &p : points) {
            BxExecutePtr_tR handler = p.handler;
            if (p.lin == lin) return (this->*handler)(i);
        }
    }
};
} // namespace

void bracket_init()
{
    const char *words = getenv("ANECHOIC_BRACKET"), *file = getenv("ANECHOIC_ORACLE");
    if (!words || !*words || !file || !*file) return;
    if (!(output = fopen(file, "a"))) {
        fprintf(stderr, "anechoic: oracle \"%s\": cannot be written\n", file);
        exit(2);
    }
    histogram = getenv("ANECHOIC_HISTOGRAM");
    if (histogram && !*histogram) histogram = NULL;
    struct sim *s = glue_of[0].sim;
    if (!sim_oracle_begin_histogram(s, "", histogram)) {
        fprintf(stderr, "anechoic: histogram \"%s\": holds an event that the model does not have\n",
                histogram);
        exit(2);
    }
    trace = getenv("ANECHOIC_TRACE");
    if (trace && !*trace) trace = NULL;
    if (trace && !sim_oracle_trace(s, trace)) {
        fprintf(stderr,
                "anechoic: trace \"%s\": needs an event that the model has, and behind commas any of "
                "user, kernel, regs, every=N, limit=N, branches=N (1 to 64)\n",
                trace);
        exit(2);
    }
    sim_oracle_end(s, put_nothing, NULL, NULL);
    sim_reset(s); /* no longer active */
    std::string all = words;
    for (size_t start = 0, comma; start <= all.size(); start = comma + 1) {
        comma = all.find(',', start);
        if (comma == std::string::npos) comma = all.size();
        parse(all.substr(start, comma - start));
    }
}

void bracket_exit()
{
    if (output) fclose(output);
    output = NULL;
}

void bracket_decoded(bxInstruction_c *i, bx_address lin)
{
    for (point &p : points) {
        if (p.lin != lin) continue;
        p.handler = i->execute1;
        i->execute1 = static_cast<BxExecutePtr_tR>(&bracket_handler::at_point);
    }
}

void bracket_interrupted(struct glue *g)
{
    bx_address lin = g->cpu->get_laddr(BX_SEG_REG_CS, g->cpu->gen_reg[BX_64BIT_REG_RIP].rrx);
    if (lin == place_of(g).arrived) return;
    if (g->watch == WATCH_CALLEE) {
        begin_called(g); /* what comes next is the handler's first instruction, not the callee's */
        return;
    }
    if (returns_next(g)) {
        g->watch = WATCH_NOTHING;
        end(g, place_of(g).called);
        return;
    }
    for (const bracket &b : brackets)
        if (b.from == lin && b.callee) return; /* the callee does not run next */
    for (const point &p : points) {
        if (p.lin != lin) continue;
        reached(g, lin);
        place_of(g).arrived = lin;
    }
}

void bracket_watch(struct glue *g, bool is_return)
{
    if (g->watch == WATCH_CALLEE) {
        begin_called(g);
    } else if (is_return && g->cpu->gen_reg[BX_64BIT_REG_RSP].rrx == g->watched_rsp) {
        g->watch = WATCH_NOTHING;
        end(g, place_of(g).called);
    }
}
