#include "board.h"

#include "system/descriptor.h"
#include "system/file_limit.h"
#include "value/rank_set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define BOARD_MAGIC 0x3162726c6c6f6374ull /* "tcollrb1" in memory order */
#define BOARD_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

#ifndef MFD_NOEXEC_SEAL /* Linux 6.3 */
#define MFD_NOEXEC_SEAL 0x0008U
#endif

/* Bounds that keep every product below well inside 64 bits. */
enum {
    MAX_ENTRIES = 1 << 16,
    MAX_DEPTH = 1 << 10,
    MAX_STRIDE = 1 << 20,
    MAX_SITES_BYTES = 1 << 24,
    MAX_BULK_BYTES = 1 << 27,
    PAGE = 4096,
    WINDOW_UNIT = 1 << 16, /* largest base page size of 64-bit Linux */
    MAX_TRACE_BYTES = 1 << 24
};

static bool geometry_is_sane(const struct ftc_board_geometry *g)
{
    return g->ranks >= 1 && g->ranks <= FTC_BOARD_RANKS_MAX && g->entries >= 1 &&
           g->entries <= MAX_ENTRIES && g->ring_depth >= 1 && g->ring_depth <= MAX_DEPTH &&
           (g->ring_depth & (g->ring_depth - 1)) == 0 && g->entry_stride_bytes <= MAX_STRIDE &&
           g->entry_stride_bytes >= FTC_BOARD_ENTRY_BYTES && g->entry_stride_bytes % 64 == 0 &&
           g->multicast_bytes <= MAX_STRIDE && g->multicast_bytes >= FTC_BOARD_MULTICAST_BYTES &&
           g->multicast_bytes % 64 == 0 && g->message_stride_bytes <= MAX_STRIDE &&
           g->message_stride_bytes >= 64 && g->message_stride_bytes % 64 == 0 &&
           g->sites_bytes <= MAX_SITES_BYTES && g->sites_bytes % 64 == 0 &&
           g->exposed_bytes <= MAX_STRIDE && g->exposed_bytes % 64 == 0 &&
           g->bulk_bytes <= MAX_BULK_BYTES && g->bulk_bytes % 64 == 0 &&
           g->region_bytes <= MAX_BULK_BYTES && g->region_bytes % PAGE == 0 &&
           g->other_hosts < FTC_BOARD_HOSTS_MAX && g->host <= g->other_hosts &&
           g->trace_bytes <= MAX_TRACE_BYTES && g->trace_bytes % 64 == 0;
}

uint32_t ftc_board_set_words(const struct ftc_board_geometry *g)
{
    return (uint32_t)FTC_RANK_SET_WORDS(g->ranks);
}

/* Layout of the segment: header and ranks | sets of rank 0, 1, ... | pending senders of rank 0, 1,
 * ... | rings to 0 from 0, 1, ... | rings to 1 ... | call sites of rank 0, 1, ... | exposed data of
 * rank 0, 1, ... | progress words for large data of rank 0, 1, ... | traces of rank 0, 1, ... |
 * windows.
 *
 * The windows are groups of entries, then places for large data. A group: entries of rank 0, 1, ...
 * | multicasts of its entry 0, 1, ...: first place of all ranks, second place of all ranks. A place
 * for large data: that of rank 0, 1, ... */

static size_t sets_offset(const struct ftc_board_geometry *g)
{
    return sizeof(struct ftc_board_shared) + (size_t)g->ranks * sizeof(struct ftc_board_rank);
}

static size_t pending_offset(const struct ftc_board_geometry *g)
{
    size_t sets = (size_t)g->ranks * FTC_BOARD_SETS;

    return sets_offset(g) + sets * ftc_board_set_words(g) * sizeof(uint64_t);
}

/* Returns the size of one rank's pending senders, in whole cache lines. */
static size_t pending_bytes(const struct ftc_board_geometry *g)
{
    return ((1 + ftc_board_set_words(g)) * sizeof(uint64_t) + 63) / 64 * 64;
}

static size_t rings_offset(const struct ftc_board_geometry *g)
{
    return pending_offset(g) + g->ranks * pending_bytes(g);
}

size_t ftc_board_ring_bytes(const struct ftc_board_geometry *g)
{
    return 64 + (size_t)g->ring_depth * (g->message_stride_bytes + FTC_BOARD_RING_NOTE_BYTES);
}

static size_t sites_offset(const struct ftc_board_geometry *g)
{
    return rings_offset(g) + (size_t)g->ranks * g->ranks * ftc_board_ring_bytes(g);
}

static size_t exposed_offset(const struct ftc_board_geometry *g)
{
    return sites_offset(g) + (size_t)g->ranks * g->sites_bytes;
}

static size_t bulk_offset(const struct ftc_board_geometry *g)
{
    return exposed_offset(g) + (size_t)g->ranks * FTC_BOARD_EXPOSED * g->exposed_bytes;
}

static size_t traces_offset(const struct ftc_board_geometry *g)
{
    return bulk_offset(g) + (size_t)g->ranks * g->bulk_bytes;
}

