#include "socket.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INHERITED_MAX = 256, HIGH_FD = 700, BACKLOG = 4096 };

union name {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_storage room;
};

/* ---- addresses ---- */

static struct ftc_address address_of(const union name *n)
{
    struct ftc_address a = {.family = n->any.sa_family};

    if (a.family == AF_INET)
        memcpy(a.bytes, &n->v4.sin_addr, sizeof n->v4.sin_addr);
    else if (a.family == AF_INET6)
        memcpy(a.bytes, &n->v6.sin6_addr, sizeof n->v6.sin6_addr);
    else
        a.family = 0;
    return a;
}

static socklen_t name_of(const struct ftc_address *a, uint16_t port, union name *n)
{
    memset(n, 0, sizeof *n);
    n->any.sa_family = (sa_family_t)a->family;
    if (a->family == AF_INET6) {
        n->v6.sin6_port = htons(port);
        memcpy(&n->v6.sin6_addr, a->bytes, sizeof n->v6.sin6_addr);
        return sizeof n->v6;
    }
    n->v4.sin_port = htons(port);
    memcpy(&n->v4.sin_addr, a->bytes, sizeof n->v4.sin_addr);
    return sizeof n->v4;
}

static bool is_loopback(const struct ftc_address *a)
{
    static const struct in6_addr loopback = IN6ADDR_LOOPBACK_INIT;

    return a->family == AF_INET6 ? memcmp(a->bytes, &loopback, sizeof loopback) == 0
                                 : a->bytes[0] == 127;
}

/* Returns whether other hosts can use the address. They cannot use a loopback address, or an IPv6
 * address of one link, which is incomplete without the link. */
static bool is_for_others(const struct ftc_address *a)
{
    return a->family != 0 && !is_loopback(a) &&
           !(a->family == AF_INET6 && a->bytes[0] == 0xfe && (a->bytes[1] & 0xc0) == 0x80);
}

/* ---- the connection to the launcher ---- */

static struct ftc_address own_side, other_side; /* ends of an inherited TCP connection */
static int launcher = -1;                       /* mpiexec's connection with the proxy; -1: none */

static bool is_connected(int fd, union name *own, union name *other)
{
    socklen_t own_size = sizeof *own, other_size = sizeof *other;

    *own = *other = (union name){.any = {.sa_family = AF_UNSPEC}};
    return getsockname(fd, &own->any, &own_size) == 0 &&
           (own->any.sa_family == AF_INET || own->any.sa_family == AF_INET6) &&
           getpeername(fd, &other->any, &other_size) == 0;
}

