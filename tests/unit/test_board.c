/* The board: who may open it, life of a rank, published results. */
#include "board/death.h"
#include "board/rank_state.h"
#include "board/recovery_record.h"
#include "system/proc.h"
#include "unit_board.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOTS = 3, ENTRIES = 2, VALUE_BYTES = 24, COMMUNICATOR = 78 };

static struct ftc_board_geometry geometry(void)
{
    struct ftc_board_geometry g = unit_geometry(SLOTS, VALUE_BYTES);

    g.entries = ENTRIES;
    return g;
}

static struct ftc_board created(void)
{
    return unit_board(geometry());
}

/* ---- the kernel's memory files ---- */

enum { NOEXEC_SEAL = 8 }; /* MFD_NOEXEC_SEAL, see memfd_create(2) */
static enum { OF_TODAY, WITHOUT_THE_FLAG, WITHOUT_CODE } kernel;

int memfd_create(const char *name, unsigned int flags)
{
    bool is_without_code = (flags & NOEXEC_SEAL) != 0;

    if (kernel == WITHOUT_CODE && !is_without_code) {
        errno = EACCES;
        return -1;
    }
    if (kernel == WITHOUT_THE_FLAG && is_without_code) {
        errno = EINVAL;
        return -1;
    }
    if (kernel == WITHOUT_CODE)
        flags &= ~(unsigned int)NOEXEC_SEAL; /* that of the test may be an old one */
    return (int)syscall(SYS_memfd_create, name, flags);
}

/* ---- the segment ---- */

/* A program may be started without these, and write to what it takes for standard error. */
START_TEST(a_board_is_no_standard_descriptor)
{
    struct ftc_board_geometry g = geometry();
    int input = dup(STDIN_FILENO);
    struct ftc_board board, other;
    int rv, opened = 0;

    close(STDIN_FILENO);
    rv = ftc_board_create(&board, &g);
    if (rv == 0)
        opened = ftc_board_open(&other, getpid(), board.fd, board.shared->key);
    dup2(input, STDIN_FILENO);
    close(input);
    ck_assert_int_eq(rv, 0);
    ck_assert_int_eq(opened, 0);
    ck_assert_int_gt(board.fd, STDERR_FILENO);
    ck_assert_int_gt(other.fd, STDERR_FILENO);
    ftc_board_close(&other);
    ftc_board_close(&board);
}
END_TEST

START_TEST(another_mapping_shows_the_same_board)
{
    struct ftc_board a = created(), b;

    ck_assert_int_eq(ftc_board_open(&b, (int)getpid(), a.fd, a.shared->key), 0);
    ck_assert_ptr_ne(a.shared, b.shared);
    ftc_board_advance(&a, 1, FTC_RANK_RUNNING);
    ck_assert_int_eq(ftc_board_state(&b, 1), FTC_RANK_RUNNING);
    ftc_board_close(&a);
    ftc_board_close(&b);
}
END_TEST

/* Whether the mapping that begins at @address has @flag in its VmFlags, proc_pid_smaps(5). */
static bool has_flag(const void *address, const char *flag)
{
    FILE *f = fopen("/proc/self/smaps", "re");
    char line[1024], word[8];
    bool is_in = false, found = false;
    unsigned long from, to;

    ck_assert_ptr_nonnull(f);
    snprintf(word, sizeof word, " %s", flag);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            is_in = from == (unsigned long)address;
        else if (is_in && strncmp(line, "VmFlags:", 8) == 0)
            found = strstr(line, word) != NULL;
    }
    fclose(f);
    return found;
}

/* Holes of the file would become pages in a dump. */
START_TEST(core_dumps_are_without_the_board)
{
    struct ftc_board a = created(), b;

    ck_assert_int_eq(ftc_board_open(&b, (int)getpid(), a.fd, a.shared->key), 0);
    ck_assert(has_flag(a.shared, "dd"));
    ck_assert(has_flag(b.shared, "dd"));
    ftc_board_close(&a);
    ftc_board_close(&b);
}
END_TEST

/* Entries of many communicators, and all memory for large data, would be some hundred MB a rank in
 * a process that locks its memory, or has a limit of address space. */
