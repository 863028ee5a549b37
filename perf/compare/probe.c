/*
 * A host of NVMe/TCP with one command outstanding, idle hosts, and the simplest server there can be, for what the idle
 * comparison measures: a client that adds nothing of its own.
 *
 *   probe client PORT NQN RATE SECONDS   reads 4 KiB of namespace 1 at a fixed rate; prints "count p50 p90 p99 max", in us
 *   probe hold PORT NQN CONNECTIONS      holds so many connections, half of them admin queues that keep alive, until killed
 *   probe server PORT                    sleeps in epoll_wait, reads a command, answers with 4 KiB of anything
 *
 * The client sleeps between commands and spins while it waits for an answer: what is late is the target.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum
{
    IC_REQ = 0, IC_RESP = 1, CAPSULE = 4, RESPONSE = 5, C2H_DATA = 7,
    IC_BYTES = 128, CAPSULE_BYTES = 72, RESPONSE_BYTES = 24, DATA_HEADER_BYTES = 24, CONNECT_DATA_BYTES = 1024,
    READ = 2, KEEP_ALIVE = 0x18, FABRICS = 0x7f,
    CONNECT = 1, PROPERTY_SET = 0, PROPERTY_GET = 4,
    CC = 0x14, CSTS = 0x1c, CC_ENABLED = 0x460001,
    BLOCK_BYTES = 4096, BLOCKS = 256, KATO_MS = 5000, LAST_DATA_AND_SUCCESS = 0x0c, SUCCESS = 0x08
};

static void fail(const char *what)
{
    fprintf(stderr, "probe: %s: %s\n", what, errno ? strerror(errno) : "not what was expected");
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

static uint32_t get32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void receive(int fd, void *to, size_t length, int flags)
{
    for (size_t done = 0; done < length;)
    {
        ssize_t got = recv(fd, (char *)to + done, length - done, flags);
        if (got > 0)
        {
            done += got;
        }
        else if (got == 0 || errno != EAGAIN)
        {
            fail("recv");
        }
    }
}

static void send_all(int fd, const void *from, size_t length)
{
    if (send(fd, from, length, MSG_NOSIGNAL) != (ssize_t)length)
    {
        fail("send");
    }
}

static void no_delay(int fd)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static struct sockaddr_in local(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static int open_connection(int port)
{
    uint8_t pdu[IC_BYTES] = {IC_REQ, 0, IC_BYTES};
    struct sockaddr_in address = local(port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
    {
        fail("connect");
    }
    no_delay(fd);
    put32(pdu + 4, IC_BYTES);
    send_all(fd, pdu, IC_BYTES);
    receive(fd, pdu, IC_BYTES, 0);
    if (pdu[0] != IC_RESP)
    {
        fail("ICResp");
    }
    return fd;
}

/* Sends a command with data in its capsule; answers the first 32 bits of the completion. */
static uint32_t command(int fd, const uint8_t *entry, const uint8_t *data, uint32_t data_bytes)
{
    uint8_t pdu[CAPSULE_BYTES + CONNECT_DATA_BYTES] = {CAPSULE, 0, CAPSULE_BYTES, data_bytes ? CAPSULE_BYTES : 0};
    put32(pdu + 4, CAPSULE_BYTES + data_bytes);
    memcpy(pdu + 8, entry, 64);
    if (data_bytes)
    {
        memcpy(pdu + CAPSULE_BYTES, data, data_bytes);
    }
    send_all(fd, pdu, CAPSULE_BYTES + data_bytes);
    receive(fd, pdu, RESPONSE_BYTES, 0);
    errno = 0;
    if (pdu[0] != RESPONSE || (pdu[22] & 0xfe) || pdu[23])
    {
        fail("command failed");
    }
    return get32(pdu + 8);
}

static uint32_t fabrics_connect(int fd, int queue, int controller, const char *nqn)
{
    static int host;
    uint8_t entry[64] = {FABRICS, 0x40}, data[CONNECT_DATA_BYTES] = {0};
    entry[4] = CONNECT;
    put32(entry + 32, CONNECT_DATA_BYTES);
    entry[39] = 1;
    put16(entry + 42, queue);
    put16(entry + 44, 31);
    put32(entry + 48, queue ? 0 : KATO_MS);
    host += queue == 0;
    put32(data, host);
    data[15] = 7;
    put16(data + 16, controller);
    strncpy((char *)data + 256, nqn, 223);
    snprintf((char *)data + 512, 224, "nqn.2014-08.org.nvmexpress:uuid:%02x%02x%02x%02x-0000-0000-0000-000000000007",
        data[0], data[1], data[2], data[3]);
    return command(fd, entry, data, CONNECT_DATA_BYTES);
}

