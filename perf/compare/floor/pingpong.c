/*
 * Round trips over TCP, one at a time, with the system calls that they need and nothing else.
 *
 *     pingpong serve ADDRESS PORT BYTES spin|block CPU
 *     pingpong ADDRESS PORT BYTES spin|block CPU TRIPS
 *
 * Both sides have TCP_NODELAY. With spin both ask their sockets, which do not block, until something comes; with block both
 * sleep in recv. The second form prints the median and the 99th percentile of a trip in nanoseconds. The server ends with
 * its first connection.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const long WARM_UP_TRIPS = 20000;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set))
        die("sched_setaffinity");
}

static void prepare(int fd, int spins)
{
    int one = 1;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
        die("TCP_NODELAY");
    if (spins && fcntl(fd, F_SETFL, O_NONBLOCK))
        die("O_NONBLOCK");
}

/* 0 when the peer has ended. */
static int receive(int fd, char *buffer, size_t bytes)
{
    for (size_t have = 0; have < bytes;)
    {
        ssize_t n = recv(fd, buffer + have, bytes - have, 0);
        if (0 == n)
            return 0;
        if (n < 0 && EAGAIN != errno)
            die("recv");
        have += n > 0 ? n : 0;
    }
    return 1;
}

static void transmit(int fd, const char *buffer, size_t bytes)
{
    if ((ssize_t)bytes != send(fd, buffer, bytes, 0))
        die("send");
}

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int serves = argc > 1 && !strcmp(argv[1], "serve");
    if (argc != 7)
    {
        fprintf(stderr, "usage: %s serve ADDRESS PORT BYTES spin|block CPU\n"
                        "       %s ADDRESS PORT BYTES spin|block CPU TRIPS\n", argv[0], argv[0]);
        return 2;
    }
    char **a = argv + 1 + serves;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(a[1]))};
    if (1 != inet_pton(AF_INET, a[0], &address.sin_addr))
    {
        fprintf(stderr, "%s is no address\n", a[0]);
        return 2;
    }
    size_t bytes = strtoul(a[2], NULL, 10);
    int spins = !strcmp(a[3], "spin");
    char *buffer = calloc(1, bytes);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    pin(atoi(a[4]));
    if (serves)
    {
        int one = 1;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
        if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 1))
            die("listen");
        int peer = accept(fd, NULL, NULL);
        if (peer < 0)
            die("accept");
        prepare(peer, spins);
        while (receive(peer, buffer, bytes))
            transmit(peer, buffer, bytes);
        return 0;
    }
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
        die("connect");
    prepare(fd, spins);
    long trips = atol(a[5]), *ns = calloc(trips, sizeof(long));
    for (long i = -WARM_UP_TRIPS; i < trips; i++)
    {
        long start = now();
        transmit(fd, buffer, bytes);
        if (!receive(fd, buffer, bytes))
            die("the peer ended");
        if (i >= 0)
            ns[i] = now() - start;
    }
    qsort(ns, trips, sizeof(long), ascending);
    printf("%ld %ld\n", ns[trips / 2], ns[trips * 99 / 100]);
    return 0;
}