START_TEST(what_is_used_is_mapped_and_both_see_it)
{
    enum { COMMUNICATORS = 32768 };
    struct ftc_board_geometry g = geometry();
    struct ftc_board a, b;

    g.entries = COMMUNICATORS;
    g.region_bytes = 1 << 20;
    a = unit_board(g);
    ck_assert_uint_lt(a.size_bytes, 1 << 20);
    ck_assert_uint_lt(ftc_board_usual_bytes(&g), (SLOTS + 1) << 20);
    ck_assert_int_eq(ftc_board_open(&b, (int)getpid(), a.fd, a.shared->key), 0);
    for (uint32_t entry = 0; entry < COMMUNICATORS; entry += FTC_BOARD_GROUP - 1) {
        ftc_board_entry(&a, 1, entry)->attempt = entry;
        *(uint32_t *)ftc_board_multicast(&a, 1, entry, 1) = entry;
    }
    ftc_board_region(&a, SLOTS - 1, FTC_BOARD_REGIONS - 1)[g.region_bytes - 1] = 7;
    for (uint32_t entry = 0; entry < COMMUNICATORS; entry += FTC_BOARD_GROUP - 1) {
        ck_assert_uint_eq(ftc_board_entry(&b, 1, entry)->attempt, entry);
        ck_assert_uint_eq(*(uint32_t *)ftc_board_multicast(&b, 1, entry, 1), entry);
    }
    ck_assert_int_eq(ftc_board_region(&b, SLOTS - 1, FTC_BOARD_REGIONS - 1)[g.region_bytes - 1], 7);
    ck_assert(has_flag(ftc_board_window(&b, 0), "dd"));
    ftc_board_close(&a);
    ftc_board_close(&b);
}
END_TEST

static jmp_buf without_room;

static void leave(void)
{
    longjmp(without_room, 1);
}

/* The program may have closed the descriptor, and opened a file of its own under its number. */
START_TEST(another_file_is_not_mapped_in_its_place)
{
    struct ftc_board a = created();
    int other = memfd_create("other", MFD_CLOEXEC), fd = a.fd;

    ck_assert_int_eq(ftruncate(other, 1 << 20), 0);
    dup2(other, fd);
    ftc_board_on_no_room(leave);
    if (setjmp(without_room) == 0)
        ck_abort_msg("%p", (void *)ftc_board_entry(&a, 0, 0));
    ftc_board_on_no_room(abort);
    ftc_board_close(&a);
    close(other);
}
END_TEST

START_TEST(a_wrong_key_is_refused)
{
    struct ftc_board a = created(), b;
    uint64_t key[2] = {a.shared->key[0], a.shared->key[1] + 1};

    ck_assert_int_eq(ftc_board_open(&b, (int)getpid(), a.fd, key), -EACCES);
    ftc_board_close(&a);
}
END_TEST

START_TEST(the_segment_cannot_be_cut)
{
    struct ftc_board a = created();
    struct stat st;

    ck_assert_int_eq(fstat(a.fd, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0600);
    ck_assert_int_eq(ftruncate(a.fd, 64), -1);
    ck_assert_int_eq(errno, EPERM);
    ftc_board_close(&a);
}
END_TEST

/* With vm.memfd_noexec = 2 up to Linux 6.5, and before 6.3. */
START_TEST(a_kernel_may_allow_no_code_in_it_or_not_know_of_that)
{
    static const int kernels[] = {WITHOUT_CODE, WITHOUT_THE_FLAG};

    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        struct ftc_board a, b;

        kernel = kernels[i];
        a = created();
        ck_assert_int_eq(ftc_board_open(&b, (int)getpid(), a.fd, a.shared->key), 0);
        ck_assert_int_eq(ftruncate(a.fd, 64), -1);
        ftc_board_close(&a);
        ftc_board_close(&b);
    }
    kernel = OF_TODAY;
}
END_TEST

START_TEST(an_unsealed_file_is_refused)
{
    struct ftc_board b;
    int fd = memfd_create("other", MFD_CLOEXEC);

    ck_assert_int_eq(ftruncate(fd, 1 << 20), 0);
    ck_assert_int_eq(ftc_board_map(&b, fd), -EACCES);
    close(fd);
}
END_TEST

