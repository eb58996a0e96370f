#include "copy.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { LINE = 64, FAR_BYTES_LEAST = 16384 };

static struct {
    uintptr_t base;
    size_t bytes;
} far[FTC_COPY_FAR_MAX];

void ftc_copy_set_far(int number, void *base, size_t bytes)
{
    far[number].base = (uintptr_t)base;
    far[number].bytes = bytes;
}

static bool is_far(const void *to)
{
    for (int i = 0; i < FTC_COPY_FAR_MAX; i++)
        if ((uintptr_t)to - far[i].base < far[i].bytes)
            return true;
    return false;
}

/* Writes whole cache lines past the caches. Returns their number of bytes. */
static size_t stream(unsigned char *to, const unsigned char *from, size_t bytes)
{
    size_t done = 0;

#ifdef __SSE2__
    for (; bytes - done >= LINE; done += LINE)
        for (int i = 0; i < LINE; i += (int)sizeof(__m128i))
            _mm_stream_si128((__m128i *)(to + done + i),
                             _mm_loadu_si128((const __m128i *)(from + done + i)));
    _mm_sfence();
#else
    (void)to;
    (void)from;
    (void)bytes;
#endif
    return done;
}

void ftc_copy(void *to, const void *from, size_t bytes)
{
    ftc_copy_some(to, from, bytes, bytes);
}

void ftc_copy_some(void *to, const void *from, size_t bytes, size_t all_bytes)
{
    unsigned char *t = to;
    const unsigned char *f = from;

    if (all_bytes >= FAR_BYTES_LEAST && bytes >= LINE && is_far(to)) {
        size_t head = -(uintptr_t)to % LINE, lines;

        memcpy(t, f, head);
        lines = stream(t + head, f + head, bytes - head);
        t += head + lines;
        f += head + lines;
        bytes -= head + lines;
    }
    memcpy(t, f, bytes);
}
