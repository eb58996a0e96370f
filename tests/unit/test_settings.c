/* Settings: values, the file, where the file is looked for, the environment, descriptions.
 *
 * usage: test_settings [ftcoll.conf.example]
 *
 * Each test runs in an empty directory of its own, with no variable set that settings look at.
 */
#include "config/settings_table.h"
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_OF_BOOL "on, off, 1, 0, yes, no, true, false"

enum { NOBODY = 65534, SOMEBODY = 12345 };

static char example_path[PATH_MAX], program_path[PATH_MAX];

/* ---- surroundings ---- */

static char directory[PATH_MAX], system_path[PATH_MAX + 16];
static const char *real_system_path;

static void clear_variables(void)
{
    char name[256];
    char **v = environ;

    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    while (v && *v) {
        if (strncmp(*v, "FTCOLL_", strlen("FTCOLL_")) != 0) {
            v++;
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*v, "="), *v);
        unsetenv(name);
        v = environ;
    }
}

static void set_up(void)
{
    const char *parent = getenv("TMPDIR");

    snprintf(directory, sizeof directory, "%s/test_settings.XXXXXX", parent ? parent : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chmod(directory, 0755), 0);
    umask(022);
    ck_assert_int_eq(chdir(directory), 0);
    snprintf(system_path, sizeof system_path, "%s/etc.conf", directory);
    real_system_path = ftc_settings_system_path;
    ftc_settings_system_path = system_path;
    clear_variables();
}

static void tear_down(void)
{
    char command[PATH_MAX + 16];

    ftc_settings_system_path = real_system_path;
    clear_variables();
    ck_assert_int_eq(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    ck_assert_int_eq(system(command), 0);
}

static void write_bytes(const char *path, const void *bytes, size_t count)
{
    FILE *f = fopen(path, "w");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, count, f), count);
    ck_assert_int_eq(fclose(f), 0);
}

static void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

/* As a file of the test's own: that of the tree may be as open to others as an archive has it. */
static void use_example(void)
{
    char command[PATH_MAX + 32];

    snprintf(command, sizeof command, "cp '%s' example.conf", example_path);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(chmod("example.conf", 0644), 0);
    setenv("FTCOLL_CONFIG", "example.conf", 1);
}

static int open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    int count = 0;

    ck_assert_ptr_nonnull(d);
    while (readdir(d))
        count++;
    closedir(d);
    return count;
}

/* ---- what is asserted ---- */

static int load(struct ftc_settings *s, struct ftc_settings_error *error)
{
    int before = open_files(), rv;

    memset(s, 0xA5, sizeof *s);
    errno = 1234;
    rv = ftc_settings_load(s, error);
    ck_assert_int_eq(errno, 1234);
    ck_assert_int_eq(open_files(), before);
    return rv;
}

static struct ftc_settings loaded(void)
{
    struct ftc_settings s;
    struct ftc_settings_error error = {""};

    ck_assert_msg(load(&s, &error) == 0, "%s", error.text);
    return s;
}

static void assert_load_fails(const char *expected)
{
    struct ftc_settings s;
    struct ftc_settings_error error = {""};

    ck_assert_int_eq(load(&s, &error), -1);
    ck_assert_str_eq(error.text, expected);
}

static int parse_bytes(const char *bytes, size_t count, struct ftc_settings *s,
                       struct ftc_settings_error *error)
{
    char *exact = malloc(count); /* so that a sanitizer sees a read behind the end */
    int rv;

    memcpy(exact, bytes, count);
    memset(s, 0xA5, sizeof *s);
    errno = 1234;
    rv = ftc_settings_parse_buffer(exact, count, s, error);
    ck_assert_int_eq(errno, 1234);
    free(exact);
    return rv;
}

static struct ftc_settings parsed_bytes(const char *bytes, size_t count)
{
    struct ftc_settings s;
    struct ftc_settings_error error = {""};

    ck_assert_msg(parse_bytes(bytes, count, &s, &error) == 0, "%s", error.text);
    return s;
}

static struct ftc_settings parsed(const char *text)
{
    return parsed_bytes(text, strlen(text));
}

static void assert_bytes_fail(const char *bytes, size_t count, const char *expected)
{
    struct ftc_settings s;
    struct ftc_settings_error error = {""};

    ck_assert_int_eq(parse_bytes(bytes, count, &s, &error), -1);
    ck_assert_str_eq(error.text, expected);
}

static void assert_fails(const char *text, const char *expected)
{
    assert_bytes_fail(text, strlen(text), expected);
}

/* "key = value" in a file and FTCOLL_KEY=value in the environment are refused alike. */
static void assert_refused(const char *key, const char *variable, const char *value,
                           const char *allowed)
{
    const char *dots = strlen(value) > 64 ? "..." : "";
    char line[2048], expected[4096];

    snprintf(line, sizeof line, "%s = %s\n", key, value);
    snprintf(expected, sizeof expected, "buffer:1: %s = \"%.64s%s\" is not allowed; allowed: %s",
             key, value, dots, allowed);
    assert_fails(line, expected);

    setenv(variable, value, 1);
    snprintf(expected, sizeof expected, "environment: %s = \"%.64s%s\" is not allowed; allowed: %s",
             variable, value, dots, allowed);
    assert_load_fails(expected);
    unsetenv(variable);
}

/* Not the origins. */
static bool have_same_values(const struct ftc_settings *a, const struct ftc_settings *b)
{
    return memcmp(a, b, offsetof(struct ftc_settings, origin)) == 0;
}

static char *text_from(void (*describe)(FILE *))
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    ck_assert_ptr_nonnull(f);
    describe(f);
    fclose(f);
    return text;
}

static char *dump_of(const struct ftc_settings *s)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    ck_assert_ptr_nonnull(f);
    ftc_settings_dump(s, f);
    fclose(f);
    return text;
}

static void assert_dump_has(const struct ftc_settings *s, const char *line)
{
    char *text = dump_of(s);

    ck_assert_msg(strstr(text, line) != NULL, "no line \"%s\" in\n%s", line, text);
    free(text);
}

/* ---- values ---- */

START_TEST(defaults_are_those_of_the_design)
{
    struct ftc_settings s = loaded();

    ck_assert(s.enable);
    ck_assert_int_eq(s.f, 1);
    ck_assert_int_eq(s.timeout_ms, 1000);
    ck_assert_int_eq(s.unreachable_ms, 3000);
    ck_assert_int_eq(s.max_bytes, 4096);
    ck_assert_int_eq(s.large, FTC_LARGE_NATIVE);
    ck_assert_int_eq(s.intercept, FTC_INTERCEPT_REDUCE | FTC_INTERCEPT_ALLREDUCE);
    ck_assert_int_eq(s.failure_info, FTC_FAILURE_LIST);
    ck_assert_int_eq(s.algorithm, FTC_ALGORITHM_OPTIMISTIC);
    ck_assert_int_eq(s.tree.kind, FTC_TREE_OPTIMAL);
    ck_assert_int_eq(s.tree.k, 0);
    ck_assert_int_eq(s.correction.kind, FTC_CORRECTION_GROUP);
    ck_assert_int_eq(s.correction.d, 0);
    ck_assert(s.deterministic);
    ck_assert_int_eq(s.monitor, FTC_MONITOR_AUTO);
    ck_assert_int_eq(s.failure_domain, FTC_FAILURE_DOMAIN_HOST);
    ck_assert_int_eq(s.on_excess, FTC_ON_EXCESS_ERROR);
    ck_assert_int_eq(s.report, FTC_REPORT_FAILURES);
    ck_assert_int_eq(s.report_format, FTC_REPORT_FORMAT_TEXT);
    ck_assert_str_eq(s.report_file, "");
    ck_assert_int_eq(s.failure_exit_status, 0);
    ck_assert_str_eq(s.crash, "");
}
END_TEST

START_TEST(every_byte_is_set)
{
    struct ftc_settings a, b;
    struct ftc_settings_error error;
    static const char text[] =
        "report_file = abc\ntree = lame:3\ncorrection = ring:2\ncrash = 1:2:a";

    memset(&a, 0x00, sizeof a);
    memset(&b, 0xFF, sizeof b);
    ck_assert_int_eq(ftc_settings_parse_buffer(text, sizeof text - 1, &a, &error), 0);
    ck_assert_int_eq(ftc_settings_parse_buffer(text, sizeof text - 1, &b, &error), 0);
    ck_assert_mem_eq(&a, &b, sizeof a);
}
END_TEST

START_TEST(a_shorter_text_leaves_nothing_of_a_longer_one)
{
    struct ftc_settings long_first, short_only;

    write_text("ftcoll.conf", "report_file = a/very/long/path\n");
    setenv("FTCOLL_REPORT_FILE", "b", 1);
    long_first = loaded();
    unlink("ftcoll.conf");
    short_only = loaded();
    ck_assert(have_same_values(&long_first, &short_only));
}
END_TEST

START_TEST(bool_has_eight_words)
{
    static const char *const on[] = {"on", "1", "yes", "true"};
    static const char *const off[] = {"off", "0", "no", "false"};
    char line[64];

    for (int i = 0; i < 4; i++) {
        snprintf(line, sizeof line, "enable = off\ndeterministic = %s", on[i]);
        ck_assert(parsed(line).deterministic);
        snprintf(line, sizeof line, "deterministic = %s", off[i]);
        ck_assert(!parsed(line).deterministic);
    }
    ck_assert(parsed("enable = off\ndeterministic = ON").deterministic);
    ck_assert(!parsed("deterministic = False").deterministic);
    assert_refused("deterministic", "FTCOLL_DETERMINISTIC", "2", WORDS_OF_BOOL);
    assert_refused("deterministic", "FTCOLL_DETERMINISTIC", "o", WORDS_OF_BOOL);
    assert_refused("deterministic", "FTCOLL_DETERMINISTIC", "onn", WORDS_OF_BOOL);
    assert_refused("deterministic", "FTCOLL_DETERMINISTIC", "on:1", WORDS_OF_BOOL);
    assert_refused("deterministic", "FTCOLL_DETERMINISTIC", "", WORDS_OF_BOOL);
}
END_TEST

