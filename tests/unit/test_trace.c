/* The trace: rings of events, the two clocks, what belongs together, and the file. */
#include "board/rank_state.h"
#include "board/recovery_record.h"
#include "board/trace.h"
#include "call/call.h"
#include "engine/state.h"
#include "reporting/trace_file.h"
#include "reporting/trace_items.h"
#include "reporting/trace_write.h"
#include "unit_board.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 3, VALUE_BYTES = 8, COMMUNICATOR = 0x77, EVENTS = 1024 };

static struct ftc_board created(uint32_t ranks)
{
    struct ftc_board_geometry g = unit_geometry(ranks, VALUE_BYTES);
    struct ftc_board board;

    g.trace_bytes = ftc_trace_bytes(ranks);
    board = unit_board(g);
    ck_assert(ftc_trace_is_on(&board));
    return board;
}

static struct ftc_trace opened(const struct ftc_board *board, uint32_t rank)
{
    struct ftc_trace t;

    ftc_trace_open(&t, board, rank);
    return t;
}

/* At the time of now. */
static void add(struct ftc_trace *t, struct ftc_trace_event e)
{
    e.communicator_id = COMMUNICATOR;
    ftc_trace_look_at_clock(t);
    ftc_trace_add(t, e);
}

static void add_numbered(struct ftc_trace *t, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        add(t, (struct ftc_trace_event){.kind = FTC_TRACE_SENT, .seq = i, .number = ~i});
}

static struct ftc_trace_event *read_all(const struct ftc_board *board, uint32_t rank, size_t *count)
{
    struct ftc_trace_event *event = calloc(ftc_trace_capacity(board), sizeof *event);

    ck_assert_ptr_nonnull(event);
    *count = ftc_trace_read(board, rank, event);
    return event;
}

/* ---- rings ---- */

START_TEST(a_ring_keeps_the_newest_events)
{
    struct ftc_board board = created(RANKS);
    struct ftc_trace t = opened(&board, 1);
    struct ftc_trace_event *event;
    size_t count;

    add_numbered(&t, 0, 10);
    event = read_all(&board, 1, &count);
    ck_assert_uint_eq(count, 10);
    ck_assert_uint_eq(event[0].seq, 0);
    free(event);
    add_numbered(&t, 10, 3 * EVENTS);
    event = read_all(&board, 1, &count);
    ck_assert_uint_eq(count, EVENTS - 1); /* the owner may be at the next place */
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(event[i].seq, 10 + 3 * EVENTS - count + i);
    free(event);
    event = read_all(&board, 0, &count); /* the others' are empty */
    ck_assert_uint_eq(count, 0);
    free(event);
    ftc_board_close(&board);
}
END_TEST

START_TEST(what_is_kept_outlives_all_that_comes_after_it)
{
    struct ftc_board board = created(RANKS);
    struct ftc_trace t = opened(&board, 0);
    struct ftc_trace_event *event;
    size_t count;

    for (uint32_t part = 0; part < 2 * FTC_TRACE_PARTS; part++) {
        add_numbered(&t, 1000000 * part, 5);
        ftc_trace_keep(&t);
    }
    add_numbered(&t, 99000000, 5 * EVENTS);
    event = read_all(&board, 0, &count);
    ck_assert_uint_eq(count, 5 * (FTC_TRACE_PARTS - 1) + EVENTS - 1);
    for (uint32_t i = 0; i < 5 * (FTC_TRACE_PARTS - 1); i++)
        ck_assert_uint_eq(event[i].seq, 1000000 * (i / 5) + i % 5);
    free(event);
    ftc_board_close(&board);
}
END_TEST

static struct ftc_trace written;
static _Atomic bool is_over;

static void *write_without_end(void *unused)
{
    for (uint32_t i = 0; !is_over; i++)
        add_numbered(&written, i, 1);
    return unused;
}

