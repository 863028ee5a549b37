/* The header is C++ too, in more than one unit of a program. */
#include "../millrace_ring.h"

static_assert(64 == sizeof(millrace_descriptor), "a descriptor is a cache line");
static_assert(128 == offsetof(millrace_ring_header, attachments), "a word has its lines to itself");
static_assert(256 == offsetof(millrace_ring_header, native_sleeping), "a word has its lines to itself");
static_assert(384 == sizeof(millrace_ring_header), "a word has its lines to itself");

int main()
{
    millrace_ring ring;
    return MILLRACE_RING_BAD_MEMORY == millrace_ring_attach(&ring, nullptr, 0) ? 0 : 1;
}
