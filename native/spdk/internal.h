/* What the files of this library share. */
#ifndef MILLRACE_SPDK_INTERNAL_H
#define MILLRACE_SPDK_INTERNAL_H

#include "millrace_spdk.h"

#include <pthread.h>
#include <stdbool.h>

#include "spdk/bdev.h"
#include "spdk/env.h"
#include "spdk/init.h"
#include "spdk/log.h"
#include "spdk/queue.h"
#include "spdk/rpc.h"
#include "spdk/thread.h"
#include "spdk/version.h"

#define MILLRACE_SPDK_THREADS_MAX 256
/* Requests taken in one poll, so that neither side waits long for the other. */
#define MILLRACE_SPDK_BATCH 128
/* Events on the queue at a time, at most; Java has places for as many and for all its requests (SpdkReactor). */
#define MILLRACE_SPDK_EVENTS 32

typedef struct millrace_spdk_request millrace_spdk_request;
typedef struct millrace_spdk_exported_io millrace_spdk_exported_io;
typedef struct millrace_spdk_controller millrace_spdk_controller;

/* What tells a namespace apart from others; compared byte by byte. */
typedef struct millrace_spdk_identity
{
    struct spdk_uuid uuid;
    uint8_t nguid[16];
    uint64_t eui64;
    uint64_t blocks;
    uint64_t block_bytes;
    int8_t serial[24];
} millrace_spdk_identity;

/* First member of the parameters of a request of Millrace that is told from others. */
#define MILLRACE_SPDK_SECRET "millrace"

/* A method of JSON-RPC that the data plane calls; zeroed before millrace_spdk_own_begin(). */
typedef struct millrace_spdk_own_call
{
    /* Hexadecimal; empty: there is none. */
    char secret[33];
    bool is_expected;
    LIST_ENTRY(millrace_spdk_own_call) link;
    /* That it attaches; NULL: none. */
    millrace_spdk_controller *controller;
} millrace_spdk_own_call;

struct millrace_spdk_request
{
    millrace_spdk_bdev *bdev;
    /* Whether SPDK has it. */
    bool is_submitted;
    /* As it was taken from the queue. */
    millrace_spdk_message message;
    /* Of those that wait for memory of SPDK. */
    STAILQ_ENTRY(millrace_spdk_request) link;
};

struct millrace_spdk_bdev
{
    millrace_spdk_reactor *reactor;
    struct spdk_bdev_desc *desc;
    struct spdk_bdev *bdev;
    struct spdk_io_channel *channel;
    int64_t tag;
    uint32_t block_shift;
    bool can_flush;
    /* Events that the queue had no place for yet. */
    bool is_removal_due;
    bool is_resize_due;
    bool is_refusal_due;
    /* Of a namespace that SPDK's NVMe driver has, opened on the application thread: 0 for another bdev. */
    uint32_t nsid;
    bool is_refused;
    char controller[256];
    millrace_spdk_identity identity;
    /* Aborts under way. */
    int32_t aborts;
    int32_t slots;
    TAILQ_ENTRY(millrace_spdk_bdev) link;
    millrace_spdk_request requests[];
};

struct millrace_spdk_reactor
{
    millrace_spdk_queues queues;
    /* Its own SPDK thread. */
    struct spdk_thread *thread;
    /* All that it hosts, its own first; added to by any thread, under the lock. */
    pthread_mutex_t lock;
    struct spdk_thread *threads[MILLRACE_SPDK_THREADS_MAX];
    int32_t thread_count;
    bool has_events;
    bool is_exiting;
    TAILQ_HEAD(, millrace_spdk_bdev) bdevs;
    STAILQ_HEAD(, millrace_spdk_request) waiting;
    /* Requests to exported devices that wait for a slot, and slots that are free. */
    STAILQ_HEAD(, millrace_spdk_exported_io) exported_waiting;
    int32_t export_slots[MILLRACE_SPDK_EXPORTED_IOS_MAX];
    int32_t export_slots_free;
};

/* Calls of SPDK that follow are of the reactor's own SPDK thread, until millrace_spdk_leave(). */
void millrace_spdk_enter(millrace_spdk_reactor *reactor);
void millrace_spdk_leave(void);

/* The reactor that this thread of the operating system is, while it calls SPDK; else NULL. */
millrace_spdk_reactor *millrace_spdk_current(void);

/* The first reactor, whose own SPDK thread is the application thread. */
millrace_spdk_reactor *millrace_spdk_application(void);

/* Has a request change what the data plane has in SPDK, once, when its parameters begin with the secret. Other methods have no secret.
   Returns 0 or a negated errno. On the application thread. */
int32_t millrace_spdk_own_begin(millrace_spdk_own_call *call, const char *method);

/* Has it pass no more. On the application thread. */
void millrace_spdk_own_end(millrace_spdk_own_call *call);

/*
 * SPDK ends flushes of NVMe drives with a volatile write cache and does not flush, unless it is told to; what its
 * save_config writes tells it not to. Returns 0 or a negated errno. On the application thread.
 */
int32_t millrace_spdk_nvme_flush(void);

/* Whether SPDK's NVMe driver has a controller. On the application thread. */
bool millrace_spdk_nvme_has(const char *controller);

/* Remembers which namespace a bdev is of, when it is one of SPDK's NVMe driver. Returns false when no path says so now. On the
   application thread. */
bool millrace_spdk_nvme_watch(millrace_spdk_bdev *bdev);

/* Disconnects controllers whose namespaces were replaced by others while they were connected. On the application thread. */
void millrace_spdk_nvme_check(millrace_spdk_reactor *application);

/* Adds a message to Java. Returns false when there is no place now. */
bool millrace_spdk_tell(
    millrace_spdk_reactor *reactor, int32_t type, int32_t slot, int32_t length, int64_t word0, int64_t word1);

/* Hands a request to its bdev, or keeps it until SPDK has memory. */
void millrace_spdk_bdev_submit(const millrace_spdk_message *message);

/* Ends a request to an exported device, and hands over one that waits. Changes SPDK's current thread. */
void millrace_spdk_export_complete(millrace_spdk_reactor *reactor, const millrace_spdk_message *message);

/* Tries again what waits for memory. Returns how many went. */
int millrace_spdk_bdev_retry(millrace_spdk_reactor *reactor);

/* Reports events that are due. Returns how many. */
int millrace_spdk_bdev_report(millrace_spdk_reactor *reactor);

#endif
