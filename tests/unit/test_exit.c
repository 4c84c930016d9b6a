/* How the machine is left: which ports are written, in a process of its own that ends at the HLT. */
#include "kernel/exit.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct log {
    struct {
        uint16_t port;
        uint8_t value;
    } out[16];
    unsigned n, busy, polls;
    unsigned after[16]; /* reads of port 80h behind each write */
} * log;

static uint32_t keyboard_in(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx, (void)width;
    assert_int_equal(offset, 0);
    log->polls++;
    if (log->busy && log->busy != UINT32_MAX) log->busy--;
    return log->busy ? 0x1f : 0x1d; /* bit 1: the input buffer is full */
}

static uint32_t delay(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx, (void)offset, (void)width;
    if (log->n) log->after[log->n - 1]++;
    return 0;
}

static void out(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    (void)offset;
    if (width != 1 || log->n == 16) _exit(9);
    log->out[log->n].port = (uint16_t)(uintptr_t)ctx;
    log->out[log->n++].value = (uint8_t)value;
}

static void leave(enum exit_how how, int status, unsigned busy)
{
    static const struct fake_device ports[] = {{0xf4, 1, NULL, out, (void *)0xf4},
                                               {0x8900, 1, NULL, out, (void *)0x8900},
                                               {0x64, 1, keyboard_in, out, (void *)0x64},
                                               {0x80, 1, delay, NULL, NULL},
                                               {0xcf9, 1, NULL, out, (void *)0xcf9}};
    int end;
    if (!log) log = mmap(NULL, sizeof *log, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(log, 0, sizeof *log);
    log->busy = busy;
    fake_reset();
    for (unsigned i = 0; i < 5; i++) fake_port(&ports[i]);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* CLI is not a user's */
        machine_exit(how, status);
    }
    assert_int_equal(waitpid(child, &end, 0), child);
    assert_true(WIFSIGNALED(end) && WTERMSIG(end) == SIGSEGV);
}

TEST(test_names)
{
    static const struct {
        const char *value;
        enum exit_how how;
        bool waits, codes, monitors;
    } rows[] = {{"halt", EXIT_HALT},
                {"reboot\tx", EXIT_REBOOT},
                {"qemu rest", EXIT_QEMU},
                {"bochs", EXIT_BOCHS},
                {"poweroff", EXIT_POWEROFF},
                {"wait,poweroff x", EXIT_POWEROFF, true},
                {"poweroffs", EXIT_COUNT},
                {"", EXIT_COUNT},
                {"hal", EXIT_COUNT},
                {"haltx", EXIT_COUNT},
                {"qemU", EXIT_COUNT},
                {"wait", EXIT_HALT, true},
                {"wait rest", EXIT_HALT, true},
                {"wait,reboot", EXIT_REBOOT, true},
                {"wait,qemu\tx", EXIT_QEMU, true},
                {"wait,", EXIT_COUNT, true},
                {"wait,wait", EXIT_COUNT, true},
                {"waits", EXIT_COUNT},
                {"monitor", EXIT_HALT, false, false, true},
                {"monitor,wait,qr,qemu", EXIT_QEMU, true, true, true},
                {"monitor,bochs rest", EXIT_BOCHS, false, false, true},
                {"wait,monitor", EXIT_COUNT, true},
                {"monitor,", EXIT_COUNT, false, false, true},
                {"monitors", EXIT_COUNT},
                {"qr", EXIT_HALT, false, true},
                {"qr\tx", EXIT_HALT, false, true},
                {"qr,qemu rest", EXIT_QEMU, false, true},
                {"wait,qr", EXIT_HALT, true, true},
                {"wait,qr,reboot", EXIT_REBOOT, true, true},
                {"qr,wait", EXIT_COUNT, false, true},
                {"qr,", EXIT_COUNT, false, true},
                {"qr,qr", EXIT_COUNT, false, true},
                {"qrs", EXIT_COUNT},
                {"reboot,qr", EXIT_COUNT},
                {"qemu,wait", EXIT_COUNT}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(exit_parse(rows[i].value), rows[i].how);
        assert_int_equal(exit_monitors(rows[i].value), rows[i].monitors);
        assert_int_equal(exit_waits(rows[i].value), rows[i].waits);
        assert_int_equal(exit_shows_codes(rows[i].value), rows[i].codes);
    }
}

TEST(test_halt)
{
    leave(EXIT_HALT, 0, 0);
    assert_int_equal(log->n, 0);
    leave(EXIT_POWEROFF, 0, 0); /* what could switch it off did not */
    assert_int_equal(log->n, 0);
}

/* QEMU's status is 2 * value + 1: 33 and more are ours. */
TEST(test_emulators)
{
    for (int status = 0; status < 6; status++) {
        leave(EXIT_QEMU, status, 0);
        assert_int_equal(log->n, 1);
        assert_int_equal(log->out[0].port, 0xf4);
        assert_int_equal(log->out[0].value, 16 + status);
    }
    leave(EXIT_BOCHS, 0, 0);
    assert_int_equal(log->n, 8);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(log->out[i].port, 0x8900);
        assert_int_equal(log->out[i].value, "Shutdown"[i]);
    }
}

/* The keyboard controller first, when it takes a command; then the chip set. Each has a tenth of a second. */
TEST(test_reboot)
{
    static const struct {
        unsigned busy, polls;
    } rows[] = {{0, 1}, {3, 3}, {UINT32_MAX, 100000}};
    for (unsigned i = 0; i < 3; i++) {
        leave(EXIT_REBOOT, 0, rows[i].busy);
        assert_int_equal(log->polls, rows[i].polls);
        assert_int_equal(log->n, 3);
        assert_true(log->out[0].port == 0x64 && log->out[0].value == 0xfe);
        assert_true(log->out[1].port == 0xcf9 && log->out[1].value == 0x02);
        assert_true(log->out[2].port == 0xcf9 && log->out[2].value == 0x06);
        assert_int_equal(log->after[0], 100000);
        assert_int_equal(log->after[2], 100000);
    }
}
