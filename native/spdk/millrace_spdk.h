/*
 * What a data plane calls of SPDK beside SPDK's own functions: those that take callbacks. Callbacks never reach Java:
 * what they report is a message on a queue of a reactor, which Java takes after the call.
 *
 * A reactor here is one of Java's: a thread of the operating system that hosts SPDK threads. Every function of a
 * reactor, and of what was opened on it, is called on its thread. Functions return 0 or more, or a negated errno.
 * Both sides of its queues are that one thread, so that they are plain memory, with no order to keep between accesses.
 */
#ifndef MILLRACE_SPDK_H
#define MILLRACE_SPDK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. Java refuses a library that has another. */
#define MILLRACE_SPDK_INTERFACE 8

/* Types of messages to native code: requests. slot: of the request; word1: address of its millrace_spdk_bdev. */
/* address, length: payload, whole blocks; word0: first block. */
#define MILLRACE_SPDK_READ 1
#define MILLRACE_SPDK_WRITE 2
/* As READ and WRITE, with address and count of struct iovec, which stay until the request is done. */
#define MILLRACE_SPDK_READV 3
#define MILLRACE_SPDK_WRITEV 4
/* Writes, stable when done. */
#define MILLRACE_SPDK_WRITE_FUA 5
#define MILLRACE_SPDK_WRITEV_FUA 6
/* word0: first block; address: count of blocks. */
#define MILLRACE_SPDK_FLUSH 7
#define MILLRACE_SPDK_WRITE_ZEROES 8
#define MILLRACE_SPDK_WRITE_ZEROES_FUA 9
#define MILLRACE_SPDK_UNMAP 10
#define MILLRACE_SPDK_UNMAP_FUA 11
/* word0: first block; address: first block of the source; length: count of blocks. */
#define MILLRACE_SPDK_COPY 12
#define MILLRACE_SPDK_COPY_FUA 13
/* As READ: compares payload with what is stored. */
#define MILLRACE_SPDK_COMPARE 14
#define MILLRACE_SPDK_COMPAREV 15
/* Ends what the bdev has under way. */
#define MILLRACE_SPDK_RESET 16
/* Java has ended a request to an exported device. slot, word1: as of its MILLRACE_SPDK_EXPORTED_IO; word0: status code
   type << 8 | status code of NVMe. */
#define MILLRACE_SPDK_EXPORTED_DONE 17
/* Ends requests that wait in SPDK, with an error. Done when SPDK has looked at all of them. */
#define MILLRACE_SPDK_ABORT 18

/* Types of messages to Java. */
/* A request is done. slot; word0: status code type << 8 | status code of NVMe; length: errno where there is one;
   word1: tag of the bdev. */
#define MILLRACE_SPDK_COMPLETION 1
/* The bdev goes away: its requests end with errors, and it is to be closed. word1: tag. */
#define MILLRACE_SPDK_REMOVED 2
/* word0: count of blocks; word1: tag. */
#define MILLRACE_SPDK_RESIZED 3
/* A call with an operation number has ended. slot: the number; word0: 0 or a negated errno. */
#define MILLRACE_SPDK_DONE 4
/* A request to an exported device. slot: that no other has until it is done; word0: address of its millrace_spdk_io;
   word1: number of the export. */
#define MILLRACE_SPDK_EXPORTED_IO 5
/* Of a namespace that SPDK's NVMe driver has, opened on the first reactor. word0: 1 when all paths lead to another namespace
   by now, which gets no request; 0 when one leads to the namespace again; word1: tag. */
#define MILLRACE_SPDK_REFUSED 6

/* In the result of millrace_spdk_reactor_poll(). */
#define MILLRACE_SPDK_HOSTED 65536

/* How many requests to exported devices a reactor has under way at most. */
#define MILLRACE_SPDK_EXPORTED_IOS_MAX 256

/* Messages that a queue has room for; a power of two. */
#define MILLRACE_SPDK_PLACES 1024

/* What one side tells the other; fields as the type has them. A payload stays where it is: its address crosses. */
typedef struct millrace_spdk_message
{
    int32_t type;
    int32_t slot;
    uint64_t address;
    int64_t word0;
    int64_t word1;
    int32_t length;
    int32_t reserved;
} millrace_spdk_message;

/* Messages from head to tail wait, each at its number modulo MILLRACE_SPDK_PLACES. Who takes the last one sets both to 0, so that
   the first places, which are in the cache, are used again. */
typedef struct millrace_spdk_queue
{
    uint32_t head;
    uint32_t tail;
    uint8_t reserved[56];
    millrace_spdk_message messages[MILLRACE_SPDK_PLACES];
} millrace_spdk_queue;

/* Queues of a reactor, by which side takes from them. */
typedef struct millrace_spdk_queues
{
    millrace_spdk_queue to_native;
    millrace_spdk_queue to_java;
} millrace_spdk_queues;

