/* Prints places and sizes of millrace_ring.h for the layout test of the data plane: a name and a number a line. */
#include "../millrace_ring.h"

#include <stdio.h>

#define CONSTANT(name) printf(#name " %lld\n", (long long)(name))
#define TYPE(type) printf(#type " %zu\n", sizeof(type))
#define FIELD(type, field) printf(#type "." #field " %zu\n", offsetof(type, field))

int main(void)
{
    CONSTANT(MILLRACE_RING_MAGIC);
    CONSTANT(MILLRACE_RING_VERSION);
    CONSTANT(MILLRACE_RING_RECORD_BYTES);
    CONSTANT(MILLRACE_RING_LINE_BYTES);
    CONSTANT(MILLRACE_RING_TAIL_OFFSET);
    CONSTANT(MILLRACE_RING_HEAD_CACHE_OFFSET);
    CONSTANT(MILLRACE_RING_HEAD_OFFSET);
    CONSTANT(MILLRACE_RING_TRAILER_BYTES);
    CONSTANT(MILLRACE_RING_PLACES_MIN);
    CONSTANT(MILLRACE_RING_PLACES_MAX);
    CONSTANT(MILLRACE_RING_PADDING);
    CONSTANT(MILLRACE_RING_ONE_PRODUCER);
    CONSTANT(MILLRACE_RING_MANY_PRODUCERS);
    CONSTANT(MILLRACE_RING_CLOSED);
    TYPE(millrace_descriptor);
    FIELD(millrace_descriptor, record_bytes);
    FIELD(millrace_descriptor, type);
    FIELD(millrace_descriptor, address);
    FIELD(millrace_descriptor, length);
    FIELD(millrace_descriptor, slot);
    FIELD(millrace_descriptor, word0);
    FIELD(millrace_descriptor, word1);
    TYPE(millrace_ring_header);
    FIELD(millrace_ring_header, magic);
    FIELD(millrace_ring_header, version);
    FIELD(millrace_ring_header, header_bytes);
    FIELD(millrace_ring_header, record_bytes);
    FIELD(millrace_ring_header, trailer_bytes);
    FIELD(millrace_ring_header, total_bytes);
    FIELD(millrace_ring_header, to_native_offset);
    FIELD(millrace_ring_header, to_native_capacity);
    FIELD(millrace_ring_header, to_java_offset);
    FIELD(millrace_ring_header, to_java_capacity);
    FIELD(millrace_ring_header, java_sleeping);
    FIELD(millrace_ring_header, java_event);
    FIELD(millrace_ring_header, native_event);
    FIELD(millrace_ring_header, to_java_producers);
    FIELD(millrace_ring_header, attachments);
    FIELD(millrace_ring_header, native_sleeping);
    return 0;
}