static const struct {
    const char *key, *variable;
    long min, max;
    size_t offset;
} numbers[] = {
    {"f", "FTCOLL_F", 0, 64, offsetof(struct ftc_settings, f)},
    {"max_bytes", "FTCOLL_MAX_BYTES", 0, 65536, offsetof(struct ftc_settings, max_bytes)},
    {"large_memory", "FTCOLL_LARGE_MEMORY", 0, 1048576,
     offsetof(struct ftc_settings, large_memory)},
    {"timeout_ms", "FTCOLL_TIMEOUT_MS", 1, 3600000, offsetof(struct ftc_settings, timeout_ms)},
    {"unreachable_ms", "FTCOLL_UNREACHABLE_MS", 1, 3600000,
     offsetof(struct ftc_settings, unreachable_ms)},
    {"blocked_ms", "FTCOLL_BLOCKED_MS", 1, 3600000, offsetof(struct ftc_settings, blocked_ms)},
    {"failure_exit_status", "FTCOLL_FAILURE_EXIT_STATUS", 0, 255,
     offsetof(struct ftc_settings, failure_exit_status)},
};

static int number_in(const struct ftc_settings *s, int i)
{
    return *(const int *)((const char *)s + numbers[i].offset);
}

START_TEST(a_number_ends_at_its_limits)
{
    char value[32], allowed[64], line[64];
    const long good[] = {numbers[_i].min, numbers[_i].max};
    const long bad[] = {numbers[_i].min - 1, numbers[_i].max + 1};

    snprintf(allowed, sizeof allowed, "%ld..%ld", numbers[_i].min, numbers[_i].max);
    for (int i = 0; i < 2; i++) {
        struct ftc_settings s;

        snprintf(value, sizeof value, "%ld", good[i]);
        snprintf(line, sizeof line, "%s = %s", numbers[_i].key, value);
        s = parsed(line);
        ck_assert_int_eq(number_in(&s, _i), good[i]);
        setenv(numbers[_i].variable, value, 1);
        s = loaded();
        ck_assert_int_eq(number_in(&s, _i), good[i]);
        snprintf(value, sizeof value, "%ld", bad[i]);
        assert_refused(numbers[_i].key, numbers[_i].variable, value, allowed);
    }
}
END_TEST

START_TEST(a_number_is_digits_and_nothing_else)
{
    static const char *const bad[] = {"",
                                      "x",
                                      "1x",
                                      "+1",
                                      "-1",
                                      "-0",
                                      "0x1",
                                      "1.0",
                                      "1e1",
                                      "1 2",
                                      "1,2",
                                      "4294967297",
                                      "18446744073709551617",
                                      "9999999999999999999999999999999999999999"};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused("f", "FTCOLL_F", bad[i], "0..64");
    ck_assert_int_eq(parsed("f = 010").f, 10);
    setenv("FTCOLL_F", " 1", 1);
    assert_load_fails("environment: FTCOLL_F = \" 1\" is not allowed; allowed: 0..64");
    setenv("FTCOLL_F", "1\n", 1);
    assert_load_fails("environment: FTCOLL_F = \"1?\" is not allowed; allowed: 0..64");
    setenv("FTCOLL_F", "1\xc2\x9b\xc2\xb2", 1); /* U+009B is one of control, U+00B2 is not */
    assert_load_fails("environment: FTCOLL_F = \"1?\xc2\xb2\" is not allowed; allowed: 0..64");
}
END_TEST

START_TEST(each_word_has_its_value)
{
    ck_assert_int_eq(parsed("algorithm = corrected").algorithm, FTC_ALGORITHM_CORRECTED);
    ck_assert_int_eq(parsed("algorithm = optimistic").algorithm, FTC_ALGORITHM_OPTIMISTIC);
    ck_assert_int_eq(parsed("failure_info = list").failure_info, FTC_FAILURE_LIST);
    ck_assert_int_eq(parsed("failure_info = count").failure_info, FTC_FAILURE_COUNT);
    ck_assert_int_eq(parsed("failure_info = bit").failure_info, FTC_FAILURE_BIT);
    ck_assert_int_eq(parsed("monitor = auto").monitor, FTC_MONITOR_AUTO);
    ck_assert_int_eq(parsed("monitor = process").monitor, FTC_MONITOR_PROCESS);
    ck_assert_int_eq(parsed("monitor = timeout").monitor, FTC_MONITOR_TIMEOUT);
    ck_assert_int_eq(parsed("link = auto").link, FTC_LINK_AUTO);
    ck_assert_int_eq(parsed("link = tcp").link, FTC_LINK_TCP);
    ck_assert_int_eq(parsed("failure_domain = rank").failure_domain, FTC_FAILURE_DOMAIN_RANK);
    ck_assert_int_eq(parsed("failure_domain = host").failure_domain, FTC_FAILURE_DOMAIN_HOST);
    ck_assert_int_eq(parsed("on_excess = error").on_excess, FTC_ON_EXCESS_ERROR);
    ck_assert_int_eq(parsed("on_dead_root = error").on_dead_root, FTC_ON_DEAD_ROOT_ERROR);
    ck_assert_int_eq(parsed("on_dead_root = keep").on_dead_root, FTC_ON_DEAD_ROOT_KEEP);
    ck_assert_int_eq(parsed("on_excess = abort").on_excess, FTC_ON_EXCESS_ABORT);
    ck_assert_int_eq(parsed("report = off").report, FTC_REPORT_OFF);
    ck_assert_int_eq(parsed("report = failures").report, FTC_REPORT_FAILURES);
    ck_assert_int_eq(parsed("report = summary").report, FTC_REPORT_SUMMARY);
    ck_assert_int_eq(parsed("report = coverage").report, FTC_REPORT_COVERAGE);
    ck_assert_int_eq(parsed("large = native").large, FTC_LARGE_NATIVE);
    ck_assert_int_eq(parsed("large = protected").large, FTC_LARGE_PROTECTED);
    ck_assert_int_eq(parsed("p2p = native").p2p, FTC_P2P_NATIVE);
    ck_assert_int_eq(parsed("p2p = error").p2p, FTC_P2P_ERROR);
    ck_assert_int_eq(parsed("p2p = ignore").p2p, FTC_P2P_IGNORE);
    ck_assert_int_eq(parsed("communicators = native").communicators, FTC_COMMUNICATORS_NATIVE);
    ck_assert_int_eq(parsed("communicators = survivors").communicators,
                     FTC_COMMUNICATORS_SURVIVORS);
    ck_assert_int_eq(parsed("communicators = places").communicators, FTC_COMMUNICATORS_PLACES);
    ck_assert_int_eq(parsed("on_blocked = off").on_blocked, FTC_ON_BLOCKED_OFF);
    ck_assert_int_eq(parsed("on_blocked = warn").on_blocked, FTC_ON_BLOCKED_WARN);
    ck_assert_int_eq(parsed("on_blocked = abort").on_blocked, FTC_ON_BLOCKED_ABORT);
    ck_assert_int_eq(parsed("report = full").report, FTC_REPORT_FULL);
    ck_assert_int_eq(parsed("report_format = text").report_format, FTC_REPORT_FORMAT_TEXT);
    ck_assert_int_eq(parsed("report_format = json").report_format, FTC_REPORT_FORMAT_JSON);
}
END_TEST

START_TEST(other_words_are_refused)
{
    static const struct {
        const char *key, *variable, *allowed;
    } options[] = {
        {"algorithm", "FTCOLL_ALGORITHM", "corrected, optimistic"},
        {"failure_info", "FTCOLL_FAILURE_INFO", "list, count, bit"},
        {"monitor", "FTCOLL_MONITOR", "auto, process, timeout"},
        {"link", "FTCOLL_LINK", "auto, tcp, ucx"},
        {"failure_domain", "FTCOLL_FAILURE_DOMAIN", "rank, host"},
        {"on_excess", "FTCOLL_ON_EXCESS", "error, abort"},
        {"on_dead_root", "FTCOLL_ON_DEAD_ROOT", "error, keep"},
        {"report", "FTCOLL_REPORT", "off, failures, summary, coverage, full"},
        {"large", "FTCOLL_LARGE", "native, protected"},
        {"protect", "FTCOLL_PROTECT", "reductions, all"},
        {"dead_blocks", "FTCOLL_DEAD_BLOCKS", "keep, zero"},
        {"p2p", "FTCOLL_P2P", "native, error, ignore"},
        {"communicators", "FTCOLL_COMMUNICATORS", "native, survivors, places"},
        {"device_buffers", "FTCOLL_DEVICE_BUFFERS", "auto, none"},
        {"yield", "FTCOLL_YIELD", "auto, on, off"},
        {"on_blocked", "FTCOLL_ON_BLOCKED", "off, warn, abort"},
        {"enable", "FTCOLL_ENABLE", WORDS_OF_BOOL},
    };

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        assert_refused(options[i].key, options[i].variable, "other", options[i].allowed);
        assert_refused(options[i].key, options[i].variable, "", options[i].allowed);
    }
}
END_TEST