START_TEST(a_geometry_that_does_not_fit_is_refused)
{
    struct ftc_board a = created(), b;

    a.shared->geometry.ranks = SLOTS + 1;
    ck_assert_int_eq(ftc_board_map(&b, a.fd), -EACCES);
    a.shared->geometry.ranks = UINT32_MAX;
    ck_assert_int_eq(ftc_board_map(&b, a.fd), -EACCES);
    ftc_board_close(&a);
}
END_TEST

START_TEST(a_senseless_geometry_is_not_created)
{
    struct ftc_board b;
    struct ftc_board_geometry g = geometry();

    g.ring_depth = 3;
    ck_assert_int_eq(ftc_board_create(&b, &g), -EINVAL);
    g = geometry();
    g.ranks = 0;
    ck_assert_int_eq(ftc_board_create(&b, &g), -EINVAL);
    g = geometry();
    g.multicast_bytes = 64;
    ck_assert_int_eq(ftc_board_create(&b, &g), -EINVAL);
}
END_TEST

/* Check itself writes to a file. */
START_TEST(a_board_that_is_too_large_for_a_file_is_an_error)
{
    struct ftc_board_geometry g = geometry();
    struct rlimit before, limit;
    struct ftc_board b;
    int limited, rv;

    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){1, before.rlim_max};
    limited = setrlimit(RLIMIT_FSIZE, &limit);
    rv = ftc_board_create(&b, &g);
    setrlimit(RLIMIT_FSIZE, &before);
    ck_assert_int_eq(limited, 0);
    ck_assert_int_eq(rv, -EFBIG);
}
END_TEST

/* ---- the life of a rank ---- */

START_TEST(a_death_is_entered_once_and_for_good)
{
    struct ftc_board a = created();

    ftc_board_advance(&a, 0, FTC_RANK_RUNNING);
    ck_assert(ftc_board_mark_failed(&a, 0, FTC_DEATH_SIGNAL, 9));
    ck_assert(!ftc_board_mark_failed(&a, 0, FTC_DEATH_EXIT, 3));
    ck_assert_int_eq(ftc_death_cause(&a, 0), FTC_DEATH_SIGNAL);
    ck_assert_int_eq(ftc_death_value(&a, 0), 9);
    ck_assert_int_eq(atomic_load(&a.shared->deaths), 1);
    ck_assert(!ftc_board_advance(&a, 0, FTC_RANK_FINALIZED));
    ck_assert_int_eq(ftc_board_state(&a, 0), FTC_RANK_FAILED);
    ftc_board_close(&a);
}
END_TEST

/* Of two who enter a death the first has got no further than its first word. */
START_TEST(a_death_that_is_entered_is_described)
{
    struct ftc_board a = created();

    atomic_store(&a.shared->rank[0].death, (uint64_t)FTC_DEATH_EXIT << 32 | 3);
    ck_assert(ftc_board_mark_failed(&a, 0, FTC_DEATH_SIGNAL, 9));
    ck_assert_int_eq(ftc_death_cause(&a, 0), FTC_DEATH_EXIT);
    ck_assert_int_eq(ftc_death_value(&a, 0), 3);
    ck_assert_uint_ne(ftc_death_time_ns(&a, 0), 0);
    ftc_board_close(&a);
}
END_TEST

static void await_sleep(pid_t pid)
{
    char path[32], text[256] = "";

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    while (!strstr(text, ") S"))
        ck_assert(ftc_proc_read(path, text, sizeof text));
}

static void check_words(enum ftc_death_cause cause, int value, const char *name, const char *full)
{
    struct ftc_board a = created();
    char text[96];

    ftc_board_introduce(&a, 1, 4711);
    ck_assert(ftc_board_mark_failed(&a, 0, cause, value));
    ftc_death_name(&a, 0, text, sizeof text);
    ck_assert_str_eq(text, name);
    ftc_death_describe(&a, 0, 250, text, sizeof text);
    ck_assert_str_eq(text, full);
    ck_assert_int_eq(ftc_death_suspected_by(&a, 0), value == 1 ? 1 : -1);
    ftc_board_close(&a);
}