/* Opens an admin queue and an I/O queue. */
static void open_host(int port, const char *nqn, int *admin, int *io)
{
    uint8_t set[64] = {FABRICS, 0x40}, get[64] = {FABRICS, 0x40};
    *admin = open_connection(port);
    uint32_t controller = fabrics_connect(*admin, 0, 0xffff, nqn) & 0xffff;
    set[4] = PROPERTY_SET;
    put32(set + 44, CC);
    put32(set + 48, CC_ENABLED);
    command(*admin, set, NULL, 0);
    get[4] = PROPERTY_GET;
    put32(get + 44, CSTS);
    while (!(command(*admin, get, NULL, 0) & 1))
    {
        usleep(1000);
    }
    *io = open_connection(port);
    fabrics_connect(*io, 1, controller, nqn);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void client(int port, const char *nqn, long rate, long seconds)
{
    static uint8_t block[BLOCK_BYTES];
    int admin, io;
    long count = rate * seconds;
    uint64_t *latency = malloc(count * sizeof(*latency));
    uint64_t due;
    uint8_t pdu[CAPSULE_BYTES] = {CAPSULE, 0, CAPSULE_BYTES};
    put32(pdu + 4, CAPSULE_BYTES);
    open_host(port, nqn, &admin, &io);
    prctl(PR_SET_TIMERSLACK, 1);
    due = now_ns() + 1000000000ull / rate;
    for (long i = 0; i < count; i++, due += 1000000000ull / rate)
    {
        struct timespec at = {due / 1000000000, due % 1000000000};
        uint8_t *entry = pdu + 8, header[DATA_HEADER_BYTES];
        uint64_t begun;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
        begun = now_ns();
        entry[0] = READ;
        entry[1] = 0x40;
        put16(entry + 2, i & 15);
        put32(entry + 4, 1);
        put32(entry + 32, BLOCK_BYTES);
        entry[39] = 0x5a;
        put32(entry + 40, rand() % BLOCKS);
        send_all(io, pdu, CAPSULE_BYTES);
        receive(io, header, DATA_HEADER_BYTES, MSG_DONTWAIT);
        errno = 0;
        if (header[0] != C2H_DATA || get32(header + 4) != DATA_HEADER_BYTES + BLOCK_BYTES)
        {
            fail("C2HData");
        }
        receive(io, block, BLOCK_BYTES, MSG_DONTWAIT);
        if (!(header[1] & SUCCESS))
        {
            receive(io, header, RESPONSE_BYTES, MSG_DONTWAIT);
        }
        latency[i] = now_ns() - begun;
        if (i % rate == rate - 1)
        {
            uint8_t alive[64] = {KEEP_ALIVE, 0x40};
            command(admin, alive, NULL, 0);
        }
    }
    qsort(latency, count, sizeof(*latency), by_value);
    printf("%ld %.1f %.1f %.1f %.1f\n", count, latency[count / 2] / 1e3, latency[count * 9 / 10] / 1e3,
        latency[count * 99 / 100] / 1e3, latency[count - 1] / 1e3);
}

static void hold(int port, const char *nqn, int connections)
{
    int hosts = connections / 2, *admin = calloc(hosts + 1, sizeof(int)), *io = calloc(hosts + 1, sizeof(int));
    for (int i = 0; i < hosts; i++)
    {
        open_host(port, nqn, &admin[i], &io[i]);
    }
    puts("held");
    fflush(stdout);
    for (;;)
    {
        for (int i = 0; i < hosts; i++)
        {
            uint8_t alive[64] = {KEEP_ALIVE, 0x40};
            usleep(1000 * KATO_MS / 2 / hosts);
            command(admin[i], alive, NULL, 0);
        }
        if (hosts == 0)
        {
            pause();
        }
    }
}

static void *serve(void *argument)
{
    int fd = (int)(intptr_t)argument, set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    uint8_t pdu[CAPSULE_BYTES + CONNECT_DATA_BYTES], answer[DATA_HEADER_BYTES + BLOCK_BYTES];
    no_delay(fd);
    epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
    for (;;)
    {
        epoll_wait(set, &event, 1, -1);
        if (recv(fd, pdu, 8, MSG_WAITALL) != 8 || get32(pdu + 4) > sizeof(pdu) ||
            recv(fd, pdu + 8, get32(pdu + 4) - 8, MSG_WAITALL) <= 0)
        {
            close(set);
            close(fd);
            return NULL;
        }
        memset(answer, 0, sizeof(answer));
        if (pdu[0] == IC_REQ)
        {
            answer[0] = IC_RESP;
            answer[2] = IC_BYTES;
            put32(answer + 4, IC_BYTES);
        }
        else if (pdu[8] == READ)
        {
            answer[0] = C2H_DATA;
            answer[1] = LAST_DATA_AND_SUCCESS;
            answer[2] = answer[3] = DATA_HEADER_BYTES;
            put32(answer + 4, sizeof(answer));
            memcpy(answer + 8, pdu + 10, 2);
            put32(answer + 16, BLOCK_BYTES);
        }
        else
        {
            /* Controller 1, ready. */
            answer[0] = RESPONSE;
            answer[2] = RESPONSE_BYTES;
            put32(answer + 4, RESPONSE_BYTES);
            answer[8] = 1;
            memcpy(answer + 20, pdu + 10, 2);
        }
        send_all(fd, answer, get32(answer + 4));
    }
}

static void server(int port)
{
    struct sockaddr_in address = local(port);
    int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 64))
    {
        fail("listen");
    }
    for (;;)
    {
        pthread_t thread;
        int accepted = accept(fd, NULL, NULL);
        if (accepted < 0 || pthread_create(&thread, NULL, serve, (void *)(intptr_t)accepted))
        {
            fail("accept");
        }
        pthread_detach(thread);
    }
}

int main(int count, char **words)
{
    if (count == 6 && !strcmp(words[1], "client") && atol(words[4]) > 0 && atol(words[5]) > 0)
    {
        client(atoi(words[2]), words[3], atol(words[4]), atol(words[5]));
    }
    else if (count == 5 && !strcmp(words[1], "hold"))
    {
        hold(atoi(words[2]), words[3], atoi(words[4]));
    }
    else if (count == 3 && !strcmp(words[1], "server"))
    {
        server(atoi(words[2]));
    }
    else
    {
        fprintf(stderr, "usage: probe client PORT NQN RATE SECONDS | hold PORT NQN CONNECTIONS | server PORT\n");
        return 2;
    }
    return 0;
}