/* Also in memory that is weaker than x86's (valgrind and the thread sanitizer run this). */
START_TEST(what_is_read_while_it_is_overwritten_is_whole)
{
    struct ftc_board board = created(RANKS);
    pthread_t writer;
    uint32_t newest = 0;

    written = opened(&board, 2);
    is_over = false;
    ck_assert_int_eq(pthread_create(&writer, NULL, write_without_end, NULL), 0);
    while (newest < 50 * EVENTS) {
        size_t count;
        struct ftc_trace_event *event = read_all(&board, 2, &count);

        for (size_t i = 0; i < count; i++) {
            ck_assert_uint_eq(event[i].number, ~event[i].seq);
            ck_assert_uint_eq(event[i].seq, event[0].seq + i);
        }
        newest = count > 0 ? event[count - 1].seq : newest;
        free(event);
    }
    is_over = true;
    pthread_join(writer, NULL);
    ftc_board_close(&board);
}
END_TEST

START_TEST(with_many_ranks_each_has_fewer_events)
{
    ck_assert_uint_lt(ftc_trace_bytes(64), ftc_trace_bytes(16));
    ck_assert_uint_eq(ftc_trace_bytes(64), ftc_trace_bytes(4096));
    ck_assert_uint_eq(ftc_trace_bytes(2), ftc_trace_bytes(16));
}
END_TEST

/* ---- clocks ---- */

START_TEST(times_lie_between_the_nearest_moments)
{
    struct ftc_moment m[] = {{400, 5000}, {100, 1000}, {200, 3000}, {300, 2000}, {200, 3000}};
    size_t count = ftc_ticks_sort(m, 5);

    ck_assert_uint_eq(count, 3); /* at 300 the clock would have gone back */
    ck_assert_uint_eq(ftc_ticks_to_ns(m, count, 150), 2000);
    ck_assert_uint_eq(ftc_ticks_to_ns(m, count, 200), 3000);
    ck_assert_uint_eq(ftc_ticks_to_ns(m, count, 300), 4000);
    ck_assert_uint_eq(ftc_ticks_to_ns(m, count, 500), 6000);
    ck_assert_uint_eq(ftc_ticks_to_ns(m, count, 50), 0);
    ck_assert_uint_eq(ftc_ticks_to_ns(m, 1, 107), 1007);
}
END_TEST

START_TEST(both_clocks_agree)
{
    bool are_cycles = ftc_ticks_are_cycles();
    struct ftc_moment m[2], middle;

    m[0] = ftc_ticks_now(are_cycles);
    do
        middle = ftc_ticks_now(are_cycles);
    while (middle.ns < m[0].ns + 5000000);
    do
        m[1] = ftc_ticks_now(are_cycles);
    while (m[1].ns < middle.ns + 5000000);
    ck_assert_uint_ge(ftc_ticks_to_ns(m, 2, middle.ticks) + 1000000, middle.ns);
    ck_assert_uint_le(ftc_ticks_to_ns(m, 2, middle.ticks), middle.ns + 1000000);
}
END_TEST

/* ---- what belongs together ---- */

static struct ftc_trace_event begin(uint32_t seq)
{
    return (struct ftc_trace_event){.kind = FTC_TRACE_BEGIN,
                                    .what = FTC_CALL_ALLREDUCE,
                                    .seq = seq,
                                    .number = 8,
                                    .peer = RANKS};
}

static struct ftc_trace_event phase(uint32_t seq, enum ftc_phase what, uint16_t attempt,
                                    uint16_t root)
{
    return (struct ftc_trace_event){.kind = FTC_TRACE_PHASE,
                                    .what = (uint8_t)what,
                                    .seq = seq,
                                    .attempt = attempt,
                                    .peer = root};
}

static struct ftc_trace_event message(enum ftc_trace_kind kind, uint32_t seq, uint16_t peer,
                                      enum ftc_message_kind what, uint16_t attempt)
{
    return (struct ftc_trace_event){
        .kind = (uint8_t)kind, .what = (uint8_t)what, .seq = seq, .peer = peer, .attempt = attempt};
}

static struct ftc_trace_event end(uint32_t seq)
{
    return (struct ftc_trace_event){.kind = FTC_TRACE_END, .what = FTC_VERDICT_VALUE, .seq = seq};
}