START_TEST(intercept_is_a_set)
{
    const int both = FTC_INTERCEPT_REDUCE | FTC_INTERCEPT_ALLREDUCE;

    ck_assert_int_eq(parsed("intercept = reduce").intercept, FTC_INTERCEPT_REDUCE);
    ck_assert_int_eq(parsed("intercept = allreduce").intercept, FTC_INTERCEPT_ALLREDUCE);
    ck_assert_int_eq(parsed("intercept = barrier").intercept, FTC_INTERCEPT_BARRIER);
    ck_assert_int_eq(parsed("intercept = bcast").intercept, FTC_INTERCEPT_BCAST);
    ck_assert_int_eq(parsed("intercept = allreduce , \t reduce").intercept, both);
    ck_assert_int_eq(parsed("intercept = reduce,reduce,allreduce").intercept, both);
    ck_assert_int_eq(parsed("intercept = all").intercept, FTC_INTERCEPT_ALL);
    ck_assert_int_eq(parsed("intercept = ireduce").intercept, FTC_INTERCEPT_IREDUCE);
    ck_assert_int_eq(parsed("intercept = iallreduce").intercept, FTC_INTERCEPT_IALLREDUCE);
    ck_assert_int_eq(parsed("intercept = win_free").intercept, FTC_INTERCEPT_WIN_FREE);
    ck_assert_int_eq(
        parsed("intercept = reduce,allreduce,barrier,bcast,ireduce,iallreduce,gather,scatter,"
               "allgather,alltoall,reduce_scatter,scan,exscan,neighbor,noncommutative,"
               "intercommunicators,ibarrier,ibcast,igather,iscatter,iallgather,ialltoall,ireduce_"
               "scatter,iscan,iexscan,ineighbor,win_"
               "free")
            .intercept,
        FTC_INTERCEPT_ALL);
    ck_assert_int_eq(parsed("intercept = exscan").intercept, FTC_INTERCEPT_EXSCAN);
    ck_assert_int_eq(FTC_INTERCEPT_COLLECTIVES & ~FTC_INTERCEPT_NONBLOCKING,
                     (FTC_INTERCEPT_IREDUCE - 1) | (FTC_INTERCEPT_IBARRIER - FTC_INTERCEPT_GATHER) |
                         FTC_INTERCEPT_INTERCOMM);
}
END_TEST

/* What stands behind it can each be set by itself. */
START_TEST(protect_stands_for_other_settings)
{
    struct ftc_settings s = parsed("protect = all");

    ck_assert_int_eq(s.intercept, FTC_INTERCEPT_ALL);
    ck_assert_int_eq(s.large, FTC_LARGE_PROTECTED);
    ck_assert_int_eq(s.p2p, FTC_P2P_IGNORE);
    ck_assert_int_eq(s.communicators, FTC_COMMUNICATORS_SURVIVORS);
    ck_assert_int_eq(s.on_dead_root, FTC_ON_DEAD_ROOT_ERROR);
    ck_assert_int_eq(s.origin[FTC_SETTING_p2p], FTC_ORIGIN_FILE);
    s = parsed("p2p = native\nprotect = all\nintercept = bcast");
    ck_assert_int_eq(s.intercept, FTC_INTERCEPT_BCAST);
    ck_assert_int_eq(s.p2p, FTC_P2P_NATIVE);
    ck_assert_int_eq(s.communicators, FTC_COMMUNICATORS_SURVIVORS);
    use_example(); /* which sets everything */
    ck_assert_int_eq(loaded().intercept, FTC_INTERCEPT_REDUCE | FTC_INTERCEPT_ALLREDUCE);
    setenv("FTCOLL_PROTECT", "all", 1);
    setenv("FTCOLL_P2P", "error", 1);
    s = loaded();
    ck_assert_int_eq(s.intercept, FTC_INTERCEPT_ALL);
    ck_assert_int_eq(s.p2p, FTC_P2P_ERROR);
    s = parsed("protect = reductions");
    ck_assert_int_eq(s.large, FTC_LARGE_NATIVE);
    ck_assert_int_eq(s.intercept, FTC_INTERCEPT_REDUCE | FTC_INTERCEPT_ALLREDUCE);
    ck_assert_int_eq(s.p2p, FTC_P2P_NATIVE);
    ck_assert_int_eq(s.communicators, FTC_COMMUNICATORS_NATIVE);
}
END_TEST

START_TEST(intercept_takes_its_words_only)
{
    static const char *const bad[] = {"",       "gathers",          "reduce,",  "reduce,gathers",
                                      ",",      "reduce,,reduce",   "Reduces",  "reduce allreduce",
                                      "reduc",  "reduce;allreduce", "reduce:1", "reduceallreduce",
                                      "reducex"};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused("intercept", "FTCOLL_INTERCEPT", bad[i],
                       "reduce, allreduce, barrier, bcast, ireduce, iallreduce, gather, scatter, "
                       "allgather, alltoall, reduce_scatter, scan, exscan, neighbor, "
                       "noncommutative, intercommunicators, ibarrier, "
                       "ibcast, igather, iscatter, iallgather, ialltoall, ireduce_scatter, iscan, "
                       "iexscan, ineighbor, win_free, all; several with commas between them");
}
END_TEST

START_TEST(words_may_be_in_capitals)
{
    ck_assert_int_eq(parsed("intercept = Reduce, ALL").intercept,
                     parsed("intercept = all").intercept);
    ck_assert_int_eq(parsed("p2p = IGNORE").p2p, FTC_P2P_IGNORE);
}
END_TEST

START_TEST(what_was_meant_is_told)
{
    assert_refused("max_bytes", "FTCOLL_MAX_BYTES", "4K", "0..65536; as a number 4K is 4096");
    assert_refused("large_memory", "FTCOLL_LARGE_MEMORY", "2g", "0..1048576"); /* MiB */
    assert_refused("f", "FTCOLL_F", "2 # two", "0..64; a comment begins with a semicolon");
    assert_refused("f", "FTCOLL_F", "4KB", "0..64");
    assert_refused("f", "FTCOLL_F", "K", "0..64");
}
END_TEST

START_TEST(tree_has_four_shapes)
{
    struct ftc_settings s = parsed("tree = binomial");

    ck_assert_int_eq(s.tree.kind, FTC_TREE_BINOMIAL);
    s = parsed("tree = optimal");
    ck_assert_int_eq(s.tree.kind, FTC_TREE_OPTIMAL);
    ck_assert_int_gt(s.tree.logp.L, 0);
    s = parsed("tree = kary:1");
    ck_assert_int_eq(s.tree.kind, FTC_TREE_KARY);
    ck_assert_int_eq(s.tree.k, 1);
    s = parsed("tree: lame:64"); /* a colon separates as well */
    ck_assert_int_eq(s.tree.kind, FTC_TREE_LAME);
    ck_assert_int_eq(s.tree.k, 64);
}
END_TEST

START_TEST(tree_takes_k_where_it_belongs)
{
    static const char *const bad[] = {"",        "kary",       "kary:",     "kary:0",
                                      "kary:65", "kary:x",     "kary:1x",   "kary: 2",
                                      "kary:-1", "kary:2:3",   "lame",      "lame:0",
                                      "lame:65", "binomial:2", "optimal:2", "kary:4294967297",
                                      ":2",      "flat",       "kary2"};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused("tree", "FTCOLL_TREE", bad[i],
                       "binomial, kary:K, lame:K, optimal (K in 1..64)");
}
END_TEST

START_TEST(correction_is_group_or_ring)
{
    static const char *const bad[] = {"",        "ring",    "ring:",  "ring:0",
                                      "ring:65", "group:1", "rings:1"};
    struct ftc_settings s = parsed("correction = ring:64");

    ck_assert_int_eq(s.correction.kind, FTC_CORRECTION_RING);
    ck_assert_int_eq(s.correction.d, 64);
    s = parsed("correction = group");
    ck_assert_int_eq(s.correction.kind, FTC_CORRECTION_GROUP);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused("correction", "FTCOLL_CORRECTION", bad[i], "group, ring:D (D in 1..64)");
}
END_TEST

START_TEST(a_text_has_a_longest_length)
{
    char path[1100], line[1200], expected[256];
    struct ftc_settings s;

    memset(path, 'p', sizeof path);
    path[1023] = '\0';
    snprintf(line, sizeof line, "report_file = %s\n", path);
    s = parsed(line);
    ck_assert_str_eq(s.report_file, path);
    setenv("FTCOLL_REPORT_FILE", path, 1);
    s = loaded();
    ck_assert_str_eq(s.report_file, path);

    memset(path, 'p', 1024);
    path[1024] = '\0';
    snprintf(expected, sizeof expected,
             "buffer:1: report_file = \"%.64s...\" is not allowed; allowed: at most 1023 printable "
             "bytes, or nothing",
             path);
    snprintf(line, sizeof line, "report_file = %s\n", path);
    assert_fails(line, expected);
    setenv("FTCOLL_REPORT_FILE", path, 1);
    snprintf(expected, sizeof expected,
             "environment: FTCOLL_REPORT_FILE = \"%.64s...\" is not allowed; allowed: at most 1023 "
             "printable bytes, or nothing",
             path);
    assert_load_fails(expected);
}
END_TEST

START_TEST(ranks_are_numbers_with_commas)
{
    static const char *const bad[] = {"x", "1,", ",1", "1,,2", "1 2", "-1", "1234567"};

    ck_assert(ftc_settings_names_rank(parsed("critical_ranks = 0,12,7").critical_ranks, 12));
    ck_assert(ftc_settings_names_rank("7", 7));
    ck_assert(!ftc_settings_names_rank("0,12,7", 1));
    ck_assert(!ftc_settings_names_rank("", 0));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused("critical_ranks", "FTCOLL_CRITICAL_RANKS", bad[i],
                       "ranks with commas between them, or nothing");
}
END_TEST