static size_t in_units(size_t bytes)
{
    return (bytes + WINDOW_UNIT - 1) / WINDOW_UNIT * WINDOW_UNIT;
}

static size_t windows_offset(const struct ftc_board_geometry *g)
{
    return in_units(traces_offset(g) + (size_t)g->ranks * g->trace_bytes);
}

static uint32_t groups(const struct ftc_board_geometry *g)
{
    return (g->entries + FTC_BOARD_GROUP - 1) / FTC_BOARD_GROUP;
}

static uint32_t windows(const struct ftc_board_geometry *g)
{
    return groups(g) + FTC_BOARD_REGIONS;
}

static size_t group_bytes(const struct ftc_board_geometry *g)
{
    size_t entries = (size_t)g->ranks * FTC_BOARD_GROUP;

    return in_units(entries * (g->entry_stride_bytes + FTC_BOARD_MULTICASTS * g->multicast_bytes));
}

static size_t region_bytes(const struct ftc_board_geometry *g)
{
    return in_units((size_t)g->ranks * g->region_bytes);
}

static size_t window_bytes(const struct ftc_board_geometry *g, uint32_t number)
{
    return number < groups(g) ? group_bytes(g) : region_bytes(g);
}

static size_t window_offset(const struct ftc_board_geometry *g, uint32_t number)
{
    size_t places = number < groups(g) ? 0 : number - groups(g);

    return windows_offset(g) + (number - places) * group_bytes(g) + places * region_bytes(g);
}

size_t ftc_board_bytes(const struct ftc_board_geometry *g)
{
    return window_offset(g, windows(g));
}

size_t ftc_board_usual_bytes(const struct ftc_board_geometry *g)
{
    return windows_offset(g) + group_bytes(g) + region_bytes(g);
}

static void *map_part(int fd, size_t offset, size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);

    if (p != MAP_FAILED)
        (void)madvise(p, bytes, MADV_DONTDUMP); /* a core dump would allocate all pages */
    return p;
}

/* Maps the segment without its windows. @g must be sane. Returns 0 or a negative errno. */
static int map_segment(struct ftc_board *board, int fd, const struct ftc_board_geometry *g)
{
    _Atomic(unsigned char *) *window = calloc(windows(g), sizeof *window);
    void *p = window ? map_part(fd, 0, windows_offset(g)) : MAP_FAILED;
    struct stat st;

    if (p == MAP_FAILED || fstat(fd, &st) != 0) {
        free(window);
        return -ENOMEM;
    }
    *board = (struct ftc_board){.shared = p,
                                .geometry = *g,
                                .window = window,
                                .size_bytes = windows_offset(g),
                                .fd = fd,
                                .file = st.st_ino};
    return 0;
}

static void stop(void)
{
    __builtin_trap();
}

static void (*on_no_room)(void) = stop;

void ftc_board_on_no_room(void (*function)(void))
{
    on_no_room = function;
}

/* Returns whether the descriptor is still that of the board. The program may have closed it, and
 * opened a file of its own with the same number. */
static bool has_file(const struct ftc_board *board)
{
    struct stat st;

    return fstat(board->fd, &st) == 0 && st.st_ino == board->file &&
           (fcntl(board->fd, F_GET_SEALS) & BOARD_SEALS) == BOARD_SEALS;
}

/* Unmaps the window again if another thread has mapped it meanwhile. */
unsigned char *ftc_board_map_window(const struct ftc_board *board, uint32_t number)
{
    const struct ftc_board_geometry *g = &board->geometry;
    size_t bytes = window_bytes(g, number);
    unsigned char *first = NULL, *window = MAP_FAILED;

    if (has_file(board))
        window = map_part(board->fd, window_offset(g, number), bytes);
    if (window == MAP_FAILED)
        on_no_room();
    if (atomic_compare_exchange_strong(&board->window[number], &first, window))
        return window;
    munmap(window, bytes);
    return first;
}

static void unmap_segment(struct ftc_board *board)
{
    for (uint32_t i = 0; i < windows(&board->geometry); i++)
        if (board->window[i])
            munmap(board->window[i], window_bytes(&board->geometry, i));
    free(board->window);
    munmap(board->shared, board->size_bytes);
}

static int set_size(int fd, size_t size)
{
    struct ftc_file_limit limit;
    int rv;

    ftc_file_limit_hold(&limit);
    rv = ftruncate(fd, (off_t)size);
    ftc_file_limit_release(&limit);
    return rv;
}

/* Returns a descriptor of an unnamed memory file, or -1. Linux 6.3 to 6.5 with vm.memfd_noexec = 2
 * require MFD_NOEXEC_SEAL, which older kernels reject. */
static int create_memory(void)
{
    const unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int fd = memfd_create("ftcoll-board", flags | MFD_NOEXEC_SEAL);

    if (fd < 0 && errno == EINVAL)
        fd = memfd_create("ftcoll-board", flags);
    return ftc_descriptor_leave_standard(fd);
}