#define SENT(seq, to)       message(FTC_TRACE_SENT, seq, to, FTC_MESSAGE_EXCHANGE, 0)
#define RECEIVED(seq, from) message(FTC_TRACE_RECEIVED, seq, from, FTC_MESSAGE_EXCHANGE, 0)

static struct ftc_trace_items gathered(const struct ftc_board *board)
{
    struct ftc_trace_items items;

    ck_assert(ftc_trace_read_items(board, &items));
    return items;
}

START_TEST(both_ends_of_a_message_find_each_other)
{
    struct ftc_board board = created(RANKS);
    struct ftc_trace zero = opened(&board, 0), one = opened(&board, 1);
    struct ftc_trace_items items;

    add(&zero, begin(4));
    add(&zero, SENT(4, 1)); /* item 1 */
    add(&zero, SENT(4, 2)); /* nobody has it */
    add(&zero, SENT(4, 1)); /* the same once more */
    add(&zero, end(4));
    add(&one, RECEIVED(4, 0)); /* item 5: its operation's beginning has been overwritten */
    add(&one, begin(4));       /* item 6 */
    add(&one, RECEIVED(4, 0));
    add(&one, RECEIVED(4, 0));
    items = gathered(&board);
    ck_assert_int_eq(items.count, 9);
    ck_assert_int_eq(items.item[0].partner, 4);
    ck_assert_int_eq(items.item[1].partner, 7);
    ck_assert_int_eq(items.item[2].partner, FTC_TRACE_NO_ITEM);
    ck_assert_int_eq(items.item[3].partner, 8);
    ck_assert_int_eq(items.item[5].operation, FTC_TRACE_NO_ITEM);
    ck_assert_int_eq(items.item[7].partner, 1);
    ck_assert_int_eq(items.item[8].operation, 6);
    ck_assert_int_eq(items.item[6].partner, FTC_TRACE_NO_ITEM); /* not over */
    ftc_trace_free_items(&items);
    ftc_board_close(&board);
}
END_TEST

/* As if its sender had been kept from its core before it could look at the clock. */
START_TEST(no_message_comes_before_it_was_sent)
{
    struct ftc_board board = created(RANKS);
    struct ftc_trace zero = opened(&board, 0), one = opened(&board, 1);
    struct ftc_trace_items items;

    add(&one, begin(0));
    add(&one, RECEIVED(0, 0));
    add(&zero, begin(0));
    add(&zero, SENT(0, 1));
    items = gathered(&board);
    ck_assert_uint_lt(items.item[0].ns, items.item[1].ns);
    ck_assert_uint_lt(items.item[1].ns, items.item[3].ns);
    ck_assert_uint_lt(items.item[2].ns, items.item[3].ns);
    ftc_trace_free_items(&items);
    ftc_board_close(&board);
}
END_TEST

START_TEST(events_of_one_look_at_the_clock_keep_their_order)
{
    struct ftc_board board = created(RANKS);
    struct ftc_trace t = opened(&board, 0);
    struct ftc_trace_items items;

    add(&t, end(0));
    ftc_trace_look_at_clock(&t);
    for (uint32_t i = 0; i < 5; i++)
        ftc_trace_add(&t, (struct ftc_trace_event){.kind = FTC_TRACE_SENT, .seq = i});
    items = gathered(&board);
    ck_assert_int_eq(items.count, 6);
    ck_assert_uint_lt(items.item[0].event.ticks, items.item[1].event.ticks);
    for (int i = 1; i < 6; i++) {
        ck_assert_uint_eq(items.item[i].event.ticks, t.now);
        ck_assert_uint_gt(items.item[i].ns, items.item[i - 1].ns);
    }
    ftc_trace_free_items(&items);
    ftc_board_close(&board);
}
END_TEST

/* ---- JSON ---- */

static void announce_death(const struct ftc_board *board)
{
    const struct ftc_settings quiet = {0};
    const struct ftc_notice n = {.board = board, .self = {.rank = 2}, .settings = &quiet};

    ftc_notice_death(&n, 2);
}