START_TEST(crash_is_stored_as_it_stands)
{
    char text[257];

    ck_assert_str_eq(parsed("crash = 3:17:before_send").crash, "3:17:before_send");
    memset(text, 'c', 256);
    text[255] = '\0';
    setenv("FTCOLL_CRASH", text, 1);
    ck_assert_str_eq(loaded().crash, text);
    unsetenv("FTCOLL_CRASH");
    text[255] = 'c';
    text[256] = '\0';
    assert_refused("crash", "FTCOLL_CRASH", text, "at most 255 printable bytes, or nothing");
}
END_TEST

START_TEST(a_text_has_no_control_characters)
{
    setenv("FTCOLL_REPORT_FILE", "a\nb\x1b", 1);
    assert_load_fails("environment: FTCOLL_REPORT_FILE = \"a?b?\" is not allowed; allowed: at most "
                      "1023 printable bytes, or nothing");
    setenv("FTCOLL_REPORT_FILE", "d\xc3\xa9j\xc3\xa0 vu", 1);
    ck_assert_str_eq(loaded().report_file, "d\xc3\xa9j\xc3\xa0 vu");
}
END_TEST

/* ---- the file's form ---- */

START_TEST(a_file_of_no_lines_or_only_comments_gives_defaults)
{
    static const char *const texts[] = {"",
                                        "\n",
                                        "\r\n\r\n",
                                        "# f = 9\n; f = 9\n  # f = 9",
                                        "  \t ",
                                        "[ftcoll]",
                                        "[ftcoll]\n\n[ftcoll]\n",
                                        "\xEF\xBB\xBF"};
    struct ftc_settings defaults = loaded();

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct ftc_settings s = parsed(texts[i]);

        ck_assert_mem_eq(&s, &defaults, sizeof s);
    }
}
END_TEST

START_TEST(line_ends_may_be_of_any_system)
{
    ck_assert_int_eq(parsed("f = 2\r\nmax_bytes = 8\r\n").max_bytes, 8);
    ck_assert_int_eq(parsed("f = 2\r\nmax_bytes = 8").max_bytes, 8);
    ck_assert_int_eq(parsed("f = 2\nmax_bytes = 8").max_bytes, 8);
    ck_assert_str_eq(parsed("report_file = a b\r\n").report_file, "a b");
    assert_fails("f = 1\rmax_bytes = 2",
                 "buffer:1: f = \"1?max_bytes = 2\" is not allowed; allowed: 0..64");
}
END_TEST

START_TEST(blanks_and_marks_around_a_pair_do_not_count)
{
    ck_assert_int_eq(parsed("f=2").f, 2);
    ck_assert_int_eq(parsed(" \t f \t = \t 2 \t ").f, 2);
    ck_assert_int_eq(parsed("f: 2").f, 2);
    ck_assert_int_eq(parsed("\xEF\xBB\xBF"
                            "f = 2")
                         .f,
                     2);
    ck_assert_int_eq(parsed("\xEF\xBB\xBF[ftcoll]\nf = 2").f, 2);
    ck_assert_int_eq(parsed("[ftcoll] ; mine\nf = 2").f, 2);
    ck_assert_int_eq(parsed("  [ftcoll]  \r\nf = 2").f, 2);
    ck_assert_int_eq(parsed("f = 2 ; two").f, 2);
    ck_assert_str_eq(parsed("report_file = a;b ; c").report_file, "a;b");
    ck_assert_str_eq(parsed("report_file = a=b:c#d [x]").report_file, "a=b:c#d [x]");
    ck_assert_str_eq(parsed("report_file =").report_file, "");
}
END_TEST

/* inih by itself would take an indented line for more of the value above. */
START_TEST(an_indented_line_is_a_line_of_its_own)
{
    struct ftc_settings s = parsed("f = 2\n    max_bytes = 8\n\t timeout_ms = 9\n\v report = off");

    ck_assert_int_eq(s.f, 2);
    ck_assert_int_eq(s.max_bytes, 8);
    ck_assert_int_eq(s.timeout_ms, 9);
    ck_assert_int_eq(s.report, FTC_REPORT_OFF);
    assert_fails("report_file = a\n  b\n",
                 "buffer:2: \"b\" is neither a comment nor \"key = value\"");
}
END_TEST

START_TEST(a_line_that_is_no_pair_is_an_error)
{
    char line[100], expected[200];

    assert_fails("f = 2\nbogus line \nx",
                 "buffer:2: \"bogus line\" is neither a comment nor \"key = "
                 "value\"");
    assert_fails("f ; = 2", "buffer:1: \"f ; = 2\" is neither a comment nor \"key = value\"");
    memset(line, 'b', 65);
    line[65] = '\0';
    snprintf(expected, sizeof expected,
             "buffer:1: \"%.64s...\" is neither a comment nor \"key = value\"", line);
    assert_fails(line, expected);
}
END_TEST

START_TEST(an_unknown_key_is_an_error)
{
    char line[100], expected[1024];

    assert_fails("\nff = 2", "buffer:2: unknown key \"ff\"; did you mean f?");
    assert_fails("F = 2", "buffer:1: unknown key \"F\"; did you mean f?");
    assert_fails("bolcked_ms = 2",
                 "buffer:1: unknown key \"bolcked_ms\"; did you mean blocked_ms?");
    assert_fails("depth = 2", "buffer:1: unknown key \"depth\"; " FTC_SETTINGS_ALL);
    assert_fails("= 2", "buffer:1: unknown key \"\"; " FTC_SETTINGS_ALL);
    assert_fails("max\x01 = 2", "buffer:1: unknown key \"max?\"; " FTC_SETTINGS_ALL);
    memset(line, 'k', 70);
    strcpy(line + 70, "=1");
    snprintf(expected, sizeof expected, "buffer:1: unknown key \"%.64s...\"; %s", line,
             FTC_SETTINGS_ALL);
    assert_fails(line, expected);
}
END_TEST

START_TEST(a_key_may_be_set_once)
{
    assert_fails("f = 2\n\nmax_bytes = 1\nf = 2\n", "buffer:4: f has been set in line 1 already");
    assert_fails("f = 2\n[ftcoll]\nf = 3\n", "buffer:3: f has been set in line 1 already");
}
END_TEST

START_TEST(there_is_one_section)
{
    static const char *const bad[] = {
        "[mpi]",     "[]",        "[ftcoll",   "[ftcoll] f = 2", "[FTCOLL]",        "[ftcoll];x",
        "[ ftcoll]", "[ftcoll]x", "[ftcoll2]", "[ftcoll]]",      "[ftcoll] # mine", "["};
    char text[100], expected[200];

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(text, sizeof text, "f = 2\n %s \n", bad[i]);
        snprintf(expected, sizeof expected,
                 "buffer:2: \"%s\" is not allowed; the only section is [ftcoll]", bad[i]);
        assert_fails(text, expected);
    }
}
END_TEST

START_TEST(the_first_error_is_reported)
{
    assert_fails("bogus\nf = 99\n", "buffer:1: \"bogus\" is neither a comment nor \"key = value\"");
    assert_fails("f = 99\nbogus\n", "buffer:1: f = \"99\" is not allowed; allowed: 0..64");
    assert_fails("bogus\n[mpi]\n", "buffer:1: \"bogus\" is neither a comment nor \"key = value\"");
    assert_fails("g = 1\n[mpi]\n", "buffer:1: unknown key \"g\"; " FTC_SETTINGS_ALL);
}
END_TEST

START_TEST(a_zero_byte_is_an_error)
{
    static const char in_value[] = "f = 2\nf = 1\0 2\n", in_comment[] = "# \0", alone[] = "\0";

    assert_bytes_fail(in_value, sizeof in_value - 1, "buffer:2: the line has a zero byte");
    assert_bytes_fail(in_comment, sizeof in_comment - 1, "buffer:1: the line has a zero byte");
    assert_bytes_fail(alone, 1, "buffer:1: the line has a zero byte");
}
END_TEST

START_TEST(a_line_has_a_longest_length)
{
    enum { LONG = 1 << 16 };
    char *text = malloc(LONG + 16);

    memset(text, 'x', LONG);
    text[0] = '#';
    strcpy(text + 4096, "\nf = 2\n");
    ck_assert_int_eq(parsed(text).f, 2);
    strcpy(text + 4096, "x\nf = 2\n");
    assert_fails(text, "buffer:1: the line is longer than 4096 bytes");
    memset(text, 'x', LONG);
    strcpy(text + LONG, "\nf = 2\n");
    memcpy(text, "f = 2\nreport_file = ", 20);
    assert_fails(text, "buffer:2: the line is longer than 4096 bytes");
    memset(text + 6, ' ', LONG - 6); /* blanks around a line do not count */
    memcpy(text + LONG - 20, "max_bytes = 5", 13);
    strcpy(text + LONG, "\nreport = off");
    ck_assert_int_eq(parsed(text).max_bytes, 5);
    free(text);
}
END_TEST

/* ---- where the file is ---- */

START_TEST(no_file_at_all_is_fine)
{
    struct ftc_settings s = loaded();

    ck_assert_int_eq(s.f, 1);
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    s = loaded();
    ck_assert_int_eq(s.f, 1);
}
END_TEST

START_TEST(the_first_file_in_the_order_is_the_only_one_read)
{
    char home[PATH_MAX + 16], xdg[PATH_MAX + 16];

    snprintf(home, sizeof home, "%s/home", directory);
    snprintf(xdg, sizeof xdg, "%s/xdg", directory);
    ck_assert_int_eq(mkdir("home", 0755) | mkdir("home/.config", 0755) | mkdir("xdg", 0755), 0);

    write_text(system_path, "f = 2\n");
    ck_assert_int_eq(loaded().f, 2);

    setenv("HOME", home, 1);
    ck_assert_int_eq(loaded().f, 2);
    write_text("home/.config/ftcoll.conf", "f = 3\n");
    ck_assert_int_eq(loaded().f, 3);

    setenv("XDG_CONFIG_HOME", xdg, 1);
    ck_assert_int_eq(loaded().f, 2);
    write_text("xdg/ftcoll.conf", "f = 4\n");
    ck_assert_int_eq(loaded().f, 4);

    write_text("ftcoll.conf", "max_bytes = 7\n");
    ck_assert_int_eq(loaded().max_bytes, 7);
    ck_assert_int_eq(loaded().f, 1);

    write_text("named.conf", "f = 6\n");
    setenv("FTCOLL_CONFIG", "named.conf", 1);
    ck_assert_int_eq(loaded().f, 6);
    ck_assert_int_eq(loaded().max_bytes, 4096);
}
END_TEST

