/* The text face of records that lack fields: numbers are 0, names "?", and nothing else is said. A
 * table begins with its heading. */
#include "tests/unit/text_drive.h"

#define RULE "-------------------------------------------------------------------------------\n"

static const struct {
    const char *type, *want;
} cases[] = {
    {"boot", "Anechoic ?, ? kernel on unknown platform\n"
             "  Loader    (gave no name), multiboot 0\n"
             "  Command\n"
             "  Memory    the loader gave no map; pool 0 B\n"
             "  Consoles  none\n"},
    {"cpu", "  CPU       ? family 0 model 0 stepping 0 (0h)\n"
            "  Caches    geometry unknown (unknown)\n"
            "  TSC       rate unknown, so no result is in units of time, not invariant\n"
            "  APIC      absent\n"},
    {"quiet", "  Quiet     unknown; TSC reads were 0 ticks apart, at most 0; more than 0 is a\n"
              "            gap\n"},
    {"bench", "\n"
              "?\n"},
    {"event", "?\n"},
    {"derived", "  = 0 ? (?)\n"},
    {"result", "\n"
               "benchmark, parameters           unit     min  median    mean +/- 95 %  overhead\n" RULE
               "?                                          -       -       - +/- -          0\n"},
    {"error", "ERROR ?:\n"},
    {"note", "Note  ?:\n"},
    {"steps", "\n"
              "?, ring 0, cycle by cycle: what had been counted up to there, and what came\n"
              "since the row before; medians of 0 repetitions\n"
              "  cycles are unmodelled: the first column is the cycle that was asked for,\n"
              "  which orders the rows\n"
              "     asked\n"},
    {"measuring", "\n"
                  "    On processor 0 (package 0, core 0, thread 0)\n"},
    {"done", ""},
    {"end", "\n"
            "end: 0 records, status 0\n"},
    {"truth", "\n"
              "program, event                            expected  measured  verdict\n" RULE "?:\n"
              "  ?                                              -         -  ?\n"},
    {"relation", "\n"
                 "program, event                            expected  measured  verdict\n" RULE "?:\n"
                 "   ?                                             -         -  ?\n"},
    {"truths", "\n"
               "0 agree, 0 differ\n"},
    {"region", "  regions, in ?\n"
               "                            entered  exited        total   per entry      first\n"
               "     0                            0       0            -           -          -\n"},
    {"profile", "  profile by  of :  samples by , one in\n"
                "      share   samples   address\n"},
    {"memory", "     0.00 %         0  ?\n"},
    {"deduction", "  deduced:  addresses;\n"},
    {"sampling", "\n"
                 "? , ring 0: ? sampled by ? (?), every 0 ?\n"
                 "  0 samples, 0 lost\n"
                 "    ! no period was completed: use a shorter period= or more reps=\n"},
    {"experiment", "\n"
                   "  ?                                        article       ours\n"
                   "    ?                                            -          -\n"},
};

TEST(nothing_is_known)
{
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (unsigned again = 0; again < 2; again++) { /* as if nothing had been before: */
            begin(state);                              /* in a new session */
            record_emit(record_new(cases[i].type));
            expect(cases[i].want);
        }
        report_note("apic", "absent"); /* and behind a record of another type */
        text[0] = '\0';
        record_emit(record_new(cases[i].type));
        expect(cases[i].want);
    }
}

/* An interval of which nothing else is known. */
TEST(an_interval_alone)
{
    struct record *r = record_new("experiment");
    begin(state);
    rec_str(r, "of", "?");
    record_emit(r);
    assert_non_null(strstr(text, "\n      0 % interval of 0 samples: 0.00 to 0.00\n"));
}