typedef struct millrace_spdk_reactor millrace_spdk_reactor;
typedef struct millrace_spdk_bdev millrace_spdk_bdev;
typedef struct millrace_spdk_export millrace_spdk_export;

/* A request to an exported device: Java's to read until it is done. */
typedef struct millrace_spdk_io
{
    /* First block, and how many. */
    uint64_t first;
    uint64_t blocks;
    /* First block of what is copied. */
    uint64_t source;
    /* Address of struct iovec, and how many. */
    uint64_t vectors;
    int32_t vector_count;
    /* MILLRACE_SPDK_READV, WRITEV, FLUSH, WRITE_ZEROES, UNMAP, COPY or COMPAREV. */
    int32_t type;
    /* Whether what is changed is to be stable when it is done. */
    int32_t is_forced;
    int32_t export_number;
} millrace_spdk_io;

/* What an exported device can do. */
typedef struct millrace_spdk_limits
{
    uint64_t block_count;
    uint32_t block_bytes;
    /* Of memory; a power of two. */
    uint32_t alignment_bytes;
    uint32_t transfer_bytes_max;
    uint32_t vectors_max;
    uint32_t unmap_blocks_max;
    int32_t is_read_only;
    /* A volatile one: it can be flushed. */
    int32_t has_write_cache;
    int32_t writes_zeroes;
    int32_t unmaps;
    int32_t copies;
    int32_t compares;
    uint8_t uuid[16];
} millrace_spdk_limits;

/* MILLRACE_SPDK_INTERFACE of the library. */
int32_t millrace_spdk_interface(void);

/* The version of SPDK that the library was built for, such as "SPDK v26.05". */
const char *millrace_spdk_version(void);

/* sizeof(struct spdk_env_opts), and the offset of its last member that Java sets. */
int32_t millrace_spdk_env_opts_opts_size_offset(void);

/*
 * Has a bus error that is not of a drive handled as before SPDK was loaded, which replaces the handler of SIGBUS. Once.
 *
 * before  struct sigaction of SIGBUS before this library was loaded; copied.
 */
int32_t millrace_spdk_signals_chain(const void *before);

/* Has messages of SPDK kept for millrace_spdk_log_read(). Before spdk_env_init(); any thread. */
void millrace_spdk_log_open(void);

/*
 * Takes the oldest message. Any thread.
 *
 * text   room for it; it is cut to fit and ended by 0.
 * bytes  of the room; 2 or more.
 * Returns its enum spdk_log_level; -1 when there is none; -2 when messages were lost, text says how many.
 */
int32_t millrace_spdk_log_read(char *text, int32_t bytes);

/* Begins SPDK's thread library, after spdk_env_init(). Once; any thread. */
int32_t millrace_spdk_threads_start(void);

/*
 * Makes a reactor with an SPDK thread of its own. That of the first is SPDK's application thread, and it hosts the
 * threads that SPDK's modules make.
 *
 * name   of the SPDK thread.
 * error  negated errno.
 * Returns it, or NULL.
 */
millrace_spdk_reactor *millrace_spdk_reactor_create(const char *name, int32_t *error);

/* Its queues, until it is freed. */
millrace_spdk_queues *millrace_spdk_reactor_queues(millrace_spdk_reactor *reactor);

/*
 * Takes requests, and has SPDK's threads do what they have to do: a bounded amount.
 *
 * again  whether the clock is taken as of the last call, which was a moment ago.
 * Returns how much was done, and MILLRACE_SPDK_HOSTED for each thread of SPDK's modules that had work.
 */
int32_t millrace_spdk_reactor_poll(millrace_spdk_reactor *reactor, int32_t again);

/* Nanoseconds until a timed poller of SPDK is due, INT64_MAX where there is none. */
int64_t millrace_spdk_reactor_idle_ns(const millrace_spdk_reactor *reactor);

/* Count of SPDK threads that it hosts. */
int32_t millrace_spdk_reactor_threads(const millrace_spdk_reactor *reactor);

/*
 * Begins to end its SPDK thread, and others that it hosts; everything opened on it is closed. It is polled until
 * millrace_spdk_reactor_ended().
 */
void millrace_spdk_reactor_exit(millrace_spdk_reactor *reactor);

/* Whether it has no SPDK threads any more. */
int32_t millrace_spdk_reactor_ended(const millrace_spdk_reactor *reactor);

/* Gives its memory back, when it has ended. */
void millrace_spdk_reactor_free(millrace_spdk_reactor *reactor);

/*
 * Makes the pools that SPDK has by default smaller, of requests and of buffers, and what each thread keeps of them. Before
 * millrace_spdk_subsystems_start(), whose configuration may set others; any thread.
 *
 * divisor  of what they have; a power of two from 1 to 16.
 * Returns 0, or a negated errno.
 */