START_TEST(the_system_file_is_in_etc)
{
    ck_assert_str_eq(real_system_path, "/etc/ftcoll.conf");
}
END_TEST

START_TEST(a_config_home_must_be_absolute)
{
    char home[PATH_MAX + 16];

    snprintf(home, sizeof home, "%s/home", directory);
    ck_assert_int_eq(mkdir("home", 0755) | mkdir("home/.config", 0755) | mkdir("xdg", 0755), 0);
    write_text("home/.config/ftcoll.conf", "f = 3\n");
    write_text("xdg/ftcoll.conf", "f = 4\n");
    setenv("HOME", home, 1);
    setenv("XDG_CONFIG_HOME", "xdg", 1);
    ck_assert_int_eq(loaded().f, 3);
    setenv("XDG_CONFIG_HOME", "", 1);
    ck_assert_int_eq(loaded().f, 3);
    setenv("HOME", "home", 1);
    ck_assert_int_eq(loaded().f, 1);
}
END_TEST

START_TEST(a_config_home_longer_than_any_path_is_no_place)
{
    char *path = malloc(2 * PATH_MAX);

    memset(path, '/', 2 * PATH_MAX);
    path[2 * PATH_MAX - 1] = '\0';
    setenv("XDG_CONFIG_HOME", path, 1);
    write_text(system_path, "f = 2\n");
    ck_assert_int_eq(loaded().f, 2);
    free(path);
}
END_TEST

START_TEST(a_named_file_must_be_readable)
{
    setenv("FTCOLL_CONFIG", "missing.conf", 1);
    assert_load_fails("missing.conf: cannot be read: No such file or directory");
    write_text("ftcoll.conf", "f = 2\n"); /* does not stand in for it */
    assert_load_fails("missing.conf: cannot be read: No such file or directory");
    setenv("FTCOLL_CONFIG", "ftcoll.conf/x", 1);
    assert_load_fails("ftcoll.conf/x: cannot be read: Not a directory");
    setenv("FTCOLL_CONFIG", "/dev/null", 1);
    ck_assert_int_eq(loaded().f, 1);
    setenv("FTCOLL_CONFIG", "", 1);
    ck_assert_int_eq(loaded().f, 2);
}
END_TEST

/* The file after it is not read in its place. */
static void assert_not_trusted(const char *why)
{
    char expected[256];

    write_text(system_path, "f = 2\n");
    snprintf(expected, sizeof expected,
             "./ftcoll.conf: not trusted: %s; FTCOLL_CONFIG names another file, or /dev/null", why);
    assert_load_fails(expected);
    ck_assert_int_eq(unlink(system_path), 0);
}

START_TEST(what_is_no_regular_file_is_refused)
{
    ck_assert_int_eq(mkdir("ftcoll.conf", 0755), 0);
    assert_not_trusted("it is not a regular file");
    setenv("FTCOLL_CONFIG", ".", 1);
    assert_load_fails(".: not trusted: it is not a regular file");
    unsetenv("FTCOLL_CONFIG");
    ck_assert_int_eq(rmdir("ftcoll.conf") | mkfifo("ftcoll.conf", 0644), 0);
    assert_not_trusted("it is not a regular file");
    ck_assert_int_eq(unlink("ftcoll.conf") | symlink("/dev/null", "ftcoll.conf"), 0);
    assert_not_trusted("it is not a regular file");
}
END_TEST

/* ---- which files are trusted ---- */

START_TEST(what_others_may_write_to_is_refused)
{
    write_text("ftcoll.conf", "f = 3\n");
    ck_assert_int_eq(chmod("ftcoll.conf", 0664), 0);
    assert_not_trusted("others than its owner may write to it (mode 0664; "
                       "chmod go-w)");
    ck_assert_int_eq(chmod("ftcoll.conf", 0602), 0);
    assert_not_trusted("others than its owner may write to it (mode 0602; "
                       "chmod go-w)");
    ck_assert_int_eq(chmod("ftcoll.conf", 0644), 0);
    ck_assert_int_eq(loaded().f, 3);
}
END_TEST

static bool owned_by(uid_t owner, const char *path)
{
    if (lchown(path, owner, (gid_t)-1) == 0)
        return true;
    printf("test_settings: skipped: files of other users: cannot give one away: %s\n",
           strerror(errno));
    return false;
}

START_TEST(a_file_of_another_user_is_refused)
{
    write_text("ftcoll.conf", "f = 3\ncrash = 0:1:end\n");
    if (!owned_by(SOMEBODY, "ftcoll.conf"))
        return;
    assert_not_trusted("it belongs to another user (uid 12345)");
    ck_assert_int_eq(chmod("ftcoll.conf", 0), 0);
    assert_not_trusted("it belongs to another user (uid 12345)");
    setenv("FTCOLL_CONFIG", "ftcoll.conf", 1);
    assert_load_fails("ftcoll.conf: not trusted: it belongs to another user (uid 12345)");
}
END_TEST

START_TEST(a_pipe_of_another_user_is_not_opened)
{
    ck_assert_int_eq(mkfifo("ftcoll.conf", 0644), 0);
    if (!owned_by(SOMEBODY, "ftcoll.conf"))
        return;
    assert_not_trusted("it belongs to another user (uid 12345)");
}
END_TEST

START_TEST(own_links_are_followed)
{
    char path[PATH_MAX + 16];

    ck_assert_int_eq(mkdir("dots", 0755), 0);
    write_text("dots/real.conf", "f = 3\n");
    ck_assert_int_eq(symlink("real.conf", "dots/link.conf"), 0); /* relative to its directory */
    ck_assert_int_eq(symlink("dots/link.conf", "ftcoll.conf"), 0);
    ck_assert_int_eq(loaded().f, 3);
    snprintf(path, sizeof path, "%s/dots/real.conf", directory);
    ck_assert_int_eq(unlink("ftcoll.conf") | symlink(path, "ftcoll.conf"), 0);
    ck_assert_int_eq(loaded().f, 3);
    ck_assert_int_eq(unlink("ftcoll.conf") | symlink("ftcoll.conf", "ftcoll.conf"), 0);
    assert_load_fails("./ftcoll.conf: cannot be read: Too many levels of symbolic links");
}
END_TEST

/* It would show a line of any file that the user may read. */
START_TEST(a_link_of_another_user_is_not_followed)
{
    write_text("secret", "a line of a private file\n");
    ck_assert_int_eq(symlink("secret", "ftcoll.conf"), 0);
    assert_load_fails(
        "./ftcoll.conf:1: \"a line of a private file\" is neither a comment nor \"key "
        "= value\"");
    if (!owned_by(SOMEBODY, "ftcoll.conf"))
        return;
    assert_not_trusted("a link on the way to it belongs to another user (uid 12345)");
    ck_assert_int_eq(symlink("ftcoll.conf", "own.conf"), 0);
    setenv("FTCOLL_CONFIG", "own.conf", 1);
    assert_load_fails(
        "own.conf: not trusted: a link on the way to it belongs to another user (uid 12345)");
}
END_TEST

/* As another user can make of any file where the kernel lets him (fs.protected_hardlinks = 0). */
static void write_with_second_name(const char *text)
{
    write_text("ftcoll.conf", text);
    ck_assert_int_eq(link("ftcoll.conf", "private"), 0);
}

static void assert_second_name_fails(const char *text, const char *expected)
{
    write_with_second_name(text);
    assert_load_fails(expected);
    ck_assert_int_eq(unlink("ftcoll.conf") | unlink("private"), 0);
}

START_TEST(of_a_file_with_a_second_name_nothing_is_quoted)
{
    assert_second_name_fails("secret", "./ftcoll.conf:1: the line is neither a comment nor \"key = "
                                       "value\"");
    assert_second_name_fails("[secret]",
                             "./ftcoll.conf:1: the line is not allowed; the only section "
                             "is [ftcoll]");
    assert_second_name_fails("secret = 1", "./ftcoll.conf:1: unknown key; " FTC_SETTINGS_ALL);
    assert_second_name_fails("f = secret",
                             "./ftcoll.conf:1: the value of f is not allowed; allowed: 0..64");
    write_with_second_name("f = 3");
    ck_assert_int_eq(loaded().f, 3);
}
END_TEST

static const char *const acting[] = {"crash = 0:1:end\n", "record_file = a\n", "report_file = a\n",
                                     "trace_file = a\n"};

START_TEST(in_the_working_directory_only_an_own_file_kills_or_writes)
{
    char expected[256];

    write_text("ftcoll.conf", acting[_i]);
    (void)loaded();
    ck_assert_int_eq(unlink("ftcoll.conf"), 0);
    snprintf(
        expected, sizeof expected,
        "./ftcoll.conf:1: %.*s is not allowed here: in the working directory it needs a file of "
        "your own without a second name (hard link)",
        (int)strcspn(acting[_i], " "), acting[_i]);
    assert_second_name_fails(acting[_i], expected);

    write_with_second_name(acting[_i]); /* elsewhere it may be */
    setenv("FTCOLL_CONFIG", "ftcoll.conf", 1);
    (void)loaded();
}
END_TEST

