#include "report/codes.h"
#include "kernel/crc32.h"
#include "report/deflate.h"
#include "report/frame.h"
#include "report/kept.h"
#include "report/put.h"
#include <limits.h>

#define MORE_RECORDS (3 * 160) /* bytes of "reduced", "kept" and "end" */

static bool without_bulk;
static unsigned left_out, passed;
static bool good;

static bool wanted(const char *line, size_t len) { return !(without_bulk && kept_is_bulk(line, len)); }
static void count(const char *line, size_t len) { passed += wanted(line, len); }
static void add(const char *line, size_t len)
{
    if (wanted(line, len)) good = good && deflate_add(line, len) && deflate_add("\n", 1);
}

void codes_announce(void)
{
    if (!kept_any()) return;
    kept_room(MORE_RECORDS);
    without_bulk = kept_bytes() > CODES_BYTES;
    passed = 0;
    kept_each(0, UINT_MAX, count);
    left_out = session_records() - passed;
    if (!left_out) return;
    struct record *r = NEW(reduced);
    PUT(r, reduced, left_out, left_out);
    record_emit(r);
}

const char *codes_make(struct codes *c, struct arena *memory)
{
    struct deflated all;
    if (!deflate_begin(memory)) return "there is too little memory";
    good = true;
    kept_each(0, UINT_MAX, add);
    if (!good || !deflate_end(&all)) return "there is too little memory";
    const size_t codes = (all.n + FRAME_BYTES - 1) / FRAME_BYTES;
    if (codes > FRAMES_MAX) return "there are more records than QR codes can number";
    *c = (struct codes){all.bytes, all.n, crc32(0, all.bytes, all.n), (unsigned)codes, left_out};
    return NULL;
}
