#include "fabric.h"

#if !__has_include(<ucp/api/ucp.h>)

struct ftc_fabric *ftc_fabric_open(enum ftc_fabric_kind kind, const char **why)
{
    (void)kind;
    *why = "the library was built without UCX's headers";
    return NULL;
}

/* Stubs. ftc_fabric_open() returns NULL, so callers pass NULL to them or do not call them. */

void ftc_fabric_close(struct ftc_fabric *f)
{
    (void)f;
}

const void *ftc_fabric_address(const struct ftc_fabric *f, size_t *bytes)
{
    (void)f;
    *bytes = 0;
    return NULL;
}

bool ftc_fabric_progress(struct ftc_fabric *f)
{
    return f != NULL;
}

struct ftc_stream *ftc_stream_open(struct ftc_fabric *f, const void *address)
{
    (void)f;
    (void)address;
    return NULL;
}

void ftc_stream_close(struct ftc_stream *s)
{
    (void)s;
}

ssize_t ftc_stream_send(struct ftc_stream *s, const void *bytes, size_t count)
{
    (void)s;
    (void)bytes;
    (void)count;
    return -1;
}

ssize_t ftc_stream_receive(struct ftc_stream *s, void *room, size_t count)
{
    (void)s;
    (void)room;
    (void)count;
    return -1;
}

bool ftc_stream_is_out(struct ftc_stream *s)
{
    return !s;
}

bool ftc_stream_is_broken(struct ftc_stream *s)
{
    return !s;
}

#else

#include "system/clock.h"
#include "system/loaded.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucp/api/ucp.h>

/* Version of the API that is requested: the oldest with all that is used. Newer libraries support
 * it too. */
enum { API_MAJOR = 1, API_MINOR = 11 };

enum {
    OUT_BYTES = 16384, /* most bytes that a stream has under way */
    TURNS = 4,         /* most calls of UCX's progress in a row, while it finds work */
    CLOSE_MS = 1000,
    NS_OF_MS = 1000000,
};

/* ---- the library ---- */

#define FUNCTIONS(USE)                                                                             \
    USE(ucp_config_read)                                                                           \
    USE(ucp_config_release)                                                                        \
    USE(ucp_init_version)                                                                          \
    USE(ucp_cleanup)                                                                               \
    USE(ucp_context_print_info)                                                                    \
    USE(ucp_worker_create)                                                                         \
    USE(ucp_worker_destroy)                                                                        \
    USE(ucp_worker_query)                                                                          \
    USE(ucp_worker_release_address)                                                                \
    USE(ucp_worker_progress)                                                                       \
    USE(ucp_ep_create)                                                                             \
    USE(ucp_ep_close_nbx)                                                                          \
    USE(ucp_stream_send_nbx)                                                                       \
    USE(ucp_stream_recv_data_nb)                                                                   \
    USE(ucp_stream_data_release)                                                                   \
    USE(ucp_request_check_status)                                                                  \
    USE(ucp_request_free)

/* Functions of libucp itself, because the library interposes on some of them for MPICH. */
static struct {
#define FIELD(name) __typeof__(&name) name;
    FUNCTIONS(FIELD)
#undef FIELD
} ucx;

static bool find(void *handle, const char *name, void *function)
{
    void *found = ftc_loaded_dlsym(handle, name);

    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* Loads libucp and finds its functions. If MPICH uses UCX, this is the libucp that it uses. */
static bool load(void)
{
    void *handle = dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL);
    bool has_all = handle != NULL;

#define FIND(name) has_all = has_all && find(handle, #name, &ucx.name);
    FUNCTIONS(FIND)
#undef FIND
    return has_all;
}

/* ---- this process ---- */

struct ftc_stream {
    struct ftc_fabric *fabric;
    struct ftc_stream *next; /* next stream of the fabric */
    ucp_ep_h ep;
    ucs_status_ptr_t closing; /* UCX's request for the close; NULL: none */
    ucs_status_ptr_t sending; /* UCX's request that sends out; NULL: out is sent */
    unsigned char *data;      /* received data in UCX's memory */
    size_t data_at, data_end; /* unread part of data */
    bool is_broken, is_closed;
    unsigned char out[OUT_BYTES];
};

struct ftc_fabric {
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_address_t *address;
    size_t address_bytes;
    struct ftc_stream *streams; /* all streams that were opened */
    bool has_broken;            /* a stream has broken since the last progress */
};

static ucs_status_t make_context(struct ftc_fabric *f)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_STREAM};
    ucp_config_t *config;
    ucs_status_t status = ucx.ucp_config_read(NULL, NULL, &config);

    if (status != UCS_OK)
        return status;
    status = ucx.ucp_init_version(API_MAJOR, API_MINOR, &params, config, &f->context);
    ucx.ucp_config_release(config);
    return status;
}

