/* unit_pages: pages of another size than this machine's, as the library sees them. Linked with
 * sysconf() wrapped (tests/tests.mk). */
#ifndef FTC_TESTS_UNIT_PAGES_H
#define FTC_TESTS_UNIT_PAGES_H

#include <unistd.h>

enum { UNIT_LARGE_PAGE = 65536 };

static long unit_page_bytes; /* 0: the machine's own size */

long __real_sysconf(int name);
long __wrap_sysconf(int name);

long __wrap_sysconf(int name)
{
    return name == _SC_PAGESIZE && unit_page_bytes > 0 ? unit_page_bytes : __real_sysconf(name);
}

#endif