START_TEST(a_death_has_words)
{
    check_words(FTC_DEATH_SIGNAL, 9, "killed by signal 9", "killed by signal 9 (Killed)");
    check_words(FTC_DEATH_EXIT, 3, "exited with status 3",
                "exited with status 3 without MPI_Finalize");
    check_words(FTC_DEATH_SUSPECTED, 1, "silent", "silent for more than timeout_ms = 250");
}
END_TEST

START_TEST(the_first_that_meets_a_death_is_kept_and_the_last_recovery)
{
    struct ftc_board a = created();
    const struct ftc_operation_id first = {7, 5, 78}, other = {7, 6, 79}, elsewhere = {8, 5, 78};
    struct ftc_recovery_record copy;

    ck_assert(!ftc_recovery_record_read(&a, 0, &copy));
    ck_assert(!ftc_recovery_record_is_of(&a, 0, &first));
    ftc_recovery_record_notice(&a, 0, 0, &first);
    ftc_recovery_record_notice(&a, 0, 1, &other);
    ftc_recovery_record_recovered(&a, 0, 2000);
    ftc_recovery_record_recovered(&a, 0, 1000);
    ck_assert(ftc_recovery_record_read(&a, 0, &copy));
    ck_assert_int_eq(copy.noticed_by, 0);
    ck_assert_uint_eq(copy.met_in.call, 5);
    ck_assert_uint_eq(copy.met_in.seq, 78);
    ck_assert(ftc_recovery_record_is_of(&a, 0, &first));
    ck_assert(!ftc_recovery_record_is_of(&a, 0, &other));
    ck_assert(!ftc_recovery_record_is_of(&a, 0, &elsewhere));
    ck_assert_uint_eq(copy.recovered_ns, 2000);
    ftc_board_close(&a);
}
END_TEST

START_TEST(an_error_is_that_of_the_operation_that_met_the_death)
{
    struct ftc_board a = created();
    const struct ftc_operation_id first = {7, 5, 78}, later = {7, 5, 79};
    struct ftc_recovery_record copy;

    ftc_recovery_record_notice(&a, 0, 0, &first);
    ftc_recovery_record_fail(&a, 0, &later);
    ck_assert(ftc_recovery_record_read(&a, 0, &copy) && !copy.is_error);
    ftc_recovery_record_fail(&a, 0, &first);
    ck_assert(ftc_recovery_record_read(&a, 0, &copy) && copy.is_error);
    ftc_board_close(&a);
}
END_TEST

START_TEST(who_dies_while_it_says_that_it_was_first_was_not)
{
    struct ftc_board a = created();
    const struct ftc_operation_id in = {7, 5, 78};
    struct ftc_recovery_record copy;

    atomic_store(&a.shared->rank[0].recovery.noticed_by, -(1 + 1)); /* rank 1 is about to say it */
    ftc_recovery_record_notice(&a, 0, 2, &in);
    ck_assert(!ftc_recovery_record_read(&a, 0, &copy));
    ftc_board_mark_failed(&a, 1, FTC_DEATH_SIGNAL, 9);
    ftc_recovery_record_notice(&a, 0, 2, &in);
    ck_assert(ftc_recovery_record_read(&a, 0, &copy));
    ck_assert_int_eq(copy.noticed_by, 2);
    ck_assert(ftc_recovery_record_is_of(&a, 0, &in));
    ftc_board_close(&a);
}
END_TEST

START_TEST(who_awaits_a_death_is_woken_after_it)
{
    struct ftc_board a = created();
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        ftc_board_await_death(&a);
        _exit(ftc_board_state(&a, 0) == FTC_RANK_FAILED ? 0 : 1);
    }
    await_sleep(pid);
    ftc_board_wake_watchers(&a); /* for nothing: it sleeps on */
    ftc_board_mark_failed(&a, 0, FTC_DEATH_SIGNAL, 9);
    ftc_board_wake_watchers(&a);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ftc_board_close(&a);
}
END_TEST

