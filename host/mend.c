#include "host/mend.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- late records ---- */

bool late_add(struct late *l, const struct received *r)
{
    size_t at = l->n;
    while (at && l->line[at - 1].n > r->n) at--;
    if (at && l->line[at - 1].n == r->n) return true;
    if (l->n == l->room) {
        const size_t room = l->room ? 2 * l->room : 64;
        struct late_line *more = realloc(l->line, room * sizeof *more);
        if (!more) return false;
        l->line = more;
        l->room = room;
    }
    char *copy = malloc(r->len);
    if (!copy) return false;
    memcpy(copy, r->bytes, r->len);
    memmove(&l->line[at + 1], &l->line[at], (l->n - at) * sizeof *l->line);
    l->line[at] = (struct late_line){r->n, copy, r->len};
    l->n++;
    return true;
}

void late_free(struct late *l)
{
    for (size_t i = 0; i < l->n; i++) free(l->line[i].bytes);
    free(l->line);
    *l = (struct late){.n = 0};
}

/* ---- the file ---- */

struct mending {
    struct keep to;
    const struct late *late;
    size_t next;    /* of the late records */
    long long last; /* number of the record that was written last; -1: none */
    bool good;
};

static void write_line(struct mending *m, const char *bytes, size_t len)
{
    m->good = m->good && keep_write(&m->to, bytes, len) && keep_write(&m->to, "\n", 1);
}

static void write_late(struct mending *m, long long before)
{
    for (; m->next < m->late->n && m->late->line[m->next].n < before; m->next++) {
        const struct late_line *line = &m->late->line[m->next];
        if (line->n <= m->last) continue;
        write_line(m, line->bytes, line->len);
        m->last = line->n;
    }
}

static void record(void *ctx, const struct received *r)
{
    struct mending *m = ctx;
    if (!r->late) write_late(m, r->n);
    if (r->n <= m->last && !r->late) return; /* of this number another one came */
    write_line(m, r->bytes, r->len);
    if (!r->late) m->last = r->n;
}

static void text(void *ctx, const char *line, size_t len) { write_line(ctx, line, len); }

/* Gives the bytes from `from` to `to` to the copy as they are, or through the reader. */
static bool copy(const struct keep *k, off_t from, off_t to, struct mending *m, struct records *through)
{
    static char bytes[64 * 1024];
    while (from < to && m->good) {
        const size_t most = to - from < (off_t)sizeof bytes ? (size_t)(to - from) : sizeof bytes;
        const ssize_t n = pread(k->fd, bytes, most, from);
        if (n <= 0) return false;
        m->good = through ? records_feed(through, bytes, (size_t)n) && m->good
                          : keep_write(&m->to, bytes, (size_t)n);
        from += n;
    }
    return m->good;
}

static bool write_all(const struct keep *k, off_t from, off_t to, struct mending *m)
{
    const struct records_sink sink = {.record = record, .text = text, .ctx = m};
    struct records through;
    records_begin(&through, &sink);
    bool good = copy(k, 0, from, m, NULL) && copy(k, from, to, m, &through);
    records_finish(&through);
    write_late(m, LLONG_MAX);
    good = good && m->good && fsync(m->to.fd) == 0;
    if (m->to.error) errno = m->to.error;
    return good;
}

bool mend(struct keep *k, off_t from, off_t to, const struct late *late)
{
    char place[PATH_MAX], name[PATH_MAX + 8];
    struct stat st;
    struct mending m = {.late = late, .last = -1, .good = true};
    if (!realpath(k->name, place) || fstat(k->fd, &st) != 0) return false;
    snprintf(name, sizeof name, "%s.XXXXXX", place);
    m.to.name = name;
    m.to.fd = mkstemp(name);
    if (m.to.fd < 0) return false;
    if (fchmod(m.to.fd, st.st_mode & 07777) != 0 || !write_all(k, from, to, &m) || rename(name, place) != 0) {
        const int error = errno;
        unlink(name);
        close(m.to.fd);
        errno = error;
        return false;
    }
    close(k->fd);
    k->fd = m.to.fd;
    k->written = m.to.written;
    return true;
}