int32_t millrace_spdk_pools_divide(int32_t divisor);

/*
 * Finds what SPDK takes without a word: of several JSON values it reads the first. Any thread; SPDK need not have started.
 *
 * json   SPDK's configuration, with its comments.
 * bytes  of it.
 * Returns 0; -ENODATA: there is nothing but blanks and comments; -EBADMSG: it is no object, or its "subsystems" are no array; -ENOMEM;
 * more than 0: the line, from 1, in which text follows the object.
 */
int32_t millrace_spdk_configuration_check(const char *json, int64_t bytes);

/*
 * Starts SPDK's subsystems with a JSON configuration, on the first reactor. Ends with MILLRACE_SPDK_DONE.
 *
 * json       SPDK's configuration, or NULL; copied.
 * bytes      of it.
 * operation  number of the call.
 */
int32_t millrace_spdk_subsystems_start(
    millrace_spdk_reactor *reactor, const char *json, int64_t bytes, int32_t operation);

/* Stops subsystems, whose bdevs nobody has open any more. Ends with MILLRACE_SPDK_DONE. */
int32_t millrace_spdk_subsystems_stop(millrace_spdk_reactor *reactor, int32_t operation);

/* Serves SPDK's JSON-RPC on a Unix domain socket, on the first reactor. */
int32_t millrace_spdk_rpc_listen(millrace_spdk_reactor *reactor, const char *path);

/* Ends what millrace_spdk_rpc_listen() began. */
void millrace_spdk_rpc_close(millrace_spdk_reactor *reactor);

/*
 * Opens a bdev, and its I/O channel of this reactor where there are requests to be.
 *
 * name   of the bdev.
 * write  whether for writing as well.
 * slots  how many requests at a time, 0 for none.
 * tag    that messages name it by.
 * error  negated errno.
 * Returns it, or NULL.
 */
millrace_spdk_bdev *millrace_spdk_bdev_open(
    millrace_spdk_reactor *reactor, const char *name, int32_t write, int32_t slots, int64_t tag, int32_t *error);

/* SPDK's own struct spdk_bdev of it, until it is closed. */
void *millrace_spdk_bdev_get(const millrace_spdk_bdev *bdev);

/* Closes it; it has no requests, and messages that name it are none any more. */
void millrace_spdk_bdev_close(millrace_spdk_bdev *bdev);

/*
 * Makes a bdev of a device of Java, on the first reactor.
 *
 * name    of the bdev; copied.
 * number  that requests name it by.
 * limits  of the device; copied.
 * error   negated errno: EEXIST where there is a bdev of that name.
 * Returns it, or NULL.
 */
millrace_spdk_export *millrace_spdk_export_add(
    millrace_spdk_reactor *reactor, const char *name, int32_t number, const millrace_spdk_limits *limits,
    int32_t *error);

/*
 * Tells which memory SPDK has registered, in which its front ends have payload.
 *
 * ranges  room for an address and a length in bytes of each range, in order of addresses.
 * max     how many ranges there is room for.
 * Returns how many there are, more than max where some were left out.
 */
int32_t millrace_spdk_memory(uint64_t *ranges, int32_t max);

/* The device has another size, in blocks. */
int32_t millrace_spdk_export_resize(millrace_spdk_reactor *reactor, millrace_spdk_export *export, int64_t block_count);

/*
 * Removes the bdev: those that have it open are told to close it. Ends with MILLRACE_SPDK_DONE when they have, and no
 * request is left.
 */
void millrace_spdk_export_remove(
    millrace_spdk_reactor *reactor, millrace_spdk_export *export, int32_t operation);

/*
 * Carries out the methods of a JSON configuration, as those of front ends of bdevs, on the first reactor, when
 * millrace_spdk_subsystems_start() has ended. Ends with MILLRACE_SPDK_DONE.
 *
 * json       SPDK's configuration; copied.
 * bytes      of it.
 * operation  number of the call.
 */
int32_t millrace_spdk_configure(
    millrace_spdk_reactor *reactor, const char *json, int64_t bytes, int32_t operation);

/*
 * Calls a method of SPDK's JSON-RPC, on the first reactor, when millrace_spdk_subsystems_start() has ended. Ends with
 * MILLRACE_SPDK_DONE. A subsystem of SPDK's NVMe-oF target that a call made is changed by calls alone: methods by other ways are refused as
 * long as SPDK has the subsystem.
 *
 * method     of JSON-RPC.
 * params     members of a JSON object; empty: none. Copied.
 * operation  number of the call.
 * Returns 0 or a negated errno.
 */
int32_t millrace_spdk_call(millrace_spdk_reactor *reactor, const char *method, const char *params, int32_t operation);

#ifdef __cplusplus
}
#endif

#endif