START_TEST(who_has_finalized_does_not_die)
{
    struct ftc_board a = created();

    ftc_board_advance(&a, 0, FTC_RANK_FINALIZED);
    ck_assert(!ftc_board_mark_failed(&a, 0, FTC_DEATH_SIGNAL, 9));
    ck_assert_int_eq(atomic_load(&a.shared->deaths), 0);
    ftc_board_close(&a);
}
END_TEST

START_TEST(a_state_that_nobody_wrote_counts_as_dead)
{
    struct ftc_board a = created();

    atomic_store(&a.shared->rank[2].state, 12345u);
    ck_assert_int_eq(ftc_board_state(&a, 2), FTC_RANK_FAILED);
    ftc_board_close(&a);
}
END_TEST

/* ---- published results ---- */

struct sample {
    struct ftc_failure_info failed;
    unsigned char value[VALUE_BYTES];
    struct ftc_result result;
};

static void make_sample(struct sample *s, enum ftc_verdict verdict)
{
    *s = (struct sample){.failed = {.count = 1, .id = {2}}};
    memset(s->value, 0x5a, sizeof s->value);
    s->result = (struct ftc_result){.verdict = verdict,
                                    .attempt = 1,
                                    .failed = &s->failed,
                                    .value = verdict == FTC_VERDICT_VALUE ? s->value : NULL};
}

static bool read_back(const struct ftc_board *b, uint32_t seq, struct ftc_publication *copy)
{
    static unsigned char value[VALUE_BYTES];

    copy->value = value;
    return ftc_published(b, 1, COMMUNICATOR, seq, VALUE_BYTES, copy);
}

/* A board on which rank 1 has published @s as its operation 5. */
static struct ftc_board with_result(struct sample *s)
{
    struct ftc_board a = created();

    make_sample(s, FTC_VERDICT_VALUE);
    ftc_publication_open(&a, 1, 0, COMMUNICATOR);
    ftc_publish(&a, 1, 0, 5, &s->result, VALUE_BYTES);
    return a;
}

START_TEST(a_result_is_read_as_it_was_published)
{
    struct ftc_board a = created();
    struct ftc_publication copy;
    struct sample s;

    make_sample(&s, FTC_VERDICT_VALUE);
    ftc_publication_open(&a, 1, 0, COMMUNICATOR);
    ck_assert(!read_back(&a, 5, &copy));
    ftc_publish(&a, 1, 0, 5, &s.result, VALUE_BYTES);
    ck_assert(read_back(&a, 5, &copy));
    ck_assert_int_eq(copy.result.verdict, FTC_VERDICT_VALUE);
    ck_assert_int_eq(copy.result.attempt, 1);
    ck_assert_int_eq(copy.result.failed->count, 1);
    ck_assert_int_eq(copy.result.failed->id[0], 2);
    ck_assert_mem_eq(copy.result.value, s.value, VALUE_BYTES);
    ck_assert(!read_back(&a, 4, &copy));
    ck_assert(!read_back(&a, 6, &copy));
    ftc_board_close(&a);
}
END_TEST

/* A reader that has begun with the version before does not take what it finds. */
START_TEST(another_communicator_is_another_version)
{
    struct sample s;
    struct ftc_board a = with_result(&s);
    uint32_t before = ftc_board_entry(&a, 1, 0)->version;

    ftc_publication_open(&a, 1, 0, COMMUNICATOR + 1);
    ck_assert_uint_ne(ftc_board_entry(&a, 1, 0)->version, before);
    ck_assert_uint_eq(ftc_board_entry(&a, 1, 0)->version % 2, before % 2);
    ftc_board_close(&a);
}
END_TEST

START_TEST(an_excess_is_published_without_a_value)
{
    struct ftc_board a = created();
    struct ftc_publication copy;
    struct sample s;

    make_sample(&s, FTC_VERDICT_EXCESS);
    ftc_publication_open(&a, 1, 1, COMMUNICATOR);
    ck_assert(!read_back(&a, 0, &copy)); /* its place is entry 0, where the search ends */
    ftc_publication_open(&a, 1, 0, COMMUNICATOR + ENTRIES);
    ftc_publish(&a, 1, 1, 0, &s.result, VALUE_BYTES);
    ck_assert(read_back(&a, 0, &copy));
    ck_assert_int_eq(copy.result.verdict, FTC_VERDICT_EXCESS);
    ck_assert_ptr_null(copy.result.value);
    ftc_board_close(&a);
}
END_TEST

