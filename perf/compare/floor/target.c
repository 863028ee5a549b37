/*
 * The floor for a target: just enough NVMe/TCP over a volume in memory that SPDK's hosts can read and write it, with
 * the system calls per I/O that Millrace makes, and nothing else: no checks, no counters, no locks, no digests, one
 * thread. Whatever a real target takes longer than this is its own work.
 *
 *   target PORT MIB     serves namespace 1, MIB MiB in blocks of 4096 bytes, on 127.0.0.1, until it is killed
 *
 * All commands of one recv are answered by one sendmsg, whose parts point into the volume. Data of small writes comes
 * in the capsule and is copied once; data of larger ones is asked for by one R2T and received into the volume.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum
{
    IC_REQ = 0, IC_RESP = 1, CAPSULE = 4, RESPONSE = 5, H2C_DATA = 6, C2H_DATA = 7, R2T = 9,
    COMMON_BYTES = 8, IC_BYTES = 128, CAPSULE_BYTES = 72, HEADER_BYTES = 24,
    LAST_DATA = 4, LAST_DATA_AND_SUCCESS = 0x0c,
    FLUSH = 0, WRITE = 1, READ = 2,
    GET_LOG_PAGE = 2, IDENTIFY = 6, SET_FEATURES = 9, GET_FEATURES = 10, ASYNC_EVENT = 12, FABRICS = 0x7f,
    CONNECT = 1, PROPERTY_SET = 0, PROPERTY_GET = 4, NUMBER_OF_QUEUES = 7,
    CAP = 0, VS = 8, CC = 0x14, CSTS = 0x1c,
    INVALID_FIELD = 2 << 1,
    BLOCK_SHIFT = 12, IN_CAPSULE_BYTES = 8192, TRANSFER_BYTES = 128 << 10, TRANSFER_SHIFT = 5, QUEUE_ENTRIES = 1024,
    RECEIVE_BYTES = 512 << 10, KEPT_BYTES = CAPSULE_BYTES + IN_CAPSULE_BYTES,
    VECTORS = 4 * QUEUE_ENTRIES, SEND_VECTORS = 1024, CONNECTIONS = 64, IDLE_POLLS = 64
};

struct connection
{
    int fd, is_io;
    /* Received bytes of an incomplete PDU, which lie in front of the receiving area. */
    int kept;
    /* Where the rest of the data of the present H2CData goes, and which write it completes. */
    uint8_t *payload;
    uint32_t payload_left;
    uint16_t payload_id;
    int payload_ends;
    /* Where the data of each asked-for write goes, by command identifier. */
    uint8_t *asked[1 << 16];
    int asked_count;
    /* What has not left: vectors [sent, queued) of a ring; headers by place of the vector. */
    uint32_t sent, queued;
    struct iovec vectors[VECTORS];
    uint8_t headers[VECTORS][IC_BYTES];
    uint8_t buffer[KEPT_BYTES + RECEIVE_BYTES] __attribute__((aligned(4096)));
};

static uint8_t *volume;
static uint64_t volume_bytes;
static uint32_t configuration;
static struct connection *polled[CONNECTIONS];
static int polled_count;
static int epoll_fd;
static uint8_t identify[4096];

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void put16(uint8_t *at, uint16_t value)
{
    memcpy(at, &value, sizeof(value));
}

static void put32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof(value));
}

static void put64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof(value));
}