static bool is_pair(int fd)
{
    int domain = 0, type = 0;
    socklen_t size = sizeof domain;

    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX &&
           getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

/* Returns the socket pair with mpiexec, which replaces the connection if mpiexec is on this host;
 * -1: none. */
static int pair_with_mpiexec(void)
{
    const char *text = getenv("HYDI_CONTROL_FD");
    int fd = text ? atoi(text) : -1;

    return fd > STDERR_FILENO && is_pair(fd) ? fd : -1;
}

void ftc_socket_remember_launcher(void)
{
    union name own, other;

    launcher = pair_with_mpiexec();
    for (int fd = 0; fd < INHERITED_MAX && own_side.family == 0; fd++)
        if (is_connected(fd, &own, &other)) {
            own_side = address_of(&own);
            other_side = address_of(&other);
            launcher = launcher < 0 ? fd : launcher;
        }
}

bool ftc_socket_is_mpiexecs_host(void)
{
    return launcher >= 0 && is_pair(launcher);
}

struct ftc_address ftc_socket_mpiexec_address(void)
{
    bool is_known =
        !ftc_socket_is_mpiexecs_host() && is_for_others(&own_side) && is_for_others(&other_side);

    return is_known ? other_side : (struct ftc_address){0};
}

int ftc_socket_launcher(void)
{
    return launcher;
}

static struct ftc_end end_of(const union name *n)
{
    return (struct ftc_end){
        .address = address_of(n),
        .port = ntohs(n->any.sa_family == AF_INET6 ? n->v6.sin6_port : n->v4.sin_port),
    };
}

struct ftc_end ftc_socket_end_of_pair(int fd)
{
    struct ftc_end end = {.address = {.family = AF_UNIX}};
    struct stat st = {0};

    fstat(fd, &st);
    memcpy(end.address.bytes, &st.st_ino, sizeof st.st_ino);
    return end;
}

static void ends_of_pair(int fd, enum ftc_end_of side, struct ftc_end *own, struct ftc_end *other)
{
    struct ftc_end proxy = ftc_socket_end_of_pair(fd);
    static const struct ftc_end mpiexec = {.address = {.family = AF_INET, .bytes = {127, 0, 0, 1}}};

    *own = side == FTC_OF_PROXY ? proxy : mpiexec;
    *other = side == FTC_OF_PROXY ? mpiexec : proxy;
}

bool ftc_socket_ends(int fd, enum ftc_end_of side, struct ftc_end *own, struct ftc_end *other)
{
    union name own_name = {.any = {.sa_family = AF_UNSPEC}}, other_name = own_name;

    if (is_pair(fd)) {
        ends_of_pair(fd, side, own, other);
        return true;
    }
    if (!is_connected(fd, &own_name, &other_name))
        return false;
    *own = end_of(&own_name);
    *other = end_of(&other_name);
    return true;
}

/* ---- the address of this host ---- */

/* Families of addresses, preferred ones first. Launchers reach all hosts by IPv4. An additional
 * IPv6 address of a host may not be reachable from the others. */
static const uint32_t families[] = {AF_INET, AF_INET6};
enum { FAMILIES = sizeof families / sizeof families[0] };

/* Returns the address @name if it is of @family and other hosts can use it, else family 0. */
static struct ftc_address address_in(const struct sockaddr *name, uint32_t family)
{
    struct ftc_address a = {0};

    if (name)
        a = address_of((const union name *)(const void *)name);
    return a.family == family && is_for_others(&a) ? a : (struct ftc_address){0};
}

static struct ftc_address address_by_name(void)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    struct ftc_address found = {0};
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    if (getaddrinfo(host, NULL, &hints, &list) != 0)
        return found;
    for (int k = 0; k < FAMILIES; k++)
        for (struct addrinfo *i = list; i && found.family == 0; i = i->ai_next)
            found = address_in(i->ai_addr, families[k]);
    freeaddrinfo(list);
    return found;
}

static int count_addresses(const struct ifaddrs *list, uint32_t family, struct ftc_address *first)
{
    int count = 0;

    for (const struct ifaddrs *i = list; i; i = i->ifa_next) {
        struct ftc_address a = address_in(i->ifa_flags & IFF_UP ? i->ifa_addr : NULL, family);

        if (a.family != 0 && count++ == 0)
            *first = a;
    }
    return count;
}

/* Returns how many addresses for other hosts the interfaces that are up have, and the @first one.
 * Counts only the first family that has any. Returns -1 if the interfaces cannot be listed. */
static int addresses_of_interfaces(struct ftc_address *first)
{
    struct ifaddrs *list;
    int count = 0;

    if (getifaddrs(&list) != 0)
        return -1;
    for (int k = 0; k < FAMILIES && count == 0; k++)
        count = count_addresses(list, families[k], first);
    freeifaddrs(list);
    return count;
}

/* Looks the host's name up only if the interfaces leave a choice, because a name server may not
 * answer. On the launcher's own host, the connection to the launcher may have an address that other
 * hosts cannot use. */
struct ftc_address ftc_socket_own_address(void)
{
    struct ftc_address a = own_side, first = {0};
    int count;

    if (is_for_others(&a))
        return a;
    count = addresses_of_interfaces(&first);
    if (count < 0 || count > 1)
        a = address_by_name();
    if (!is_for_others(&a))
        a = first;
    return is_for_others(&a) ? a : own_side;
}

/* ---- sockets ---- */

int ftc_socket_move_up(int fd)
{
    int up = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);

    if (up < 0)
        return fd;
    close(fd);
    return up;
}

static int open_socket(const struct ftc_address *address)
{
    int fd = socket((int)address->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    return fd < 0 ? -errno : ftc_socket_move_up(fd);
}

static void hurry(int fd)
{
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
}

/* Allows or forbids that the socket shares its port. Sockets that share a port may have the same
 * address, as long as none of them listens. */
static void share_port(int fd, bool is_shared)
{
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){is_shared}, sizeof(int));
}

/* Opens a socket that is bound to @address and @port (0: any). Returns a descriptor or a negative
 * errno. */