int ftc_board_create(struct ftc_board *board, const struct ftc_board_geometry *geometry)
{
    int fd, rv;

    if (!geometry_is_sane(geometry))
        return -EINVAL;
    fd = create_memory();
    if (fd < 0)
        return -errno;
    if (fchmod(fd, 0600) != 0 || set_size(fd, ftc_board_bytes(geometry)) != 0 ||
        fcntl(fd, F_ADD_SEALS, BOARD_SEALS) != 0) {
        rv = -errno;
        goto fail;
    }
    rv = map_segment(board, fd, geometry);
    if (rv != 0)
        goto fail;
    if (getrandom(board->shared->key, sizeof board->shared->key, 0) !=
        (ssize_t)sizeof board->shared->key) {
        rv = -EIO;
        unmap_segment(board);
        goto fail;
    }
    board->shared->geometry = *geometry;
    board->shared->magic = BOARD_MAGIC;
    return 0;

fail:
    close(fd);
    *board = (struct ftc_board){.fd = -1};
    return rv;
}

int ftc_board_map(struct ftc_board *board, int fd)
{
    unsigned char bytes[offsetof(struct ftc_board_shared, cores)];
    struct ftc_board_geometry geometry;
    uint64_t magic;
    struct stat st;

    if (fstat(fd, &st) != 0)
        return -errno;
    if (st.st_uid != geteuid() || (fcntl(fd, F_GET_SEALS) & BOARD_SEALS) != BOARD_SEALS ||
        pread(fd, bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return -EACCES;
    memcpy(&magic, bytes + offsetof(struct ftc_board_shared, magic), sizeof magic);
    memcpy(&geometry, bytes + offsetof(struct ftc_board_shared, geometry), sizeof geometry);
    if (magic != BOARD_MAGIC || !geometry_is_sane(&geometry) ||
        ftc_board_bytes(&geometry) != (size_t)st.st_size)
        return -EACCES;
    return map_segment(board, fd, &geometry);
}

int ftc_board_open(struct ftc_board *board, int pid, int fd, const uint64_t key[2])
{
    char path[64];
    int own;

    snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
    own = ftc_descriptor_leave_standard(open(path, O_RDWR | O_CLOEXEC));
    return own < 0 ? -errno : ftc_board_take(board, own, key);
}

int ftc_board_take(struct ftc_board *board, int fd, const uint64_t key[2])
{
    int rv = ftc_board_map(board, fd);

    if (rv != 0) {
        close(fd);
        return rv;
    }
    if (memcmp(board->shared->key, key, sizeof board->shared->key) != 0) {
        ftc_board_close(board);
        return -EACCES;
    }
    return 0;
}

void ftc_board_key(const struct ftc_board *board, uint64_t key[2])
{
    memcpy(key, board->shared->key, sizeof board->shared->key);
}

void ftc_board_close(struct ftc_board *board)
{
    if (board->shared)
        unmap_segment(board);
    if (board->fd >= 0)
        close(board->fd);
    *board = (struct ftc_board){.fd = -1};
}

_Atomic uint64_t *ftc_board_set(const struct ftc_board *board, uint32_t rank, uint32_t set)
{
    const struct ftc_board_geometry *g = &board->geometry;
    size_t index = (size_t)rank * FTC_BOARD_SETS + set;

    return (_Atomic uint64_t *)((char *)board->shared + sets_offset(g)) +
           index * ftc_board_set_words(g);
}

_Atomic uint64_t *ftc_board_pending_senders(const struct ftc_board *board, uint32_t rank)
{
    const struct ftc_board_geometry *g = &board->geometry;

    return (_Atomic uint64_t *)((char *)board->shared + pending_offset(g) +
                                rank * pending_bytes(g));
}

void *ftc_board_ring(const struct ftc_board *board, uint32_t to, uint32_t from)
{
    const struct ftc_board_geometry *g = &board->geometry;
    size_t index = (size_t)to * g->ranks + from;

    return (char *)board->shared + rings_offset(g) + index * ftc_board_ring_bytes(g);
}

void *ftc_board_sites(const struct ftc_board *board, uint32_t rank)
{
    const struct ftc_board_geometry *g = &board->geometry;

    return (char *)board->shared + sites_offset(g) + (size_t)rank * g->sites_bytes;
}

unsigned char *ftc_board_exposed(const struct ftc_board *board, uint32_t rank, uint32_t place)
{
    const struct ftc_board_geometry *g = &board->geometry;
    size_t index = (size_t)rank * FTC_BOARD_EXPOSED + place;

    return (unsigned char *)board->shared + exposed_offset(g) + index * g->exposed_bytes;
}

void *ftc_board_bulk(const struct ftc_board *board, uint32_t rank)
{
    const struct ftc_board_geometry *g = &board->geometry;

    return (char *)board->shared + bulk_offset(g) + (size_t)rank * g->bulk_bytes;
}

unsigned char *ftc_board_region(const struct ftc_board *board, uint32_t rank, uint32_t place)
{
    const struct ftc_board_geometry *g = &board->geometry;

    return ftc_board_window(board, groups(g) + place) + (size_t)rank * g->region_bytes;
}

void *ftc_board_trace(const struct ftc_board *board, uint32_t rank)
{
    const struct ftc_board_geometry *g = &board->geometry;

    return (char *)board->shared + traces_offset(g) + (size_t)rank * g->trace_bytes;
}