static uint16_t get16(const uint8_t *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static uint32_t get32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static uint64_t get64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

/* A header that is sent next, zero but for its common part. */
static uint8_t *header(struct connection *c, int type, int flags, int bytes, int data_offset, uint32_t length)
{
    if (c->sent == c->queued)
    {
        c->sent = c->queued = 0;
    }
    uint8_t *at = c->headers[c->queued % VECTORS];
    memset(at, 0, bytes);
    at[0] = type;
    at[1] = flags;
    at[2] = type == C2H_DATA ? HEADER_BYTES : bytes;
    at[3] = data_offset;
    put32(at + 4, length);
    c->vectors[c->queued++ % VECTORS] = (struct iovec){at, bytes};
    return at;
}

static void respond(struct connection *c, uint16_t id, uint64_t result, uint16_t status)
{
    uint8_t *at = header(c, RESPONSE, 0, HEADER_BYTES, 0, HEADER_BYTES);
    put64(at + 8, result);
    put16(at + 20, id);
    put16(at + 22, status);
}

static void send_data(struct connection *c, uint16_t id, void *data, uint32_t length)
{
    uint8_t *at = header(c, C2H_DATA, LAST_DATA_AND_SUCCESS, HEADER_BYTES, HEADER_BYTES, HEADER_BYTES + length);
    put16(at + 8, id);
    put32(at + 16, length);
    c->vectors[c->queued++ % VECTORS] = (struct iovec){data, length};
}

static void ask(struct connection *c, uint16_t id, uint32_t length)
{
    uint8_t *at = header(c, R2T, 0, HEADER_BYTES, 0, HEADER_BYTES);
    put16(at + 8, id);
    put16(at + 10, id);
    put32(at + 16, length);
}

static void fill_identify(uint32_t nsid, int structure)
{
    uint8_t *d = identify;
    memset(d, 0, sizeof(identify));
    if (structure == 1)
    {
        memset(d + 4, ' ', 60);
        memcpy(d + 4, "FLOOR", 5);
        memcpy(d + 24, "floor", 5);
        memcpy(d + 64, "1       ", 8);
        d[77] = TRANSFER_SHIFT;
        put16(d + 78, 1);
        put32(d + 80, 0x00010400);
        d[111] = 1;
        put16(d + 320, 10);
        d[512] = 0x66;
        d[513] = 0x44;
        put16(d + 514, QUEUE_ENTRIES - 1);
        put32(d + 516, 1);
        put32(d + 536, 0x100001);
        put32(d + 1792, 4 + IN_CAPSULE_BYTES / 16);
        put32(d + 1796, 1);
        d[1803] = 1;
    }
    else if (structure == 0 && nsid == 1)
    {
        put64(d, volume_bytes >> BLOCK_SHIFT);
        put64(d + 8, volume_bytes >> BLOCK_SHIFT);
        put64(d + 16, volume_bytes >> BLOCK_SHIFT);
        d[130] = BLOCK_SHIFT;
    }
    else if (structure == 2 && nsid == 0)
    {
        put32(d, 1);
    }
    else if (structure == 3)
    {
        d[0] = 3;
        d[1] = 16;
        d[4] = 0xf1;
    }
}

static void on_fabrics(struct connection *c, const uint8_t *entry, uint16_t id)
{
    uint32_t property = get32(entry + 44);
    switch (entry[4])
    {
        case CONNECT:
            if (get16(entry + 42) != 0)
            {
                c->is_io = 1;
                polled[polled_count++] = c;
                epoll_ctl(epoll_fd, EPOLL_CTL_DEL, c->fd, NULL);
            }
            else
            {
                configuration = 0;
            }
            respond(c, id, 1, 0);
            break;
        case PROPERTY_SET:
            if (property == CC)
            {
                configuration = get32(entry + 48);
            }
            respond(c, id, 0, 0);
            break;
        default:
            respond(c, id, property == CAP ? (uint64_t)1 << 37 | 20 << 24 | 1 << 16 | (QUEUE_ENTRIES - 1) :
                property == VS ? 0x00010400 : property == CC ? configuration :
                property == CSTS ? (configuration & 1) | (configuration & 0xc000 ? 8 : 0) : 0, 0);
            break;
    }
}

static void on_admin(struct connection *c, const uint8_t *entry, uint16_t id)
{
    switch (entry[0])
    {
        case FABRICS:
            on_fabrics(c, entry, id);
            break;
        case IDENTIFY:
            fill_identify(get32(entry + 4), entry[40]);
            send_data(c, id, identify, sizeof(identify));
            break;
        case GET_LOG_PAGE:
            memset(identify, 0, sizeof(identify));
            send_data(c, id, identify, get32(entry + 32));
            break;
        case SET_FEATURES:
            respond(c, id, entry[40] == NUMBER_OF_QUEUES ? 0x000f000f : 0, 0);
            break;
        case GET_FEATURES:
            respond(c, id, 0, entry[40] == 0x0f ? 0 : INVALID_FIELD);
            break;
        case ASYNC_EVENT:
            break;
        default:
            respond(c, id, 0, 0);
            break;
    }
}

/* A command with so much data in its capsule. */
static void on_command(struct connection *c, const uint8_t *pdu, uint32_t data_bytes)
{
    const uint8_t *entry = pdu + COMMON_BYTES;
    uint16_t id = get16(entry + 2);
    if (!c->is_io || entry[0] == FABRICS)
    {
        on_admin(c, entry, id);
        return;
    }
    uint8_t *data = volume + (get64(entry + 40) << BLOCK_SHIFT);
    uint32_t length = (get16(entry + 48) + 1) << BLOCK_SHIFT;
    if (entry[0] == READ)
    {
        send_data(c, id, data, length);
    }
    else if (entry[0] == WRITE && data_bytes == 0)
    {
        c->asked[id] = data;
        c->asked_count++;
        ask(c, id, length);
    }
    else
    {
        if (entry[0] == WRITE)
        {
            memcpy(data, pdu + CAPSULE_BYTES, length);
        }
        respond(c, id, 0, 0);
    }
}

/* All data of an asked-for write is in the volume. */
static void on_data(struct connection *c, uint16_t id)
{
    c->asked_count--;
    respond(c, id, 0, 0);
}

/* Processes what was received; answers where the first incomplete PDU begins. */
static uint8_t *parse(struct connection *c, uint8_t *at, uint8_t *limit)
{
    while (limit - at >= COMMON_BYTES)
    {
        uint32_t length = get32(at + 4), here = limit - at;
        if (at[0] == CAPSULE)
        {
            if (here < length)
            {
                return at;
            }
            on_command(c, at, length - CAPSULE_BYTES);
        }
        else if (at[0] == H2C_DATA)
        {
            if (here < HEADER_BYTES)
            {
                return at;
            }
            uint16_t id = get16(at + 8);
            uint32_t bytes = length - HEADER_BYTES, come = here - HEADER_BYTES < bytes ? here - HEADER_BYTES : bytes;
            uint8_t *to = c->asked[id] + get32(at + 12);
            memcpy(to, at + HEADER_BYTES, come);
            if (come < bytes)
            {
                c->payload = to + come;
                c->payload_left = bytes - come;
                c->payload_id = id;
                c->payload_ends = at[1] & LAST_DATA;
                return limit;
            }
            if (at[1] & LAST_DATA)
            {
                on_data(c, id);
            }
        }
        else
        {
            if (here < IC_BYTES)
            {
                return at;
            }
            put32(header(c, IC_RESP, 0, IC_BYTES, 0, IC_BYTES) + 12, TRANSFER_BYTES);
        }
        at += length;
    }
    return at;
}

/* Sends what the socket takes; the rest stays queued. */
static void flush(struct connection *c)
{
    while (c->sent < c->queued)
    {
        uint32_t first = c->sent % VECTORS, count = c->queued - c->sent;
        count = count < SEND_VECTORS ? count : SEND_VECTORS;
        count = count < VECTORS - first ? count : VECTORS - first;
        struct msghdr message = {.msg_iov = c->vectors + first, .msg_iovlen = count};
        ssize_t left = sendmsg(c->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (left < 0)
        {
            return;
        }
        for (; count > 0 && (size_t)left >= c->vectors[c->sent % VECTORS].iov_len; count--)
        {
            left -= c->vectors[c->sent++ % VECTORS].iov_len;
        }
        if (count > 0)
        {
            struct iovec *part = &c->vectors[c->sent % VECTORS];
            part->iov_base = (uint8_t *)part->iov_base + left;
            part->iov_len -= left;
            return;
        }
    }
}

static void leave(struct connection *c)
{
    for (int i = 0; i < polled_count; i++)
    {
        if (polled[i] == c)
        {
            polled[i] = polled[--polled_count];
        }
    }
    close(c->fd);
    munmap(c, sizeof(*c));
}

/*
 * How much to receive beside payload: all there is, but the next header at most while large payload is expected, which
 * would be copied then, and whose rest would go to an address that is not aligned.
 */
static uint32_t room(const struct connection *c)
{
    const uint8_t *kept = c->buffer + KEPT_BYTES - c->kept;
    if (c->asked_count == 0)
    {
        return RECEIVE_BYTES;
    }
    return HEADER_BYTES + (c->kept >= COMMON_BYTES && kept[0] == CAPSULE ? get32(kept + 4) - c->kept : 0);
}

/* Receives once, processes that and answers; 0 when there was nothing. */
static int receive(struct connection *c)
{
    uint8_t *area = c->buffer + KEPT_BYTES;
    ssize_t got;
    if (c->payload_left)
    {
        struct iovec parts[2] = {{c->payload, c->payload_left}, {area, room(c)}};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
        got = recvmsg(c->fd, &message, MSG_DONTWAIT);
    }
    else
    {
        got = recv(c->fd, area, room(c), MSG_DONTWAIT);
    }
    if (got <= 0)
    {
        if (got == 0 || (errno != EAGAIN && errno != EINTR))
        {
            leave(c);
            return 0;
        }
        if (c->sent < c->queued)
        {
            flush(c);
        }
        return 0;
    }
    uint8_t *start = area - c->kept, *limit = area + got;
    if (c->payload_left)
    {
        uint32_t come = got < c->payload_left ? got : c->payload_left;
        c->payload += come;
        c->payload_left -= come;
        if (c->payload_left)
        {
            return 1;
        }
        if (c->payload_ends)
        {
            on_data(c, c->payload_id);
        }
        start = area;
        limit -= come;
    }
    start = parse(c, start, limit);
    c->kept = limit - start;
    memmove(area - c->kept, start, c->kept);
    flush(c);
    return 1;
}

static void admit(int listener)
{
    int on = 1, fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    struct connection *c =
        mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fd < 0 || c == MAP_FAILED)
    {
        fail("accept");
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    c->fd = fd;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

/* Hugepages of the pool where there are enough, else transparent ones, as Millrace does. */
static uint8_t *map_volume(uint64_t bytes)
{
    uint64_t huge = 2 << 20, flags = MAP_PRIVATE | MAP_ANONYMOUS;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_HUGETLB, -1, 0);
    if (at != MAP_FAILED)
    {
        return at;
    }
    at = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (at == MAP_FAILED)
    {
        fail("volume");
    }
    at = (void *)(((uintptr_t)at + huge - 1) & -huge);
    madvise(at, bytes, MADV_HUGEPAGE);
    return at;
}

int main(int count, char **words)
{
    if (count != 3 || atoi(words[1]) <= 0 || atoi(words[2]) <= 0)
    {
        fprintf(stderr, "usage: target PORT MIB\n");
        return 2;
    }
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(words[1]))};
    int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    volume_bytes = (uint64_t)atoi(words[2]) << 20;
    volume = map_volume(volume_bytes);
    if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 64))
    {
        fail("listen");
    }
    epoll_fd = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listener, &event);
    for (int idle = 0;; idle++)
    {
        for (int i = 0; i < polled_count; i++)
        {
            if (receive(polled[i]))
            {
                idle = 0;
            }
        }
        if (idle >= IDLE_POLLS || polled_count == 0)
        {
            idle = 0;
            if (epoll_wait(epoll_fd, &event, 1, polled_count == 0 ? -1 : 0) == 1)
            {
                if (event.data.ptr)
                {
                    receive(event.data.ptr);
                }
                else
                {
                    admit(listener);
                }
            }
        }
    }
}
