/* The glue's life: the model that the environment names, one for each CPU.
 *
 *   ANECHOIC_SIM         the model, by its name in sim.h; without it Bochs runs as it is
 *   ANECHOIC_SIM_ERRATA  names of switches, separated by commas
 *   ANECHOIC_SIM_SOCKET  1: pin PM0 of a p5 or p55c is wired to NMI
 *   ANECHOIC_SIM_SKID    interrupt skid, see sim_skid()
 *   ANECHOIC_SIM_SEED    the number that its generator starts from (0)
 *   ANECHOIC_BRACKET     see bracket.cc
 *   ANECHOIC_ORACLE      the file that gets the oracle's lines; none: no oracle and no brackets
 *   ANECHOIC_HISTOGRAM   events, separated by commas, that it counts by instruction address
 *   ANECHOIC_TRACE       an event whose occurrences it keeps one by one, see sim_oracle_trace()
 *   ANECHOIC_UART        see uart.cc
 *
 * A wrong value ends Bochs with status 2.
 */
#include "sim/bochs/glue.h"
#include "gui/siminterface.h"
#include "memory/memory-bochs.h"
#include "param_names.h"

static void set_skid(struct sim *s)
{
    const char *spec = getenv("ANECHOIC_SIM_SKID"), *seed = getenv("ANECHOIC_SIM_SEED");
    char *end = NULL;
    if (!spec || !*spec) return;
    if (!seed || !*seed) seed = "0";
    uint64_t number = strtoull(seed, &end, 0);
    const bool good_seed = seed[0] >= '0' && seed[0] <= '9' && !*end;
    if (good_seed && sim_skid(s, spec, number)) return;
    if (good_seed)
        fprintf(stderr, "anechoic: skid \"%s\": needs N or N:WEIGHT,N:WEIGHT,..., numbers up to 1000000\n",
                spec);
    else
        fprintf(stderr, "anechoic: seed \"%s\": needs a number\n", seed);
    exit(2);
}

/* No model was made: report which of the two values is wrong, and the valid ones. */
[[noreturn]] static void wrong_model(const char *model, const char *errata)
{
    unsigned k = 0;
    while (sim_model_name(k) && strcmp(sim_model_name(k), model) != 0) k++;
    if (!sim_model_name(k)) {
        fprintf(stderr, "anechoic: there is no model \"%s\"; the models are", model);
        for (k = 0; sim_model_name(k); k++) fprintf(stderr, " %s", sim_model_name(k));
    } else if (!sim_erratum_name(model, 0)) {
        fprintf(stderr, "anechoic: errata \"%s\": the model %s has no errata", errata, model);
    } else {
        fprintf(stderr, "anechoic: errata \"%s\": the model %s has", errata, model);
        for (k = 0; sim_erratum_name(model, k); k++)
            fprintf(stderr, "%s %s", k ? "," : "", sim_erratum_name(model, k));
    }
    fprintf(stderr, "\n");
    exit(2);
}

static struct sim *new_sim(struct glue *g, const char *model, struct sim *first)
{
    const char *socket = getenv("ANECHOIC_SIM_SOCKET");
    bool wired = socket && strcmp(socket, "1") == 0 && strncmp(model, "p5", 2) == 0;
    const struct sim_host host = {g,
                                  registers_pmi,
                                  wired ? registers_pin : NULL,
                                  registers_read,
                                  registers_write,
                                  registers_long_mode,
                                  registers_inactive,
                                  registers_after,
                                  extended_deliver};
    const char *errata = getenv("ANECHOIC_SIM_ERRATA");
    struct sim *s =
        first ? sim_thread(first, &host) : sim_new(model, errata && *errata ? errata : NULL, &host);
    if (s) {
        if (!first) set_skid(s); /* its thread has the same */
        return s;
    }
    if (first) {
        fprintf(stderr, "anechoic: the model %s has one thread\n", model);
        exit(2);
    }
    wrong_model(model, errata ? errata : "");
}

static struct sim_bus *bus; /* NULL: one CPU */

