/* One session after the other as it arrives: shown, checked, and written to a file line by line. */
#pragma once
#include "host/keep.h"
#include "host/lava.h"
#include "host/ledger.h"
#include "host/records.h"

#define LISTEN_BYTES  (64 * 1024)
#define LISTEN_FAULTS 20 /* those that are named; the others are counted */

/* Who wants to see what arrives; each may be NULL. */
struct listen_hooks {
    void (*record)(void *ctx, const struct received *r);
    void (*text)(void *ctx, const char *line, size_t len); /* without control characters and line end */
    void (*settled)(void *ctx); /* text that came so far is complete: it may be flushed */
    void (*idle)(void *ctx);    /* all that has come is taken; what follows is waited for */
    void (*boot)(void *ctx);    /* each boot has a file of its own: the first record of one comes, and
                                   keep_open() may be called for it. Text between boots is not kept */
    void *ctx;
};

/* Why listen_until() returned. */
enum listen_result {
    LISTEN_ENOUGH,
    LISTEN_QUIET,   /* nothing came for that long */
    LISTEN_ANOTHER, /* after "end" another session begins (with hooks->boot: wherever one begins); its first
                       line waits to be read */
    LISTEN_EOF,     /* the other side closed */
    LISTEN_LOST,    /* the device or the connection is gone; errno says how */
    LISTEN_STOPPED, /* Ctrl-C */
};

/* What is known of the session. */
struct listen_session {
    bool begun, ended;    /* its first record, its "end" came */
    long long status;     /* what "end" says */
    long long received;   /* good records, each once */
    unsigned long faults; /* of which these are the first */
    struct fault fault[LISTEN_FAULTS];
    off_t start;         /* where it begins in the file */
    long long recovered; /* records that came when they were asked for again; of these */
    long long late;      /* before "end", at the monitor's prompt */
    bool kept;           /* a record "kept" came: the kernel waits after "end" */
};

struct listener {
    const char *command, *name; /* in messages: of the subcommand, of what is listened to */
    const struct listen_hooks *hooks;
    struct keep *keep;
    bool quiet;           /* nothing is said of a session that is complete */
    struct lava_log *log; /* a source that may be one; NULL: it is none */
    struct records_sink sink;
    struct records reader;
    struct ledger ledger;
    struct listen_session session;
    unsigned long sessions;     /* that were reported */
    unsigned long bad_sessions; /* of these: incomplete or damaged */
    off_t position;             /* in the file, of the line that is read */
    size_t garbage, bytes;      /* bytes that are no text, and all of them */
    bool asking;                /* what comes are replies (host/ask.h) */
    bool wait_over;             /* the kernel does not wait any longer */
    bool invited;               /* the kernel says that it waits for questions, and has these: */
    long long kept_first, kept_last;
    void (*reply)(void *ctx, const struct received *r); /* while asking */
    void *reply_ctx;
    bool booting;  /* hooks->boot was called for this session */
    bool read_log; /* the first line that is held is a log's serial text already */
    size_t n_held; /* of a line whose end has not come */
    char held[LISTEN_BYTES];
};

/* l->command, name, hooks, keep, quiet and log are set. */
void listen_begin(struct listener *l);

/* Reads until enough() says so; `quiet_ms` without a byte: LISTEN_QUIET (-1: no limit). */
enum listen_result listen_until(struct listener *l, int fd, bool (*enough)(const struct listener *),
                                int quiet_ms);
bool listen_over(const struct listener *l);    /* for enough(): "end" came, or the kernel waits */
bool listen_invited(const struct listener *l); /* the kernel waits */
bool listen_wait_over(const struct listener *l);

/* The session is over: names what is damaged or missing on standard error, and begins another. */
void listen_settle(struct listener *l);
/* After LISTEN_ANOTHER: the other session is not wanted. */
static inline void listen_leave(struct listener *l) { l->n_held = 0; }
/* Nothing more comes: the last session, if there is one, and the reader's memory. */
void listen_finish(struct listener *l);
