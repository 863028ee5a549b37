/*
 * The floor below the floor: moves as many bytes over loopback TCP as I/O does, and looks at none of them.
 *
 *   bytes answer PORT
 *     answers requests on 127.0.0.1 until it is killed
 *   bytes ask PORT REQUEST ANSWER DEPTH SECONDS RUNNING_IN
 *     keeps DEPTH requests of REQUEST bytes outstanding, each answered with ANSWER bytes, for SECONDS after RUNNING_IN
 *     seconds that do not count; prints "iops mib average p50 p99", the latencies in us
 *
 * Both spin. What one recv finds is answered by one send, as a target does it. The asking side says in its first bytes
 * how long a request and an answer are.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum
{
    BUFFER_BYTES = 512 << 10, DEPTH_MAX = 1024, BUCKET_NS = 100, BUCKETS = 1 << 20
};

static uint8_t incoming[BUFFER_BYTES];
static uint8_t *outgoing;
static uint32_t histogram[BUCKETS];

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void no_delay(int fd)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static struct sockaddr_in local(const char *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(port))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/* Receives what is there, 0 for nothing; ends the program's loop with -1 when the peer has gone. */
static ssize_t receive(int fd)
{
    ssize_t got = recv(fd, incoming, sizeof(incoming), MSG_DONTWAIT);
    return got > 0 ? got : got == 0 || (errno != EAGAIN && errno != EINTR) ? -1 : 0;
}

/* Sends what the socket takes of so many bytes; answers how many are left. */
static uint64_t send_some(int fd, uint64_t bytes)
{
    ssize_t sent = send(fd, outgoing, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent > 0 ? bytes - sent : bytes;
}

static void answer(int fd)
{
    uint32_t lengths[2];
    uint64_t owed = 0, part = 0;
    no_delay(fd);
    if (recv(fd, lengths, sizeof(lengths), MSG_WAITALL) != sizeof(lengths))
    {
        return;
    }
    outgoing = calloc(DEPTH_MAX, lengths[1]);
    for (ssize_t got; (got = receive(fd)) >= 0;)
    {
        part += got;
        owed += part / lengths[0] * lengths[1];
        part %= lengths[0];
        owed = owed ? send_some(fd, owed) : 0;
    }
    free(outgoing);
}

static void serve(const char *port)
{
    struct sockaddr_in address = local(port);
    int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 4))
    {
        fail("listen");
    }
    for (;;)
    {
        int fd = accept(listener, NULL, NULL);
        if (fd < 0)
        {
            fail("accept");
        }
        answer(fd);
        close(fd);
    }
}

static double percentile(uint64_t count, double part)
{
    uint64_t seen = 0;
    for (int i = 0; i < BUCKETS; i++)
    {
        seen += histogram[i];
        if (seen >= count * part)
        {
            return (i + 0.5) * BUCKET_NS / 1e3;
        }
    }
    return BUCKETS * (double)BUCKET_NS / 1e3;
}

static void ask(
    const char *port, uint32_t request, uint32_t answered, uint64_t depth, uint64_t seconds, uint64_t running_in)
{
    static uint64_t sent_ns[DEPTH_MAX];
    struct sockaddr_in address = local(port);
    uint32_t lengths[2] = {request, answered};
    uint64_t owed = depth * request, part = 0, asked = 0, done = 0, sum = 0;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
    {
        fail("connect");
    }
    no_delay(fd);
    outgoing = calloc(depth, request);
    if (send(fd, lengths, sizeof(lengths), 0) != sizeof(lengths))
    {
        fail("send");
    }
    uint64_t start = now_ns() + running_in * 1000000000, end = start + seconds * 1000000000, now = now_ns();
    for (; asked < depth; asked++)
    {
        sent_ns[asked] = now;
    }
    uint64_t taken = 0;
    while (now < end)
    {
        owed = owed ? send_some(fd, owed) : 0;
        ssize_t got = receive(fd);
        if (got < 0)
        {
            fail("recv");
        }
        now = now_ns();
        part += got;
        for (; part >= answered; part -= answered, taken++, owed += request)
        {
            uint64_t latency = now - sent_ns[taken % depth];
            sent_ns[taken % depth] = now;
            if (now >= start)
            {
                done++;
                sum += latency;
                histogram[latency / BUCKET_NS < BUCKETS ? latency / BUCKET_NS : BUCKETS - 1]++;
            }
        }
    }
    if (done == 0)
    {
        fail("nothing answered");
    }
    uint64_t moved = done * (request > answered ? request : answered);
    printf("%.0f %.1f %.2f %.2f %.2f\n", (double)done / seconds, (double)moved / seconds / (1 << 20), sum / 1e3 / done,
        percentile(done, 0.5), percentile(done, 0.99));
}

int main(int count, char **words)
{
    if (count == 3 && !strcmp(words[1], "answer"))
    {
        serve(words[2]);
    }
    else if (count == 8 && !strcmp(words[1], "ask") && atol(words[5]) > 0 && atol(words[5]) <= DEPTH_MAX)
    {
        ask(words[2], atol(words[3]), atol(words[4]), atol(words[5]), atol(words[6]), atol(words[7]));
    }
    else
    {
        fprintf(stderr, "usage: bytes answer PORT | bytes ask PORT REQUEST ANSWER DEPTH SECONDS RUNNING_IN\n");
        return 2;
    }
    return 0;
}