/* doc/design.md, section 5, rule 5. */
START_TEST(what_a_dead_rank_published_is_not_taken)
{
    struct sample s;
    struct ftc_board a = with_result(&s);
    struct ftc_publication copy;

    ftc_board_mark_failed(&a, 1, FTC_DEATH_SIGNAL, 9);
    ck_assert(!read_back(&a, 5, &copy));
    ftc_board_close(&a);
}
END_TEST

START_TEST(half_an_entry_is_not_taken)
{
    struct sample s;
    struct ftc_board a = with_result(&s);
    struct ftc_publication copy;

    atomic_fetch_add(&ftc_board_entry(&a, 1, 0)->version, 1); /* as if its owner were writing */
    ck_assert(!read_back(&a, 5, &copy));
    ftc_board_close(&a);
}
END_TEST

START_TEST(lengths_that_cannot_be_are_not_taken)
{
    struct sample s;
    struct ftc_board a = with_result(&s);
    struct ftc_publication copy;

    ftc_board_entry(&a, 1, 0)->failed_count = FTC_FAILED_MAX + 1;
    ck_assert(!read_back(&a, 5, &copy));
    ftc_publish(&a, 1, 0, 5, &s.result, VALUE_BYTES);
    ftc_board_entry(&a, 1, 0)->bytes = VALUE_BYTES + 8;
    ck_assert(!read_back(&a, 5, &copy));
    ftc_publish(&a, 1, 0, 5, &s.result, VALUE_BYTES);
    ftc_board_entry(&a, 1, 0)->verdict = 99;
    ck_assert(!read_back(&a, 5, &copy));
    ftc_board_close(&a);
}
END_TEST

START_TEST(an_attempt_belongs_to_its_operation)
{
    struct ftc_board a = created();
    uint32_t attempt;

    ftc_publication_open(&a, 1, 0, COMMUNICATOR);
    ck_assert(!ftc_published_attempt(&a, 1, COMMUNICATOR, 0, &attempt));
    ftc_publish_attempt(&a, 1, 0, 5, 2);
    ck_assert(ftc_published_attempt(&a, 1, COMMUNICATOR, 5, &attempt));
    ck_assert_int_eq(attempt, 2);
    ck_assert(!ftc_published_attempt(&a, 1, COMMUNICATOR, 6, &attempt));
    ftc_board_close(&a);
}
END_TEST

/* Each as it was: those that follow do not take its place but after so many. */
START_TEST(the_last_calls_are_remembered)
{
    struct ftc_board a = created();
    struct ftc_note note = {.kind = 1}, seen;

    ftc_publication_open(&a, 1, 0, COMMUNICATOR);
    ck_assert(!ftc_published_call(&a, 1, COMMUNICATOR, 0, &seen));
    for (uint32_t seq = 0; seq <= FTC_BOARD_ENTRY_CALLS; seq++) {
        note.root = (int32_t)seq;
        ftc_publish_call(&a, 1, 0, seq, &note);
    }
    ck_assert(!ftc_published_call(&a, 1, COMMUNICATOR, 0, &seen));
    for (uint32_t seq = 1; seq <= FTC_BOARD_ENTRY_CALLS; seq++) {
        ck_assert(ftc_published_call(&a, 1, COMMUNICATOR, seq, &seen));
        ck_assert_int_eq(seen.root, (int32_t)seq);
    }
    ck_assert(!ftc_published_call(&a, 1, COMMUNICATOR, FTC_BOARD_ENTRY_CALLS + 1, &seen));
    ftc_publication_open(&a, 1, 0, COMMUNICATOR + ENTRIES);
    for (uint32_t seq = 0; seq <= FTC_BOARD_ENTRY_CALLS; seq++)
        ck_assert(!ftc_published_call(&a, 1, COMMUNICATOR + ENTRIES, seq, &seen));
    ftc_board_close(&a);
}
END_TEST