/* All CPUs have their models. */
static void join()
{
    struct sim *members[SIM_PROCESSORS];
    const unsigned n = BX_SMP_PROCESSORS;
    if (n == 1) return;
    for (unsigned cpu = 0; cpu < n && cpu < SIM_PROCESSORS; cpu++) members[cpu] = glue_of[cpu].sim;
    if (n <= SIM_PROCESSORS) bus = sim_bus_new(members, n);
    if (bus) return;
    fprintf(stderr, "anechoic: %u processors: the model has 1 to %u\n", n, SIM_PROCESSORS);
    exit(2);
}

void anechoic_initialize(unsigned cpu)
{
    struct glue *g = &glue_of[cpu];
    const char *model = getenv("ANECHOIC_SIM");
    g->cpu = BX_CPU(cpu);
    if (cpu == 0) uart_plug_in();
    if (!model || !*model) return;
    g->ram_end = BX_MEM(0)->get_memory_len();
    const bool second = SIM->get_param_num(BXPN_CPU_NTHREADS)->get() == 2 && cpu % 2;
    g->sim = new_sim(g, model, second ? glue_of[cpu - 1].sim : NULL);
    registers_init(g);
    extended_init(g);
    extended_reset(g);
    if (cpu == 0) opcodes_init();
    if (cpu + 1 != BX_SMP_PROCESSORS) return;
    join();
    bracket_init();
}

void anechoic_exit(unsigned cpu)
{
    sim_bus_free(bus);
    bus = NULL;
    for (unsigned k = BX_SMP_PROCESSORS; k-- > cpu;) { /* a second thread before the first one */
        anechoic_log[k] = NULL;
        sim_free(glue_of[k].sim);
        glue_of[k].sim = NULL;
    }
    if (cpu == 0) bracket_exit();
}

void anechoic_reset(unsigned cpu, unsigned type)
{
    struct glue *g = &glue_of[cpu];
    extended_reset(g); /* INIT resets the local APIC, too */
    /* INIT leaves the counters as they are (SDM vol 3, 9.1.1). */
    if (!g->sim || type == BX_RESET_SOFTWARE) return;
    g->pending = g->halted = g->batching = g->delivering = false;
    g->log.n = g->log.limit = g->deferred = g->watch = 0;
    memset(g->log.done, 0, sizeof g->log.done);
    sim_reset(g->sim);
    glue_wants(g);
}

static void wants(struct glue *g)
{
    unsigned cpu = g->cpu->which_cpu();
    bool wanted = sim_wants_facts(g->sim) || g->watch;
    if (wanted && !anechoic_log[cpu]) {
        /* The remainder of the last call, and the ticks since. */
        g->pending = g->halted = g->batching = g->delivering = false;
        g->log.n = g->log.limit = g->deferred = 0;
        stream_forget_code(g);
        g->cpu->address_xlation.pages = 1;
        g->icount = g->cpu->icount;
        stream_debug_registers(g);
    }
    if (!wanted) stream_release(g);
    anechoic_log[cpu] = wanted ? &g->log : NULL;
}

void glue_wants(struct glue *g)
{
    wants(g);
    for (unsigned cpu = 0; cpu < BX_SMP_PROCESSORS; cpu++)
        if (&glue_of[cpu] != g && glue_of[cpu].sim && !anechoic_log[cpu]) wants(&glue_of[cpu]);
}

void anechoic_decoded(unsigned cpu, bxInstruction_c *i, const Bit8u *fetch, unsigned)
{
    struct glue *g = &glue_of[cpu];
    if (!g->sim) return;
    registers_decoded(i);
    /* A trace is decoded ahead of RIP; an instruction that crosses pages comes alone, from a buffer, with RIP
     * on it. */
    bx_address rip = g->cpu->gen_reg[BX_64BIT_REG_RIP].rrx;
    if (fetch >= g->cpu->eipFetchPtr && fetch < g->cpu->eipFetchPtr + g->cpu->eipPageWindowSize)
        rip = (bx_address)(fetch - g->cpu->eipFetchPtr) - g->cpu->eipPageBias;
    bracket_decoded(i, g->cpu->get_laddr(BX_SEG_REG_CS, rip));
}