/* It is trusted, but in the working directory it does not act; and nothing of it is shown. */
START_TEST(a_file_of_root_is_read_and_does_not_act)
{
    if (geteuid() != 0) {
        printf("test_settings: skipped: a file of root: this is not root\n");
        return;
    }
    write_text("ftcoll.conf", "f = 3\n");
    ck_assert_int_eq(seteuid(NOBODY), 0);
    ck_assert_int_eq(loaded().f, 3);
    ck_assert_int_eq(seteuid(0), 0);
    write_text("ftcoll.conf", "crash = 0:1:end\n");
    ck_assert_int_eq(seteuid(NOBODY), 0);
    assert_load_fails(
        "./ftcoll.conf:1: crash is not allowed here: in the working directory it needs "
        "a file of your own without a second name (hard link)");
    ck_assert_int_eq(seteuid(0), 0);
    write_text("ftcoll.conf", "f = secret\n");
    ck_assert_int_eq(seteuid(NOBODY), 0);
    assert_load_fails("./ftcoll.conf:1: the value of f is not allowed; allowed: 0..64");
    ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

/* ---- programs with more rights than their user ---- */

enum { OFF = 10, ON, FAILED };

/* What this program does when it is started as "test_settings --load". */
static int load_and_tell(void)
{
    struct ftc_settings s;
    struct ftc_settings_error error;

    if (ftc_settings_load(&s, &error) != 0)
        return FAILED;
    return s.enable ? ON : OFF;
}

/* Becomes nobody, and root again by the program's mode. */
static int run_as_nobody(const char *program)
{
    char *const arguments[] = {(char *)(uintptr_t)program, (char[]){"--load"}, NULL};
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        if (setgid(NOBODY) == 0 && setuid(NOBODY) == 0)
            execv(program, arguments);
        _exit(127);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

START_TEST(a_setuid_program_is_left_alone)
{
    char command[PATH_MAX + 32];

    if (geteuid() != 0) {
        printf("test_settings: skipped: setuid programs: this is not root\n");
        return;
    }
    snprintf(command, sizeof command, "cp '%s' program", program_path);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(chmod("program", 0755), 0);
    setenv("FTCOLL_F", "many", 1);
    ck_assert_int_eq(run_as_nobody("./program"), FAILED);
    ck_assert_int_eq(chmod("program", 04755), 0);
    ck_assert_int_eq(run_as_nobody("./program"), OFF);
}
END_TEST

START_TEST(a_link_to_nowhere_is_an_error)
{
    ck_assert_int_eq(symlink("nowhere", "ftcoll.conf"), 0);
    assert_load_fails("./ftcoll.conf: cannot be read: No such file or directory");
}
END_TEST

START_TEST(an_endless_file_is_an_error)
{
    char *text = malloc(1 << 20);

    setenv("FTCOLL_CONFIG", "/dev/zero", 1);
    assert_load_fails("/dev/zero: cannot be read: File too large");
    memset(text, '\n', 1 << 20);
    write_bytes("large.conf", text, 1 << 20);
    setenv("FTCOLL_CONFIG", "large.conf", 1);
    ck_assert_int_eq(loaded().f, 1);
    write_bytes("large.conf", text, 1 << 20);
    ck_assert_int_eq(truncate("large.conf", (1 << 20) + 1), 0);
    assert_load_fails("large.conf: cannot be read: File too large");
    free(text);
}
END_TEST

/* Root may read everything, so it becomes somebody else. */
START_TEST(a_file_without_permission_is_an_error)
{
    bool is_root = geteuid() == 0;

    write_text("ftcoll.conf", "f = 2\n");
    ck_assert_int_eq(chmod("ftcoll.conf", 0), 0);
    if (is_root && seteuid(NOBODY) != 0) {
        printf("test_settings: permissions not tested: root cannot become another user: %s\n",
               strerror(errno));
        return;
    }
    assert_load_fails("./ftcoll.conf: cannot be read: Permission denied");
    ck_assert(!is_root || seteuid(0) == 0);
}
END_TEST

/* As with HOME=/root after su: nobody knows what is in there, and it is not this user's. */
START_TEST(a_place_that_must_not_be_looked_into_is_passed_over)
{
    bool is_root = geteuid() == 0;
    char path[PATH_MAX + 16];

    ck_assert_int_eq(mkdir("closed", 0755), 0);
    write_text("closed/ftcoll.conf", "f = 3\n");
    write_text(system_path, "f = 2\n");
    ck_assert_int_eq(chmod("closed", 0), 0);
    snprintf(path, sizeof path, "%s/closed", directory);
    setenv("XDG_CONFIG_HOME", path, 1);
    if (is_root && seteuid(NOBODY) != 0) {
        printf("test_settings: permissions not tested: root cannot become another user: %s\n",
               strerror(errno));
        return;
    }
    ck_assert_int_eq(loaded().f, 2);
    setenv("FTCOLL_CONFIG", "closed/ftcoll.conf", 1);
    assert_load_fails("closed/ftcoll.conf: cannot be read: Permission denied");
    ck_assert(!is_root || seteuid(0) == 0);
    ck_assert_int_eq(chmod("closed", 0755), 0);
}
END_TEST

START_TEST(each_value_has_its_source)
{
    struct ftc_settings s;
    struct ftc_settings_sources sources;
    struct ftc_settings_error error;
    char name[FTC_SETTINGS_NAME_MAX];

    write_text("named.conf", "\n[ftcoll]\nf = 2\n\nmax_bytes = 8\n");
    setenv("FTCOLL_CONFIG", "named.conf", 1);
    setenv("FTCOLL_MAX_BYTES", "16", 1);
    ck_assert_int_eq(ftc_settings_load_with_sources(&s, &sources, &error), 0);
    ck_assert_str_eq(sources.file, "named.conf");
    ck_assert_int_eq(sources.line[FTC_SETTING_f], 3);
    ck_assert_int_eq(sources.line[FTC_SETTING_max_bytes], 5);
    ck_assert_int_eq(sources.line[FTC_SETTING_tree], 0);
    ck_assert_int_eq(s.origin[FTC_SETTING_max_bytes], FTC_ORIGIN_ENVIRONMENT);
    ck_assert_str_eq(ftc_settings_variable(FTC_SETTING_max_bytes, name), "FTCOLL_MAX_BYTES");
    ck_assert(!sources.by_protect[FTC_SETTING_p2p]);
}
END_TEST

START_TEST(what_protect_stands_for_has_its_source)
{
    struct ftc_settings s;
    struct ftc_settings_sources sources;
    struct ftc_settings_error error;

    write_text("named.conf", "p2p = error\nprotect = all\n");
    setenv("FTCOLL_CONFIG", "named.conf", 1);
    setenv("FTCOLL_LARGE", "native", 1);
    ck_assert_int_eq(ftc_settings_load_with_sources(&s, &sources, &error), 0);
    ck_assert_int_eq(s.large, FTC_LARGE_NATIVE);
    ck_assert(!sources.by_protect[FTC_SETTING_large]);
    ck_assert(!sources.by_protect[FTC_SETTING_p2p]);
    ck_assert(sources.by_protect[FTC_SETTING_intercept]);
    ck_assert_int_eq(s.origin[FTC_SETTING_intercept], FTC_ORIGIN_FILE);
    ck_assert(sources.by_protect[FTC_SETTING_communicators]);
}
END_TEST

static char told[4096];

static void note(const char *text)
{
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s\n", text);
}

static int checked(const char *path, struct ftc_settings *s)
{
    struct ftc_settings_sources sources;
    int before = open_files(), wrong;

    told[0] = '\0';
    wrong = ftc_settings_check_file(path, s, &sources, note);
    ck_assert_int_eq(open_files(), before);
    return wrong;
}

START_TEST(each_wrong_line_is_told_in_its_place)
{
    struct ftc_settings s;

    write_text("many.conf", "\xEF\xBB\xBF[other]\n[ftcoll]\nf = 3\n  f = 4\nmax_bytes = -1\n"
                            "tree\ncrash = 0:1:end\nmax_bytes = 12\n");
    ck_assert_int_eq(checked("many.conf", &s), 4);
    ck_assert_str_eq(told, "many.conf:1: \"[other]\" is not allowed; the only section is [ftcoll]\n"
                           "many.conf:4: f has been set in line 3 already\n"
                           "many.conf:5: max_bytes = \"-1\" is not allowed; allowed: 0..65536\n"
                           "many.conf:6: \"tree\" is neither a comment nor \"key = value\"\n");
    ck_assert_int_eq(s.f, 3);
    ck_assert_int_eq(s.max_bytes, 12);
    ck_assert_str_eq(s.crash, "0:1:end");
}
END_TEST

START_TEST(a_file_that_cannot_be_checked_is_told)
{
    struct ftc_settings s;

    ck_assert_int_eq(checked("nowhere.conf", &s), -1);
    ck_assert_str_eq(told, "nowhere.conf: cannot be read: No such file or directory\n");
    write_text("open.conf", "f = 2\n");
    ck_assert_int_eq(chmod("open.conf", 0666), 0);
    ck_assert_int_eq(checked("open.conf", &s), -1);
    ck_assert_str_eq(told, "open.conf: not trusted: others than its owner may write to it "
                           "(mode 0666; chmod go-w)\n");
    write_text("empty.conf", "");
    ck_assert_int_eq(checked("empty.conf", &s), 0);
    ck_assert_str_eq(told, "");
}
END_TEST

START_TEST(errors_name_the_file_in_use)
{
    char expected[2 * PATH_MAX];

    write_text("ftcoll.conf", "\nf = 99\n");
    assert_load_fails("./ftcoll.conf:2: f = \"99\" is not allowed; allowed: 0..64");
    setenv("FTCOLL_CONFIG", "ftcoll.conf", 1);
    assert_load_fails("ftcoll.conf:2: f = \"99\" is not allowed; allowed: 0..64");
    unsetenv("FTCOLL_CONFIG");
    ck_assert_int_eq(rename("ftcoll.conf", system_path), 0);
    snprintf(expected, sizeof expected, "%s:2: f = \"99\" is not allowed; allowed: 0..64",
             system_path);
    assert_load_fails(expected);
}
END_TEST

/* ---- the environment ---- */

START_TEST(the_environment_wins_over_the_file)
{
    struct ftc_settings s;

    write_text("ftcoll.conf", "f = 2\nmax_bytes = 8\n");
    setenv("FTCOLL_F", "3", 1);
    setenv("FTCOLL_TREE", "kary:4", 1);
    s = loaded();
    ck_assert_int_eq(s.f, 3);
    ck_assert_int_eq(s.max_bytes, 8);
    ck_assert_int_eq(s.tree.k, 4);
    ck_assert_int_eq(s.origin[FTC_SETTING_f], FTC_ORIGIN_ENVIRONMENT);
    ck_assert_int_eq(s.origin[FTC_SETTING_max_bytes], FTC_ORIGIN_FILE);
    ck_assert_int_eq(s.origin[FTC_SETTING_tree], FTC_ORIGIN_ENVIRONMENT);
    ck_assert_int_eq(s.origin[FTC_SETTING_report], FTC_ORIGIN_DEFAULT);
}
END_TEST

START_TEST(a_bad_file_is_an_error_though_the_environment_would_win)
{
    write_text("ftcoll.conf", "f = x\n");
    setenv("FTCOLL_F", "3", 1);
    assert_load_fails("./ftcoll.conf:1: f = \"x\" is not allowed; allowed: 0..64");
}
END_TEST

START_TEST(an_unknown_variable_is_an_error)
{
    static const struct {
        const char *name, *hint;
    } bad[] = {
        {"FTCOLL_FF", "did you mean FTCOLL_F?"},
        {"FTCOLL_f", "did you mean FTCOLL_F?"},
        {"FTCOLL_CONFIGS", "did you mean FTCOLL_CONFIG?"},
        {"FTCOLL_Max_Bytes", "did you mean FTCOLL_MAX_BYTES?"},
        {"FTCOLL_INTERCEPTS", "did you mean FTCOLL_INTERCEPT?"},
        {"FTCOLL_", FTC_SETTINGS_ALL},
        {"FTCOLL_INTERNAL", FTC_SETTINGS_ALL},
    };
    char expected[256];

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        setenv(bad[i].name, "1", 1);
        snprintf(expected, sizeof expected, "environment: unknown variable %s; %s", bad[i].name,
                 bad[i].hint);
        assert_load_fails(expected);
        unsetenv(bad[i].name);
    }
}
END_TEST

START_TEST(a_long_unknown_variable_is_cut)
{
    char name[100], expected[2048];

    memset(name, 'X', sizeof name);
    memcpy(name, "FTCOLL_", 7);
    name[99] = '\0';
    setenv(name, "1", 1);
    snprintf(expected, sizeof expected, "environment: unknown variable %.64s...; %s", name,
             FTC_SETTINGS_ALL);
    assert_load_fails(expected);
}
END_TEST

START_TEST(variables_of_others_are_left_alone)
{
    setenv("FTCOLL_INTERNAL_BOARD", "1", 1);
    setenv("FTCOLL", "1", 1);
    setenv("FTCOLLX_F", "x", 1);
    setenv("MY_FTCOLL_F", "x", 1);
    ck_assert_int_eq(loaded().f, 1);
}
END_TEST

START_TEST(every_key_has_its_variable)
{
    static const struct {
        const char *variable, *value, *line;
    } all[] = {
        {"FTCOLL_ENABLE", "yes", "setting enable = on (environment)\n"},
        {"FTCOLL_F", "2", "setting f = 2 (environment)\n"},
        {"FTCOLL_PROTECT", "all", "setting protect = all (environment)\n"},
        {"FTCOLL_INTERCEPT", "all", "setting intercept = all (environment)\n"},
        {"FTCOLL_MAX_BYTES", "0", "setting max_bytes = 0 (environment)\n"},
        {"FTCOLL_LARGE", "protected", "setting large = protected (environment)\n"},
        {"FTCOLL_LARGE_MEMORY", "64", "setting large_memory = 64 (environment)\n"},
        {"FTCOLL_ALGORITHM", "corrected", "setting algorithm = corrected (environment)\n"},
        {"FTCOLL_TREE", "lame:3", "setting tree = lame:3 (environment)\n"},
        {"FTCOLL_CORRECTION", "ring:2", "setting correction = ring:2 (environment)\n"},
        {"FTCOLL_FAILURE_INFO", "bit", "setting failure_info = bit (environment)\n"},
        {"FTCOLL_DETERMINISTIC", "no", "setting deterministic = off (environment)\n"},
        {"FTCOLL_MONITOR", "process", "setting monitor = process (environment)\n"},
        {"FTCOLL_TIMEOUT_MS", "20", "setting timeout_ms = 20 (environment)\n"},
        {"FTCOLL_LINK", "tcp", "setting link = tcp (environment)\n"},
        {"FTCOLL_UNREACHABLE_MS", "30", "setting unreachable_ms = 30 (environment)\n"},
        {"FTCOLL_FAILURE_DOMAIN", "rank", "setting failure_domain = rank (environment)\n"},
        {"FTCOLL_ON_EXCESS", "abort", "setting on_excess = abort (environment)\n"},
        {"FTCOLL_MAX_FAILED", "3", "setting max_failed = 3 (environment)\n"},
        {"FTCOLL_TOLERATE", "signal, host", "setting tolerate = signal,host (environment)\n"},
        {"FTCOLL_CRITICAL_RANKS", "0,12", "setting critical_ranks = 0,12 (environment)\n"},
        {"FTCOLL_REQUIRE_ALL", "sum, user", "setting require_all = sum,user (environment)\n"},
        {"FTCOLL_REQUIRE_ALL_AT", "a(f+0x1f),g",
         "setting require_all_at = a(f+0x1f),g (environment)\n"},
        {"FTCOLL_ON_DEAD_ROOT", "keep", "setting on_dead_root = keep (environment)\n"},
        {"FTCOLL_DEAD_BLOCKS", "zero", "setting dead_blocks = zero (environment)\n"},
        {"FTCOLL_P2P", "ignore", "setting p2p = ignore (environment)\n"},
        {"FTCOLL_COMMUNICATORS", "survivors", "setting communicators = survivors (environment)\n"},
        {"FTCOLL_DEVICE_BUFFERS", "none", "setting device_buffers = none (environment)\n"},
        {"FTCOLL_YIELD", "on", "setting yield = on (environment)\n"},
        {"FTCOLL_ON_BLOCKED", "abort", "setting on_blocked = abort (environment)\n"},
        {"FTCOLL_BLOCKED_MS", "5", "setting blocked_ms = 5 (environment)\n"},
        {"FTCOLL_FAILURE_EXIT_STATUS", "7", "setting failure_exit_status = 7 (environment)\n"},
        {"FTCOLL_NOTICE", "off", "setting notice = off (environment)\n"},
        {"FTCOLL_REPORT", "full", "setting report = full (environment)\n"},
        {"FTCOLL_REPORT_FORMAT", "json", "setting report_format = json (environment)\n"},
        {"FTCOLL_REPORT_FILE", "a b", "setting report_file = a b (environment)\n"},
        {"FTCOLL_RECORD_FILE", "r", "setting record_file = r (environment)\n"},
        {"FTCOLL_TRACE_FILE", "t", "setting trace_file = t (environment)\n"},
        {"FTCOLL_PCONTROL", "on", "setting pcontrol = on (environment)\n"},
        {"FTCOLL_UNTESTED", "on", "setting untested = on (environment)\n"},
        {"FTCOLL_CRASH", "1:2:x", "setting crash = 1:2:x (environment)\n"},
    };
    enum { COUNT = sizeof all / sizeof all[0] };
    struct ftc_settings s;

    ck_assert_int_eq(COUNT, FTC_SETTINGS_COUNT);
    for (int i = 0; i < COUNT; i++)
        setenv(all[i].variable, all[i].value, 1);
    s = loaded();
    for (int i = 0; i < COUNT; i++)
        assert_dump_has(&s, all[i].line);
}
END_TEST

/* ---- off ---- */

START_TEST(enable_0_is_off_whatever_else_is_broken)
{
    static const char *const off[] = {"0", "off", "no", "false"};

    write_text("ftcoll.conf", "bogus\n");
    setenv("FTCOLL_CONFIG", "missing.conf", 1);
    setenv("FTCOLL_F", "x", 1);
    setenv("FTCOLL_WHATEVER", "x", 1);
    for (int i = 0; i < 4; i++) {
        setenv("FTCOLL_ENABLE", off[i], 1);
        ck_assert(!loaded().enable);
    }
    setenv("FTCOLL_ENABLE", "1", 1);
    assert_load_fails("missing.conf: cannot be read: No such file or directory");
}
END_TEST

START_TEST(a_file_can_switch_off_and_the_environment_on)
{
    write_text("ftcoll.conf", "enable = off\n");
    ck_assert(!loaded().enable);
    setenv("FTCOLL_ENABLE", "on", 1);
    ck_assert(loaded().enable);
}
END_TEST

/* ---- descriptions ---- */

START_TEST(the_example_is_what_the_table_says)
{
    char *text = text_from(ftc_settings_describe);
    size_t size = strlen(text);
    char *file = malloc(size + 2);
    FILE *f = fopen(example_path, "r");
    size_t got;

    ck_assert_msg(f != NULL, "%s: %s", example_path, strerror(errno));
    got = fread(file, 1, size + 1, f);
    fclose(f);
    file[got] = '\0';
    ck_assert_str_eq(file, text);
    free(file);
    free(text);
}
END_TEST

START_TEST(the_example_sets_all_defaults)
{
    struct ftc_settings s, defaults = loaded();

    use_example();
    s = loaded();
    ck_assert(have_same_values(&s, &defaults));
    for (int i = 0; i < FTC_SETTINGS_COUNT; i++)
        ck_assert_int_eq(s.origin[i], FTC_ORIGIN_FILE);
}
END_TEST

START_TEST(the_dump_has_a_line_for_each_value)
{
    struct ftc_settings s = parsed("f = 3\ntree = kary:2");
    char *text = dump_of(&s);

    ck_assert_str_eq(text, "ftcoll: setting enable = on (default)\n"
                           "ftcoll: setting f = 3 (file)\n"
                           "ftcoll: setting protect = reductions (default)\n"
                           "ftcoll: setting intercept = reduce,allreduce (default)\n"
                           "ftcoll: setting max_bytes = 4096 (default)\n"
                           "ftcoll: setting large = native (default)\n"
                           "ftcoll: setting large_memory = 4096 (default)\n"
                           "ftcoll: setting algorithm = optimistic (default)\n"
                           "ftcoll: setting tree = kary:2 (file)\n"
                           "ftcoll: setting correction = group (default)\n"
                           "ftcoll: setting failure_info = list (default)\n"
                           "ftcoll: setting deterministic = on (default)\n"
                           "ftcoll: setting monitor = auto (default)\n"
                           "ftcoll: setting timeout_ms = 1000 (default)\n"
                           "ftcoll: setting link = auto (default)\n"
                           "ftcoll: setting unreachable_ms = 3000 (default)\n"
                           "ftcoll: setting failure_domain = host (default)\n"
                           "ftcoll: setting on_excess = error (default)\n"
                           "ftcoll: setting max_failed = 4096 (default)\n"
                           "ftcoll: setting tolerate = signal,exit,host,silence (default)\n"
                           "ftcoll: setting critical_ranks =  (default)\n"
                           "ftcoll: setting require_all = none (default)\n"
                           "ftcoll: setting require_all_at =  (default)\n"
                           "ftcoll: setting on_dead_root = error (default)\n"
                           "ftcoll: setting dead_blocks = keep (default)\n"
                           "ftcoll: setting p2p = native (default)\n"
                           "ftcoll: setting communicators = native (default)\n"
                           "ftcoll: setting device_buffers = auto (default)\n"
                           "ftcoll: setting yield = auto (default)\n"
                           "ftcoll: setting on_blocked = abort (default)\n"
                           "ftcoll: setting blocked_ms = 10000 (default)\n"
                           "ftcoll: setting failure_exit_status = 0 (default)\n"
                           "ftcoll: setting notice = on (default)\n"
                           "ftcoll: setting report = failures (default)\n"
                           "ftcoll: setting report_format = text (default)\n"
                           "ftcoll: setting report_file =  (default)\n"
                           "ftcoll: setting record_file =  (default)\n"
                           "ftcoll: setting trace_file =  (default)\n"
                           "ftcoll: setting pcontrol = off (default)\n"
                           "ftcoll: setting untested = off (default)\n"
                           "ftcoll: setting crash =  (default)\n");
    free(text);
}
END_TEST

/* What is text stands for itself, whatever character is in it. */
START_TEST(the_manual_page_has_six_lines_for_each_key)
{
    static const char *const macro[] = {".TP", ".BR ", "\\&", ".br", "Allowed:", "\\&"};
    enum { LINES = sizeof macro / sizeof macro[0] };
    char *text = text_from(ftc_settings_roff), *rest = text, *line, start[64];
    int lines = 0;

    for (; (line = strsep(&rest, "\n")) && *line; lines++) {
        ck_assert_msg(strncmp(line, macro[lines % LINES], strlen(macro[lines % LINES])) == 0, "%s",
                      line);
        snprintf(start, sizeof start, ".BR %s \" = ", ftc_settings_key(lines / LINES));
        if (lines % LINES == 1)
            ck_assert_msg(strncmp(line, start, strlen(start)) == 0, "%s", line);
        else
            for (const char *c = strchr(line, '-'); c; c = strchr(c + 1, '-'))
                ck_assert_msg(c > line && c[-1] == '\\', "%s", line);
    }
    ck_assert_int_eq(lines, LINES * FTC_SETTINGS_COUNT);
    free(text);
}
END_TEST

int main(int argc, char **argv)
{
    const char *example = argc > 1 ? argv[1] : "ftcoll.conf.example";

    if (strcmp(example, "--load") == 0)
        return load_and_tell();
    if (!realpath(example, example_path) || !realpath(argv[0], program_path)) {
        fprintf(stderr, "test_settings: %s: %s\n", example, strerror(errno));
        return EXIT_FAILURE;
    }

    UNIT_BEGIN("settings");
    tcase_add_checked_fixture(unit_case, set_up, tear_down);
    UNIT_TEST(defaults_are_those_of_the_design);
    UNIT_TEST(every_byte_is_set);
    UNIT_TEST(a_shorter_text_leaves_nothing_of_a_longer_one);
    UNIT_TEST(bool_has_eight_words);
    tcase_add_loop_test(unit_case, a_number_ends_at_its_limits, 0,
                        sizeof numbers / sizeof numbers[0]);
    UNIT_TEST(a_number_is_digits_and_nothing_else);
    UNIT_TEST(each_word_has_its_value);
    UNIT_TEST(other_words_are_refused);
    UNIT_TEST(intercept_is_a_set);
    UNIT_TEST(protect_stands_for_other_settings);
    UNIT_TEST(intercept_takes_its_words_only);
    UNIT_TEST(words_may_be_in_capitals);
    UNIT_TEST(what_was_meant_is_told);
    UNIT_TEST(tree_has_four_shapes);
    UNIT_TEST(tree_takes_k_where_it_belongs);
    UNIT_TEST(correction_is_group_or_ring);
    UNIT_TEST(a_text_has_a_longest_length);
    UNIT_TEST(ranks_are_numbers_with_commas);
    UNIT_TEST(crash_is_stored_as_it_stands);
    UNIT_TEST(a_text_has_no_control_characters);
    UNIT_TEST(a_file_of_no_lines_or_only_comments_gives_defaults);
    UNIT_TEST(line_ends_may_be_of_any_system);
    UNIT_TEST(blanks_and_marks_around_a_pair_do_not_count);
    UNIT_TEST(an_indented_line_is_a_line_of_its_own);
    UNIT_TEST(a_line_that_is_no_pair_is_an_error);
    UNIT_TEST(an_unknown_key_is_an_error);
    UNIT_TEST(a_key_may_be_set_once);
    UNIT_TEST(there_is_one_section);
    UNIT_TEST(the_first_error_is_reported);
    UNIT_TEST(a_zero_byte_is_an_error);
    UNIT_TEST(a_line_has_a_longest_length);
    UNIT_TEST(no_file_at_all_is_fine);
    UNIT_TEST(the_first_file_in_the_order_is_the_only_one_read);
    UNIT_TEST(the_system_file_is_in_etc);
    UNIT_TEST(a_config_home_must_be_absolute);
    UNIT_TEST(a_config_home_longer_than_any_path_is_no_place);
    UNIT_TEST(a_named_file_must_be_readable);
    UNIT_TEST(what_is_no_regular_file_is_refused);
    UNIT_TEST(what_others_may_write_to_is_refused);
    UNIT_TEST(a_file_of_another_user_is_refused);
    UNIT_TEST(a_pipe_of_another_user_is_not_opened);
    UNIT_TEST(own_links_are_followed);
    UNIT_TEST(a_link_of_another_user_is_not_followed);
    UNIT_TEST(of_a_file_with_a_second_name_nothing_is_quoted);
    tcase_add_loop_test(unit_case, in_the_working_directory_only_an_own_file_kills_or_writes, 0,
                        sizeof acting / sizeof acting[0]);
    UNIT_TEST(a_file_of_root_is_read_and_does_not_act);
    UNIT_TEST(a_setuid_program_is_left_alone);
    UNIT_TEST(a_link_to_nowhere_is_an_error);
    UNIT_TEST(an_endless_file_is_an_error);
    UNIT_TEST(a_file_without_permission_is_an_error);
    UNIT_TEST(a_place_that_must_not_be_looked_into_is_passed_over);
    UNIT_TEST(each_value_has_its_source);
    UNIT_TEST(what_protect_stands_for_has_its_source);
    UNIT_TEST(each_wrong_line_is_told_in_its_place);
    UNIT_TEST(a_file_that_cannot_be_checked_is_told);
    UNIT_TEST(errors_name_the_file_in_use);
    UNIT_TEST(the_environment_wins_over_the_file);
    UNIT_TEST(a_bad_file_is_an_error_though_the_environment_would_win);
    UNIT_TEST(an_unknown_variable_is_an_error);
    UNIT_TEST(a_long_unknown_variable_is_cut);
    UNIT_TEST(variables_of_others_are_left_alone);
    UNIT_TEST(every_key_has_its_variable);
    UNIT_TEST(enable_0_is_off_whatever_else_is_broken);
    UNIT_TEST(a_file_can_switch_off_and_the_environment_on);
    UNIT_TEST(the_example_is_what_the_table_says);
    UNIT_TEST(the_example_sets_all_defaults);
    UNIT_TEST(the_dump_has_a_line_for_each_value);
    UNIT_TEST(the_manual_page_has_six_lines_for_each_key);
    UNIT_END();
}
