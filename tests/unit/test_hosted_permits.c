/* Words that a hosted kernel refuses: each is one that the kernel's options know. */
#include "kernel/permits.h"
#include "tests/unit/options_drive.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

const char *hosted_refuses(const char *key, const char *value, size_t len);
static bool has_prompt, bare; /* bare: nothing is refused */
const char *machine_refuses(const char *key, const char *value, size_t len)
{
    return bare ? NULL : hosted_refuses(key, value, len);
}
bool hosted_has_prompt(void) { return has_prompt; }
#define machine_refuses hosted_refuses
#include "hosted/permits.c"
#undef machine_refuses

#define ROWS (sizeof refused / sizeof *refused)

static int hosted(void **state)
{
    (void)state;
    bare = has_prompt = false;
    return 0;
}

static const char *why(const char *key, const char *value)
{
    return hosted_refuses(key, value, strlen(value));
}

/* A misspelt key would be an unknown word, and a misspelt value an unknown value. */
TEST_WITH(each_row_is_a_word, hosted, NULL)
{
    char line[64], fault[400];
    assert_true(ROWS > 10);
    for (unsigned i = 0; i < ROWS; i++) {
        const char *value = refused[i].value ? refused[i].value : "x";
        snprintf(line, sizeof line, "%s=%s", refused[i].key, value);
        snprintf(fault, sizeof fault, "not to be had here|%s|1|the line without it|%s\n", line,
                 refused[i].why);
        bare = false;
        assert_int_equal(parse(line), 1);
        assert_string_equal(faults, fault);
        bare = true;
        parse(line); /* it may need other options, too */
        if (strstr(faults, "unknown word") || (refused[i].value && strstr(faults, "unknown value")))
            fail_msg("%s: %s", line, faults);
    }
}

static bool listed(const char *key, const char *value)
{
    for (unsigned i = 0; i < ROWS; i++)
        if (strcmp(refused[i].key, key) == 0 && (!refused[i].value || strcmp(refused[i].value, value) == 0))
            return true;
    return false;
}

TEST_WITH(a_row_refuses_its_value, hosted, NULL)
{
    for (unsigned i = 0; i < ROWS; i++) {
        const char *key = refused[i].key, *value = refused[i].value;
        char other[32];
        assert_true(refused[i].why[0] != '\0');
        assert_string_equal(why(key, value ? value : "anything"), refused[i].why);
        if (!value) {
            assert_string_equal(why(key, ""), refused[i].why);
            continue;
        }
        snprintf(other, sizeof other, "%sx", value); /* longer, shorter, another one */
        assert_false(listed(key, other));
        assert_null(why(key, other));
        assert_null(hosted_refuses(key, value, strlen(value) - 1));
        assert_string_equal(hosted_refuses(key, other, strlen(value)), refused[i].why); /* len ends it */
    }
    assert_null(why("ring", "3"));
    assert_null(why("turbo", "found"));
    assert_null(why("prefetch", "found"));
    assert_null(why("apic", "found"));
    assert_null(why("rest", "spin"));
    assert_null(why("reps", "100"));
}

TEST_WITH(exit_and_records, hosted, NULL)
{
    assert_null(why("exit", "halt"));
    assert_string_equal(why("exit", "monitor"), "a prompt needs a terminal: ./run-here.sh -i");
    has_prompt = true;
    assert_null(why("exit", "monitor"));
    assert_non_null(why("exit", "reboot"));
    assert_non_null(why("exit", "hal"));
    assert_null(why("records", "none"));
    assert_non_null(why("records", "com1"));
}

TEST_WITH(rest_of_the_limits, hosted, NULL)
{
    assert_int_equal(machine_ring, 3);
    assert_int_equal(parse(""), 0);
    assert_int_equal(opt.ring, 3);
    assert_string_equal(machine_call_name(0), "read"); /* arch/x86/entry/syscalls/syscall_64.tbl */
    assert_string_equal(machine_call_name(1), "write");
    assert_string_equal(machine_call_name(231), "exit_group");
    assert_null(machine_call_name(400)); /* a gap */
    assert_null(machine_call_name(1000000));
    assert_null(machine_call_name(UINT64_MAX));
}
