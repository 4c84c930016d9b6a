/* What a screen offers after the session: pages by key and by time, and when codes take their place. */
#include "kernel/keyboard.h"
#include "kernel/screen.h"
#include "report/codes_show.h"
#include "report/ending.h"
#include "report/kept.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 100 /* turns of the loop: the TSC moves with each question for a key only */

/* ---- the machine: a screen of 24 rows for text, a keyboard, codes ---- */

static unsigned rows, codes_shown;
static char drawn[8192]; /* "0 24 ": the first rows of pages, in order; "QR": codes */
static char status[160], said[256], first_status[160];
static const char *impossible, *failing;
static bool kept, for_ever;
static enum keyboard_state keyboard;

unsigned screen_kept_rows(void) { return rows; }
unsigned screen_page_rows(void) { return 24; }
void screen_page(unsigned first, const char *s)
{
    char number[16];
    snprintf(number, sizeof number, "%u ", first);
    assert_true(strlen(drawn) + strlen(number) < sizeof drawn);
    strcat(drawn, number);
    if (!first_status[0]) strcpy(first_status, s);
    assert_true(strlen(s) <= 80);
    strcpy(status, s);
}
void screen_write(const char *s) { strcat(said, s); }
bool kept_any(void) { return kept; }
const char *codes_impossible(void) { return impossible; }
const char *codes_show(const struct codes_show *how)
{
    for_ever = how->for_ever;
    if (failing) return failing;
    codes_shown++;
    strcat(drawn, "QR ");
    return NULL;
}

/* Keys: "50>" is > at the 50th question. */
static const char *keys;
static unsigned asked, limit;
static const struct {
    char name;
    int code;
} names[] = {{'>', KEYBOARD_PAGE_DOWN},
             {'<', KEYBOARD_PAGE_UP},
             {'v', KEYBOARD_DOWN},
             {'^', KEYBOARD_UP},
             {'h', KEYBOARD_HOME},
             {'e', KEYBOARD_END},
             {'r', KEYBOARD_RIGHT},
             {'l', KEYBOARD_LEFT},
             {'\r', '\r'},
             {'q', 'q'},
             {'E', 27},
             {' ', ' '},
             {'x', 'x'}};

enum keyboard_state keyboard_init(void) { return keyboard; }
int keyboard_key(void)
{
    char *end;
    asked++;
    fake_tsc(asked, 0);
    if (limit && asked == limit) return 27;
    if (!*keys || strtoul(keys, &end, 10) > asked) return KEYBOARD_NONE;
    keys = end + 1;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].name == *end) return names[i].code;
    abort();
}
bool console_has_keys(void) { return false; }
int console_key(void) { abort(); }

static void end(bool at_once, bool halts, const char *pressed)
{
    static const struct clock clock = {.tsc_hz = SECOND};
    drawn[0] = status[0] = said[0] = first_status[0] = '\0';
    asked = codes_shown = 0;
    keys = pressed;
    fake_reset();
    fake_tsc(0, 0);
    ending_show(&(struct ending){at_once, halts, {0}, &clock});
}

static void machine(unsigned text, enum keyboard_state k)
{
    rows = text;
    keyboard = k;
    kept = true;
    impossible = failing = NULL;
    limit = 0;
}

/* ---- tests ---- */

TEST(by_key)
{
    machine(100, KEYBOARD_READY);
    end(false, true, "5<10<15<20<25<30>35>40>45>50>55q"); /* to the beginning, to the end, and not beyond */
    assert_string_equal(drawn, "76 52 28 4 0 0 24 48 72 76 76 76 ");
    end(false, true, "5^10^15v20v25v30h35v40e45l50r55E");
    assert_string_equal(drawn, "76 75 74 75 76 76 0 1 76 52 76 76 ");
    assert_string_equal(said, "");
    end(false, true, "5h10 15x20 25q");
    assert_string_equal(drawn, "76 0 24 48 48 ");
    assert_string_equal(status, "The machine has halted.");
    machine(10, KEYBOARD_READY); /* one page */
    end(false, true, "5<10>15h20e25v30^35q");
    assert_string_equal(drawn, "0 0 0 0 0 0 0 0 ");
    machine(24, KEYBOARD_READY);
    end(false, true, "5v10q");
    assert_string_equal(drawn, "0 0 0 ");
    machine(25, KEYBOARD_READY);
    end(false, true, "5<10q");
    assert_string_equal(drawn, "1 0 0 ");
}