/* Ranks 0 and 1 go on after the death of rank 2, in operation 5. */
static void record_recovery(struct ftc_board *board)
{
    struct ftc_trace t[RANKS];

    for (uint16_t i = 0; i < RANKS; i++) {
        t[i] = opened(board, i);
        add(&t[i], begin(5));
        add(&t[i], phase(5, FTC_PHASE_EXCHANGE, 0, FTC_TRACE_NOBODY));
    }
    add(&t[0], SENT(5, 2));
    ftc_board_introduce(board, 0, 4711);
    ftc_board_mark_failed(board, 2, FTC_DEATH_SIGNAL, SIGKILL);
    announce_death(board);
    for (uint16_t i = 0; i < 2; i++) {
        add(&t[i], (struct ftc_trace_event){.kind = FTC_TRACE_NOTICED, .seq = 5, .peer = 2});
        add(&t[i], phase(5, FTC_PHASE_UP_CORRECTION, 1, 0));
        add(&t[i], message(FTC_TRACE_SENT, 5, 1 - i, FTC_MESSAGE_UP_CORRECTION, 1));
    }
    for (uint16_t i = 0; i < 2; i++) {
        add(&t[i], message(FTC_TRACE_RECEIVED, 5, 1 - i, FTC_MESSAGE_UP_CORRECTION, 1));
        add(&t[i], end(5));
    }
}

static char *written_trace(const struct ftc_board *board)
{
    static const struct ftc_trace_head head = {.f = 1};
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);

    ck_assert_int_eq(ftc_trace_write(f, board, &head), 0);
    fclose(f);
    return text;
}

static int count_of(const char *text, const char *part)
{
    int count = 0;

    for (const char *p = strstr(text, part); p; p = strstr(p + 1, part))
        count++;
    return count;
}

START_TEST(a_recovery_is_written_with_all_that_belongs_to_it)
{
    struct ftc_board board = created(RANKS);
    char *text;

    record_recovery(&board);
    text = written_trace(&board);
    ck_assert_int_eq(count_of(text, "\"cat\":\"operation\",\"name\":\"MPI_Allreduce #5\""), RANKS);
    ck_assert_int_eq(count_of(text, "\"name\":\"optimistic attempt\""), RANKS);
    ck_assert_int_eq(count_of(text, "\"name\":\"attempt 1, root 0\""), 2);
    ck_assert_int_eq(count_of(text, "\"cat\":\"phase\""), RANKS + 2);
    ck_assert_int_eq(count_of(text, "\"ph\":\"s\""), 2);
    ck_assert_int_eq(count_of(text, "\"ph\":\"f\""), 2);
    ck_assert_int_eq(count_of(text, "\"taken\":false"), 1); /* to the dead */
    ck_assert_int_eq(count_of(text, "\"name\":\"rank 2 killed by signal 9 (Killed)\""), 1);
    ck_assert_int_eq(count_of(text, "\"name\":\"death of rank 2 noticed\""), 2);
    ck_assert_int_eq(count_of(text, "\"name\":\"result of MPI_Allreduce #5\""), 2);
    ck_assert_int_eq(count_of(text, "\"over\":false"), 1);
    ck_assert_int_eq(count_of(text, "\"name\":\"rank 0 (pid 4711)\""), 1);
    free(text);
    ftc_board_close(&board);
}
END_TEST

/* Any process may write to the board. */
START_TEST(a_ring_of_nonsense_is_written_without_harm)
{
    struct ftc_board board = created(RANKS);
    unsigned char *ring = ftc_board_trace(&board, 1);
    char *text;

    record_recovery(&board);
    srand(1);
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < board.geometry.trace_bytes; i++)
            ring[i] = (unsigned char)rand();
        text = written_trace(&board);
        ck_assert_int_eq(count_of(text, "\"ph\":\"s\""), count_of(text, "\"ph\":\"f\""));
        ck_assert_int_eq(text[strlen(text) - 2], '}');
        free(text);
    }
    ftc_board_close(&board);
}
END_TEST