static int bind_to(const struct ftc_address *address, uint16_t port, bool is_shared)
{
    union name name;
    socklen_t size = name_of(address, port, &name);
    int fd = address->family != 0 ? open_socket(address) : -EADDRNOTAVAIL, rv;

    if (fd < 0)
        return fd;
    share_port(fd, is_shared);
    if (bind(fd, &name.any, size) == 0)
        return fd;
    rv = -errno;
    close(fd);
    return rv;
}

static uint16_t port_of(int fd)
{
    union name name = {.any = {.sa_family = AF_UNSPEC}};
    socklen_t size = sizeof name;

    return getsockname(fd, &name.any, &size) == 0 ? end_of(&name).port : 0;
}

static int listen_on(int fd, uint16_t *port)
{
    int rv;

    if (fd < 0)
        return fd;
    *port = port_of(fd);
    if (listen(fd, BACKLOG) == 0)
        return fd;
    rv = -errno;
    close(fd);
    return rv;
}

/* Variables with a range of ports, in the order in which mpiexec searches them. MPICH reads the
 * first ones too. */
static const char *const range_variables[] = {
    "MPIR_CVAR_CH3_PORT_RANGE", "MPIR_PARAM_CH3_PORT_RANGE", "MPICH_CH3_PORT_RANGE",
    "MPIR_CVAR_PORTRANGE",      "MPIR_CVAR_PORT_RANGE",      "MPIR_PARAM_PORTRANGE",
    "MPIR_PARAM_PORT_RANGE",    "MPICH_PORTRANGE",           "MPICH_PORT_RANGE",
    "MPIEXEC_PORTRANGE",        "MPIEXEC_PORT_RANGE",
};
enum { RANGE_VARIABLES = sizeof range_variables / sizeof range_variables[0] };

static const char *range_text(void)
{
    const char *text = NULL;

    for (int i = 0; i < RANGE_VARIABLES && !text; i++)
        text = getenv(range_variables[i]);
    return text;
}

/* Finds the range of ports; 0 to 0 if any port may be used. */
static void find_range(uint16_t *low, uint16_t *high)
{
    const char *text = range_text();
    int end = 0;

    if (text && sscanf(text, "%hu:%hu%n", low, high, &end) == 2 && text[end] == '\0' &&
        *low <= *high)
        return;
    *low = *high = 0;
}

static int bind_in_range(const struct ftc_address *address)
{
    uint16_t low, high;
    int fd = -EADDRINUSE;

    find_range(&low, &high);
    for (uint32_t port = low; port <= high && fd == -EADDRINUSE; port++)
        fd = bind_to(address, (uint16_t)port, false);
    return fd;
}

int ftc_socket_listen(const struct ftc_address *address, uint16_t *port)
{
    return listen_on(bind_in_range(address), port);
}

int ftc_socket_reserve(uint16_t *port)
{
    static const struct ftc_address any = {.family = AF_INET};
    int fd = bind_in_range(&any);

    if (fd >= 0)
        *port = port_of(fd);
    return fd;
}

int ftc_socket_listen_reserved(int reserved, const struct ftc_address *address, uint16_t port)
{
    int fd;

    share_port(reserved, true);
    fd = listen_on(bind_to(address, port, true), &port);
    share_port(reserved, false);
    return fd;
}

int ftc_socket_accept(int listener)
{
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd < 0)
        return -1;
    fd = ftc_socket_move_up(fd);
    hurry(fd);
    return fd;
}

int ftc_socket_connect(const struct ftc_address *address, uint16_t port)
{
    union name name;
    socklen_t size = name_of(address, port, &name);
    int fd = open_socket(address), rv;

    if (fd < 0)
        return fd;
    hurry(fd);
    if (connect(fd, &name.any, size) == 0 || errno == EINPROGRESS)
        return fd;
    rv = -errno;
    close(fd);
    return rv;
}

void ftc_socket_watch(int fd, int ms)
{
    int s = ms >= 3000 ? ms / 3000 : 1;

    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &(int){1}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &s, sizeof s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &s, sizeof s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &(int){2}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms);
}

void ftc_socket_unwatch(int fd)
{
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &(int){0}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &(int){0}, sizeof(int));
}

int ftc_socket_unsent(int fd)
{
    int bytes = 0;

    return ioctl(fd, SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}