TEST(line_of_keys)
{
    machine(100, KEYBOARD_READY);
    end(false, true, "5h10q");
    assert_string_equal(first_status,
                        "PgUp PgDn Home End: read  Enter: QR codes, in 60 s  Esc: end  77-100/100");
    machine(10, KEYBOARD_READY);
    impossible = "too small";
    end(false, true, "10q");
    assert_string_equal(first_status, "PgUp PgDn Home End: read  Esc: end  1-10/10");
    assert_string_equal(said, "No QR codes: too small\n");
    machine(100, KEYBOARD_SILENT);
    end(false, true, "10q");
    assert_string_equal(first_status,
                        "No keyboard answers: pages turn by themselves, then QR codes  77-100/100");
    machine(65537, KEYBOARD_READY); /* as many as 64 KiB can have */
    limit = 100;
    end(false, true, "5h6e");
    assert_string_equal(first_status,
                        "PgUp PgDn Home End: read  Enter: QR codes, in 60 s  Esc: end  65514-65537/65537");
}

/* With a keyboard: after 60 s; after ten minutes, once somebody reads; at once on Enter. */
TEST(when_codes_begin)
{
    machine(100, KEYBOARD_READY);
    end(false, true, "");
    assert_string_equal(drawn, "76 QR ");
    assert_true(for_ever);
    assert_in_range(asked, ENDING_OFFER_S * SECOND, ENDING_OFFER_S * SECOND + 2);
    end(false, true, "5000<");
    assert_string_equal(drawn, "76 52 QR ");
    assert_in_range(asked, 5000 + ENDING_READ_S * SECOND, 5002 + ENDING_READ_S * SECOND);
    end(false, true, "5000x"); /* a key that turns nothing */
    assert_in_range(asked, ENDING_OFFER_S * SECOND, ENDING_OFFER_S * SECOND + 2);
    end(false, true, "5<10\r");
    assert_string_equal(drawn, "76 52 QR ");
    assert_int_equal(asked, 10);
    end(true, true, ""); /* exit=qr */
    assert_string_equal(drawn, "QR ");
    end(true, false, ""); /* exit=qr,reboot */
    assert_string_equal(drawn, "QR ");
    assert_false(for_ever);
}

/* Without: a page each five seconds, round and round; codes at the end of the round in which 60 s pass. */
TEST(by_time)
{
    machine(100, KEYBOARD_ABSENT);
    end(false, true, "");
    assert_string_equal(drawn, "76 0 24 48 72 76 0 24 48 72 76 0 24 48 72 76 QR ");
    assert_in_range(asked, 80 * SECOND, 80 * SECOND + 40);
    machine(2000, KEYBOARD_SILENT); /* a round of seven minutes is not cut off */
    end(false, true, "");
    assert_memory_equal(drawn, "1976 0 24 ", 10);
    assert_string_equal(drawn + strlen(drawn) - 18, "1944 1968 1976 QR ");
    machine(20, KEYBOARD_ABSENT);
    end(false, true, "");
    assert_int_equal(codes_shown, 1);
    assert_in_range(asked, 60 * SECOND, 60 * SECOND + 20);
    machine(100, KEYBOARD_SILENT); /* a key all the same: then it is the reader who turns */
    limit = 59 * SECOND;
    end(false, true, "1200>");
    assert_string_equal(drawn, "76 0 24 48 48 ");
    machine(50, KEYBOARD_ABSENT); /* nothing else to show: for ever */
    kept = false;
    limit = 100 * SECOND;
    end(false, true, "");
    assert_memory_equal(drawn, "26 0 24 26 0 24 26 0 24 26 0 24 26 0 24 26 ", 40);
    assert_int_equal(codes_shown, 0);
}

TEST(without_codes)
{
    machine(100, KEYBOARD_READY);
    kept = false;
    limit = 1000 * SECOND;
    end(false, true, "5\r10<"); /* Enter means nothing */
    assert_string_equal(drawn, "76 52 52 ");
    assert_string_equal(said, "");
    machine(100, KEYBOARD_READY); /* they fail: it is said in the text, which can be read again */
    failing = "no memory";
    limit = 2000 * SECOND;
    end(false, true, "5\r");
    assert_string_equal(drawn, "76 76 76 ");
    assert_string_equal(said, "No QR codes: no memory\n");
    limit = 0;
    end(true, true, "50q"); /* exit=qr */
    assert_string_equal(drawn, "76 76 ");
    end(true, false, ""); /* something follows: nothing is waited for */
    assert_string_equal(drawn, "");
    assert_string_equal(said, "No QR codes: no memory\n");
    machine(0, KEYBOARD_READY); /* text=none: codes all the same */
    end(false, true, "");
    assert_string_equal(drawn, "0 QR ");
    assert_string_equal(first_status, "PgUp PgDn Home End: read  Enter: QR codes, in 60 s  Esc: end  0-0/0");
    kept = false; /* nothing at all */
    end(false, true, "");
    assert_string_equal(drawn, "");
}