/* Makes the worker. Its address names only transports that reach other hosts. */
static ucs_status_t make_worker(struct ftc_fabric *f)
{
    const ucp_worker_params_t params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                        .thread_mode = UCS_THREAD_MODE_SERIALIZED};
    ucp_worker_attr_t attr = {.field_mask = UCP_WORKER_ATTR_FIELD_ADDRESS |
                                            UCP_WORKER_ATTR_FIELD_ADDRESS_FLAGS,
                              .address_flags = UCP_WORKER_ADDRESS_FLAG_NET_ONLY};
    ucs_status_t status = ucx.ucp_worker_create(f->context, &params, &f->worker);

    if (status != UCS_OK)
        return status;
    status = ucx.ucp_worker_query(f->worker, &attr);
    if (status == UCS_OK) {
        f->address = attr.address;
        f->address_bytes = attr.address_length;
    }
    return status;
}

/* Returns whether the system has an RDMA device. Asking UCX would take long. */
static bool may_be_better(void)
{
    DIR *directory = opendir("/sys/class/infiniband");
    const struct dirent *entry;
    bool has_any = false;

    if (!directory)
        return false;
    while (!has_any && (entry = readdir(directory)))
        has_any = entry->d_name[0] != '.';
    closedir(directory);
    return has_any;
}

/* Returns whether a line of @resources ends in "-- transport/device" with a transport that begins
 * with @prefix. */
static bool has_transport(const char *resources, const char *prefix)
{
    char text[32];

    snprintf(text, sizeof text, "-- %s", prefix);
    return strstr(resources, text) != NULL;
}

static bool is_better_than_tcp(const struct ftc_fabric *f)
{
    static const char *const better[] = {"rc_", "dc_", "ud_", "srd_", "gga_", "ugni_"};
    char *resources = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&resources, &bytes);
    bool is_better = false;

    if (!file)
        return false;
    ucx.ucp_context_print_info(f->context, file);
    if (fclose(file) == 0)
        for (size_t i = 0; i < sizeof better / sizeof better[0]; i++)
            is_better = is_better || has_transport(resources, better[i]);
    free(resources);
    return is_better;
}

static const char *reason_against(struct ftc_fabric *f, enum ftc_fabric_kind kind)
{
    if (make_context(f) != UCS_OK)
        return "UCX does not start";
    if (kind == FTC_FABRIC_BETTER_THAN_TCP && !is_better_than_tcp(f))
        return "UCX has nothing better than TCP";
    if (make_worker(f) != UCS_OK)
        return "UCX finds no network";
    if (f->address_bytes > FTC_FABRIC_ADDRESS_MAX)
        return "UCX has too long an address here";
    return NULL;
}

struct ftc_fabric *ftc_fabric_open(enum ftc_fabric_kind kind, const char **why)
{
    struct ftc_fabric *f;

    *why = "there is no RDMA device";
    if (kind == FTC_FABRIC_BETTER_THAN_TCP && !may_be_better())
        return NULL;
    *why = "libucp.so.0 is not there, or lacks a function";
    if (!load())
        return NULL;
    *why = "there is no memory";
    f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    *why = reason_against(f, kind);
    if (!*why)
        return f;
    ftc_fabric_close(f);
    return NULL;
}

const void *ftc_fabric_address(const struct ftc_fabric *f, size_t *bytes)
{
    *bytes = f->address_bytes;
    return f->address;
}

bool ftc_fabric_progress(struct ftc_fabric *f)
{
    bool has_happened = false;

    for (int i = 0; i < TURNS && ucx.ucp_worker_progress(f->worker) != 0; i++)
        has_happened = true;
    has_happened = has_happened || f->has_broken;
    f->has_broken = false;
    return has_happened;
}

/* ---- streams ---- */

static bool is_through(ucs_status_ptr_t *request, ucs_status_t *status)
{
    *status = *request ? ucx.ucp_request_check_status(*request) : UCS_OK;
    if (*status == UCS_INPROGRESS)
        return false;
    if (*request)
        ucx.ucp_request_free(*request);
    *request = NULL;
    return true;
}

static void break_stream(struct ftc_stream *s)
{
    s->is_broken = true;
    s->fabric->has_broken = true;
}

/* Marks a stream as broken. UCX calls this function while it makes progress. */
static void hear_of_error(void *stream, ucp_ep_h ep, ucs_status_t status)
{
    (void)ep;
    (void)status;
    break_stream(stream);
}

struct ftc_stream *ftc_stream_open(struct ftc_fabric *f, const void *address)
{
    struct ftc_stream *s = calloc(1, sizeof *s);
    ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                                            UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                            UCP_EP_PARAM_FIELD_ERR_HANDLER,
                              .address = address,
                              .err_mode = UCP_ERR_HANDLING_MODE_PEER,
                              .err_handler = {.cb = hear_of_error, .arg = s}};

    if (!s)
        return NULL;
    s->fabric = f;
    if (ucx.ucp_ep_create(f->worker, &params, &s->ep) != UCS_OK) {
        free(s);
        return NULL;
    }
    s->next = f->streams;
    f->streams = s;
    return s;
}