/* A disk that is full for the first of several writes. */
static ssize_t refuse_once(void *refused, const char *bytes, size_t count)
{
    (void)bytes;
    if (*(bool *)refused)
        return (ssize_t)count;
    *(bool *)refused = true;
    errno = ENOSPC;
    return 0;
}

START_TEST(a_hole_in_what_was_written_is_an_error)
{
    static const struct ftc_trace_head head = {.f = 1};
    struct ftc_board board = created(RANKS);
    char buffer[256];
    bool refused = false;
    FILE *f = fopencookie(&refused, "w", (cookie_io_functions_t){.write = refuse_once});

    record_recovery(&board);
    setvbuf(f, buffer, _IOFBF, sizeof buffer);
    ck_assert_int_eq(ftc_trace_write(f, &board, &head), -ENOSPC);
    ck_assert(refused);
    ck_assert_int_eq(fclose(f), 0); /* which says nothing of it */
    ftc_board_close(&board);
}
END_TEST

/* ---- the file ---- */

static char directory[] = "/tmp/ftcoll-trace-XXXXXX";

static void enter_directory(void)
{
    strcpy(directory + sizeof directory - 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
}

static void leave_directory(const char *const *file)
{
    for (; *file; file++)
        ck_assert_int_eq(unlink(*file), 0);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(directory), 0); /* nothing else is there */
}

static const struct ftc_settings settings = {.f = 1};
static const struct ftc_report_paths paths = {.trace = "trace"};

static struct ftc_notice notice_of(const struct ftc_board *board, uint32_t world)
{
    return (struct ftc_notice){
        .board = board, .self = {.rank = world}, .settings = &settings, .paths = &paths};
}

static off_t bytes_of(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 ? s.st_size : -1;
}

static void settle(struct ftc_board *board)
{
    for (uint32_t i = 0; i < 2; i++)
        ftc_recovery_record_settle(board, i, 1, ftc_clock_ns());
}

START_TEST(the_file_is_replaced_but_no_other)
{
    struct ftc_board board = created(RANKS);
    struct ftc_notice n = notice_of(&board, 0);
    struct ftc_trace t;
    off_t first;

    enter_directory();
    close(open("trace", O_CREAT | O_WRONLY, 0600)); /* an earlier job's */
    record_recovery(&board);
    ck_assert(!ftc_trace_file_update(&n));
    ck_assert_int_eq(bytes_of("trace.1"), -1);
    settle(&board);
    ck_assert(ftc_trace_file_update(&n));
    first = bytes_of("trace.1");
    ck_assert_int_gt(first, 0);
    t = opened(&board, 0);
    ftc_trace_keep(&t);
    add(&t, begin(6));
    ck_assert(ftc_trace_file_update(&n)); /* was told */
    ck_assert_int_eq(bytes_of("trace.1"), first);
    ftc_trace_file_finish(&n);
    ck_assert_int_gt(bytes_of("trace.1"), first);
    ck_assert_int_eq(bytes_of("trace"), 0);
    leave_directory((const char *const[]){"trace", "trace.1", NULL});
    ftc_board_close(&board);
}
END_TEST

/* Check itself writes to a file. */
static void finish_within(const struct ftc_notice *n, rlim_t bytes)
{
    int console = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    struct rlimit before, limit;

    getrlimit(RLIMIT_FSIZE, &before);
    limit = (struct rlimit){bytes, before.rlim_max};
    dup2(nowhere, STDERR_FILENO);
    setrlimit(RLIMIT_FSIZE, &limit);
    ftc_trace_file_finish(n);
    setrlimit(RLIMIT_FSIZE, &before);
    dup2(console, STDERR_FILENO);
    close(console);
    close(nowhere);
}

START_TEST(a_file_that_would_be_too_large_is_not_there)
{
    struct ftc_board board = created(RANKS);
    struct ftc_notice n = notice_of(&board, 0);
    const struct ftc_announcement last = {.kind = FTC_ANNOUNCEMENT_TRACE,
                                          .number = FTC_ANNOUNCEMENT_LAST};

    enter_directory();
    record_recovery(&board);
    finish_within(&n, 100);
    ck_assert(ftc_announcement_is_done(&board, &last));
    leave_directory((const char *const[]){NULL});
    ftc_board_close(&board);
}
END_TEST