START_TEST(an_entry_is_looked_for_among_few_and_then_among_all)
{
    enum { MANY = 4096, FEW = 64, FIRST_PROBES = 4 };
    const struct ftc_board a = {.geometry.entries = MANY};
    bool was_seen[MANY] = {false};

    for (uint32_t probe = 0; probe < ftc_publication_probes(&a); probe++) {
        uint32_t entry = ftc_publication_place(&a, 0x123456789abcdef, probe);

        ck_assert_uint_lt(entry, probe < FIRST_PROBES ? FEW : MANY);
        was_seen[entry] = true;
    }
    for (uint32_t entry = 0; entry < MANY; entry++)
        ck_assert(was_seen[entry]);
}
END_TEST

START_TEST(what_others_have_not_freed_is_needed)
{
    struct ftc_board a = created();

    ck_assert(!ftc_publication_is_needed(&a, COMMUNICATOR));
    ftc_publication_open(&a, 0, 0, COMMUNICATOR);
    ftc_publication_open(&a, 1, 0, COMMUNICATOR + ENTRIES);
    ftc_publication_open(&a, 1, 1, COMMUNICATOR);
    ftc_publication_free(&a, 0, 0);
    ck_assert(ftc_publication_is_needed(&a, COMMUNICATOR));
    ftc_publication_free(&a, 1, 1);
    ck_assert(!ftc_publication_is_needed(&a, COMMUNICATOR));
    ftc_publication_open(&a, 1, 1, COMMUNICATOR);
    ck_assert(ftc_publication_is_needed(&a, COMMUNICATOR));
    ftc_board_mark_failed(&a, 1, FTC_DEATH_SIGNAL, 9);
    ck_assert(!ftc_publication_is_needed(&a, COMMUNICATOR));
    ftc_board_close(&a);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("board");
    UNIT_TEST(a_board_is_no_standard_descriptor);
    UNIT_TEST(another_mapping_shows_the_same_board);
    UNIT_TEST(core_dumps_are_without_the_board);
    UNIT_TEST(what_is_used_is_mapped_and_both_see_it);
    UNIT_TEST(another_file_is_not_mapped_in_its_place);
    UNIT_TEST(a_wrong_key_is_refused);
    UNIT_TEST(the_segment_cannot_be_cut);
    UNIT_TEST(a_kernel_may_allow_no_code_in_it_or_not_know_of_that);
    UNIT_TEST(an_unsealed_file_is_refused);
    UNIT_TEST(a_geometry_that_does_not_fit_is_refused);
    UNIT_TEST(a_senseless_geometry_is_not_created);
    UNIT_TEST(a_board_that_is_too_large_for_a_file_is_an_error);
    UNIT_TEST(a_death_is_entered_once_and_for_good);
    UNIT_TEST(a_death_that_is_entered_is_described);
    UNIT_TEST(a_death_has_words);
    UNIT_TEST(the_first_that_meets_a_death_is_kept_and_the_last_recovery);
    UNIT_TEST(an_error_is_that_of_the_operation_that_met_the_death);
    UNIT_TEST(who_dies_while_it_says_that_it_was_first_was_not);
    UNIT_TEST(who_awaits_a_death_is_woken_after_it);
    UNIT_TEST(who_has_finalized_does_not_die);
    UNIT_TEST(a_state_that_nobody_wrote_counts_as_dead);
    UNIT_TEST(a_result_is_read_as_it_was_published);
    UNIT_TEST(another_communicator_is_another_version);
    UNIT_TEST(an_excess_is_published_without_a_value);
    UNIT_TEST(what_a_dead_rank_published_is_not_taken);
    UNIT_TEST(half_an_entry_is_not_taken);
    UNIT_TEST(lengths_that_cannot_be_are_not_taken);
    UNIT_TEST(an_attempt_belongs_to_its_operation);
    UNIT_TEST(the_last_calls_are_remembered);
    UNIT_TEST(an_entry_is_looked_for_among_few_and_then_among_all);
    UNIT_TEST(what_others_have_not_freed_is_needed);
    UNIT_END();
}