/* Leaves the stream's memory to the fabric, because UCX may still read the data that it sends. */
void ftc_stream_close(struct ftc_stream *s)
{
    const ucp_request_param_t by_force = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                          .flags = UCP_EP_CLOSE_FLAG_FORCE};

    if (!s || s->is_closed)
        return;
    if (s->data)
        ucx.ucp_stream_data_release(s->ep, s->data);
    s->data = NULL;
    s->is_closed = s->is_broken = true;
    s->closing = ucx.ucp_ep_close_nbx(s->ep, &by_force);
    if (UCS_PTR_IS_ERR(s->closing))
        s->closing = NULL;
}

bool ftc_stream_is_broken(struct ftc_stream *s)
{
    return s->is_broken;
}

bool ftc_stream_is_out(struct ftc_stream *s)
{
    ucs_status_t status;

    if (!is_through(&s->sending, &status))
        return false;
    if (status != UCS_OK)
        break_stream(s);
    return true;
}

static ssize_t fail(const struct ftc_stream *s)
{
    errno = s->is_broken ? ECONNRESET : EAGAIN;
    return -1;
}

ssize_t ftc_stream_send(struct ftc_stream *s, const void *bytes, size_t count)
{
    const ucp_request_param_t params = {.op_attr_mask = UCP_OP_ATTR_FIELD_MEMORY_TYPE,
                                        .memory_type = UCS_MEMORY_TYPE_HOST};

    if (!ftc_stream_is_out(s) || s->is_broken)
        return fail(s);
    if (count > sizeof s->out)
        count = sizeof s->out;
    memcpy(s->out, bytes, count);
    s->sending = ucx.ucp_stream_send_nbx(s->ep, s->out, count, &params);
    if (!UCS_PTR_IS_ERR(s->sending))
        return (ssize_t)count;
    s->sending = NULL;
    break_stream(s);
    return fail(s);
}

/* Returns whether there are data to be read. */
static bool has_data(struct ftc_stream *s)
{
    ucs_status_ptr_t data;

    if (s->data)
        return true;
    data = ucx.ucp_stream_recv_data_nb(s->ep, &s->data_end);
    if (UCS_PTR_IS_ERR(data))
        break_stream(s);
    else
        s->data = data;
    s->data_at = 0;
    return s->data != NULL;
}

static size_t read_some(struct ftc_stream *s, unsigned char *room, size_t count)
{
    size_t left = s->data_end - s->data_at;

    if (count > left)
        count = left;
    memcpy(room, s->data + s->data_at, count);
    s->data_at += count;
    if (s->data_at == s->data_end) {
        ucx.ucp_stream_data_release(s->ep, s->data);
        s->data = NULL;
    }
    return count;
}

ssize_t ftc_stream_receive(struct ftc_stream *s, void *room, size_t count)
{
    unsigned char *to = room;
    size_t bytes = 0;

    while (!s->is_closed && bytes < count && has_data(s))
        bytes += read_some(s, to + bytes, count - bytes);
    return bytes > 0 ? (ssize_t)bytes : fail(s);
}

/* ---- the end ---- */

static bool is_gone(struct ftc_stream *s)
{
    ucs_status_t status;
    bool is_out = is_through(&s->sending, &status);

    ftc_stream_close(s);
    return is_through(&s->closing, &status) && is_out;
}

static bool are_all_gone(const struct ftc_fabric *f)
{
    bool are_all = true;

    for (struct ftc_stream *s = f->streams; s; s = s->next)
        are_all &= is_gone(s);
    return are_all;
}

static void free_streams(struct ftc_fabric *f)
{
    struct ftc_stream *s;

    while ((s = f->streams)) {
        f->streams = s->next;
        free(s);
    }
}

static bool end_streams(struct ftc_fabric *f)
{
    uint64_t until_ns = ftc_clock_ns() + (uint64_t)CLOSE_MS * NS_OF_MS;

    while (!are_all_gone(f)) {
        if (ftc_clock_ns() >= until_ns)
            return false;
        if (ucx.ucp_worker_progress(f->worker) == 0)
            nanosleep(&(struct timespec){.tv_nsec = NS_OF_MS / 20}, NULL);
    }
    return true;
}

/* Leaks the fabric if UCX does not release its streams in time. */
void ftc_fabric_close(struct ftc_fabric *f)
{
    if (!f || !end_streams(f))
        return;
    if (f->address)
        ucx.ucp_worker_release_address(f->worker, f->address);
    if (f->worker)
        ucx.ucp_worker_destroy(f->worker);
    if (f->context)
        ucx.ucp_cleanup(f->context);
    free_streams(f);
    free(f);
}

#endif