/* Killed while it writes, it leaves what is no JSON; nobody ever sees that below the file's name.
 */
START_TEST(another_takes_over_from_a_writer_that_was_killed)
{
    struct ftc_board board = created(RANKS);
    struct ftc_notice n = notice_of(&board, 0);
    const struct ftc_announcement last = {.kind = FTC_ANNOUNCEMENT_TRACE,
                                          .number = FTC_ANNOUNCEMENT_LAST};
    char part[64];
    uint64_t key[2];
    int status;
    pid_t pid;

    enter_directory();
    record_recovery(&board);
    ftc_board_key(&board, key);
    snprintf(part, sizeof part, "trace.%08x.part", (unsigned)key[0]);
    pid = fork();
    if (pid == 0) {
        const struct ftc_announcer first = {.rank = 0};
        int fd = open(part, O_CREAT | O_WRONLY, 0600);

        if (ftc_lifeline_guard(ftc_board_lifeline(&board, 0)) == 0 && write(fd, "[", 1) == 1 &&
            ftc_announcement_claim(&board, &last, &first))
            raise(SIGKILL);
        _exit(1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFSIGNALED(status));
    n.self.rank = 1;
    ftc_trace_file_finish(&n);
    ck_assert(ftc_announcement_is_done(&board, &last));
    ck_assert_int_gt(bytes_of("trace"), 1);
    leave_directory((const char *const[]){"trace", NULL});
    ftc_board_close(&board);
}
END_TEST

/* Who goes on may end the job, and so the writer. */
START_TEST(a_writer_that_lives_is_awaited)
{
    struct ftc_board board = created(RANKS);
    struct ftc_notice n = notice_of(&board, 1);
    const struct ftc_announcement last = {.kind = FTC_ANNOUNCEMENT_TRACE,
                                          .number = FTC_ANNOUNCEMENT_LAST};
    int claimed[2];
    char byte;
    pid_t pid;

    ck_assert_int_eq(pipe(claimed), 0);
    pid = fork();
    if (pid == 0) {
        const struct ftc_announcer first = {.rank = 0};

        if (ftc_lifeline_guard(ftc_board_lifeline(&board, 0)) != 0 ||
            !ftc_announcement_claim(&board, &last, &first) || write(claimed[1], "", 1) != 1)
            _exit(1);
        sleep(2);
        ftc_announcement_end(&board, &last, &first);
        _exit(0);
    }
    close(claimed[1]);
    ck_assert_int_eq(read(claimed[0], &byte, 1), 1);
    ftc_trace_file_finish(&n);
    ck_assert(ftc_announcement_is_done(&board, &last));
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    close(claimed[0]);
    ftc_board_close(&board);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("trace");
    UNIT_TEST(a_ring_keeps_the_newest_events);
    UNIT_TEST(what_is_kept_outlives_all_that_comes_after_it);
    UNIT_TEST(what_is_read_while_it_is_overwritten_is_whole);
    UNIT_TEST(with_many_ranks_each_has_fewer_events);
    UNIT_TEST(times_lie_between_the_nearest_moments);
    UNIT_TEST(both_clocks_agree);
    UNIT_TEST(both_ends_of_a_message_find_each_other);
    UNIT_TEST(no_message_comes_before_it_was_sent);
    UNIT_TEST(events_of_one_look_at_the_clock_keep_their_order);
    UNIT_TEST(a_recovery_is_written_with_all_that_belongs_to_it);
    UNIT_TEST(a_ring_of_nonsense_is_written_without_harm);
    UNIT_TEST(a_hole_in_what_was_written_is_an_error);
    UNIT_TEST(the_file_is_replaced_but_no_other);
    UNIT_TEST(a_file_that_would_be_too_large_is_not_there);
    UNIT_TEST(another_takes_over_from_a_writer_that_was_killed);
    UNIT_TEST(a_writer_that_lives_is_awaited);
    UNIT_END();
}
