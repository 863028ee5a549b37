/*
 * A ring as Java makes it, for programs without Java: memory, event descriptors and a flag that stands for the
 * reactor's.
 */
#ifndef MILLRACE_RING_TEST_MEMORY_H
#define MILLRACE_RING_TEST_MEMORY_H

#include "../millrace_ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#define CHECK(condition) \
    do \
    { \
        if (!(condition)) \
        { \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            abort(); \
        } \
    } \
    while (0)

typedef struct ring_memory
{
    /* Exactly as long as the ring, so that a sanitizer sees what goes beyond. */
    void *address;
    uint64_t bytes;
    /* The reactor's flag, with a line to itself. */
    int32_t *java_sleeping;
} ring_memory;

static inline void ring_memory_make(ring_memory *memory, const uint64_t places, const uint32_t producers)
{
    const uint64_t queue = places * MILLRACE_RING_RECORD_BYTES + MILLRACE_RING_TRAILER_BYTES;
    memory->bytes = sizeof(millrace_ring_header) + 2 * queue;
    memory->address = aligned_alloc(MILLRACE_RING_LINE_BYTES, memory->bytes);
    memory->java_sleeping = (int32_t *)aligned_alloc(MILLRACE_RING_LINE_BYTES, MILLRACE_RING_LINE_BYTES);
    CHECK(NULL != memory->address && NULL != memory->java_sleeping);
    memset(memory->address, 0, memory->bytes);
    *memory->java_sleeping = 0;
    millrace_ring_header *const header = (millrace_ring_header *)memory->address;
    header->magic = MILLRACE_RING_MAGIC;
    header->version = MILLRACE_RING_VERSION;
    header->header_bytes = sizeof(millrace_ring_header);
    header->record_bytes = MILLRACE_RING_RECORD_BYTES;
    header->trailer_bytes = MILLRACE_RING_TRAILER_BYTES;
    header->total_bytes = memory->bytes;
    header->to_native_offset = sizeof(millrace_ring_header);
    header->to_native_capacity = places * MILLRACE_RING_RECORD_BYTES;
    header->to_java_offset = header->to_native_offset + queue;
    header->to_java_capacity = header->to_native_capacity;
    header->java_sleeping = (uint64_t)(uintptr_t)memory->java_sleeping;
    header->java_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    header->native_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    header->to_java_producers = producers;
    CHECK(header->java_event >= 0 && header->native_event >= 0);
}

static inline void ring_memory_free(ring_memory *memory)
{
    millrace_ring_header *const header = (millrace_ring_header *)memory->address;
    close(header->java_event);
    close(header->native_event);
    free(memory->address);
    free(memory->java_sleeping);
}

/* What Java does to have native code let go. */
static inline void ring_memory_request_detach(const millrace_ring *native)
{
    __atomic_fetch_or(&native->header->attachments, MILLRACE_RING_CLOSED, __ATOMIC_SEQ_CST);
    CHECK(millrace_queue_wake(&native->to_native) >= 0);
}

/* Java's end of a ring that is attached: it reads to_java and writes to_native. */
static inline millrace_ring java_end(const millrace_ring *native)
{
    millrace_ring java;
    java.header = native->header;
    java.to_native = native->to_java;
    java.to_java = native->to_native;
    return java;
}

#endif
