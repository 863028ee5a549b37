/* SPDK threads, hosted by reactors of Java. */
#include "internal.h"

#include <stdio.h>

#define MESSAGES 64
#define MESSAGE_BYTES 512

static millrace_spdk_reactor *first_reactor;
/* Whose own SPDK thread is being made on this thread of the operating system. */
static __thread millrace_spdk_reactor *creating;
static __thread millrace_spdk_reactor *current;

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static char log_text[MESSAGES][MESSAGE_BYTES];
static int log_level[MESSAGES];
static uint32_t log_written;
static uint32_t log_taken;
static uint32_t log_lost;

int32_t millrace_spdk_interface(void)
{
    return MILLRACE_SPDK_INTERFACE;
}

const char *millrace_spdk_version(void)
{
    return SPDK_VERSION_STRING;
}

int32_t millrace_spdk_env_opts_opts_size_offset(void)
{
    return (int32_t)offsetof(struct spdk_env_opts, opts_size);
}

/* In one line, without what is blank at its end: answers of JSON-RPC have several. */
static void join_lines(char *text)
{
    size_t end = strlen(text);
    for (size_t i = 0; i < end; i++)
    {
        if ('\n' == text[i])
        {
            text[i] = ' ';
        }
    }
    while (end > 0 && ' ' == text[end - 1])
    {
        text[--end] = 0;
    }
}

static void keep_message(
    int level, const char *file, const int line, const char *function, const char *format, va_list arguments)
{
    (void)file;
    (void)line;
    (void)function;
    if (level > SPDK_LOG_NOTICE)
    {
        return;
    }
    pthread_mutex_lock(&log_lock);
    if (log_written - log_taken == MESSAGES)
    {
        log_lost++;
    }
    else
    {
        char *const text = log_text[log_written % MESSAGES];
        vsnprintf(text, MESSAGE_BYTES, format, arguments);
        join_lines(text);
        log_level[log_written % MESSAGES] = level;
        __atomic_store_n(&log_written, log_written + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&log_lock);
}

void millrace_spdk_log_open(void)
{
    spdk_log_set_print_level(SPDK_LOG_DISABLED);
    spdk_log_set_level(SPDK_LOG_NOTICE);
    spdk_log_open(keep_message);
}

int32_t millrace_spdk_log_read(char *text, const int32_t bytes)
{
    if (__atomic_load_n(&log_written, __ATOMIC_ACQUIRE) == __atomic_load_n(&log_taken, __ATOMIC_RELAXED))
    {
        return -1;
    }
    int32_t level = -1;
    pthread_mutex_lock(&log_lock);
    if (log_lost > 0 && log_written - log_taken < MESSAGES)
    {
        snprintf(text, (size_t)bytes, "%u", log_lost);
        log_lost = 0;
        level = -2;
    }
    else if (log_written != log_taken)
    {
        snprintf(text, (size_t)bytes, "%s", log_text[log_taken % MESSAGES]);
        level = log_level[log_taken % MESSAGES];
        __atomic_store_n(&log_taken, log_taken + 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&log_lock);
    return level;
}

static int on_thread_operation(struct spdk_thread *thread, enum spdk_thread_op operation)
{
    if (SPDK_THREAD_OP_NEW != operation)
    {
        return -ENOTSUP;
    }
    millrace_spdk_reactor *const host = NULL == creating ? first_reactor : creating;
    int result = 0;
    pthread_mutex_lock(&host->lock);
    if (MILLRACE_SPDK_THREADS_MAX == host->thread_count)
    {
        result = -ENOSPC;
    }
    else
    {
        host->threads[host->thread_count] = thread;
        __atomic_store_n(&host->thread_count, host->thread_count + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&host->lock);
    return result;
}

static bool is_operation_supported(enum spdk_thread_op operation)
{
    return SPDK_THREAD_OP_NEW == operation;
}

int32_t millrace_spdk_threads_start(void)
{
    return spdk_thread_lib_init_ext(
        on_thread_operation, is_operation_supported, 0, SPDK_DEFAULT_MSG_MEMPOOL_SIZE);
}

millrace_spdk_reactor *millrace_spdk_reactor_create(const char *name, int32_t *error)
{
    millrace_spdk_reactor *const reactor = calloc(1, sizeof(*reactor));
    if (NULL == reactor)
    {
        *error = -ENOMEM;
        return NULL;
    }
    pthread_mutex_init(&reactor->lock, NULL);
    TAILQ_INIT(&reactor->bdevs);
    STAILQ_INIT(&reactor->waiting);
    STAILQ_INIT(&reactor->exported_waiting);
    while (reactor->export_slots_free < MILLRACE_SPDK_EXPORTED_IOS_MAX)
    {
        reactor->export_slots[reactor->export_slots_free] = reactor->export_slots_free;
        reactor->export_slots_free++;
    }
    if (NULL == first_reactor)
    {
        first_reactor = reactor;
    }
    creating = reactor;
    reactor->thread = spdk_thread_create(name, NULL);
    creating = NULL;
    if (NULL == reactor->thread)
    {
        *error = -ENOMEM;
        millrace_spdk_reactor_free(reactor);
        return NULL;
    }
    *error = 0;
    return reactor;
}

millrace_spdk_queues *millrace_spdk_reactor_queues(millrace_spdk_reactor *reactor)
{
    return &reactor->queues;
}

void millrace_spdk_enter(millrace_spdk_reactor *reactor)
{
    current = reactor;
    spdk_set_thread(reactor->thread);
}

void millrace_spdk_leave(void)
{
    spdk_set_thread(NULL);
    current = NULL;
}

millrace_spdk_reactor *millrace_spdk_application(void)
{
    return first_reactor;
}

millrace_spdk_reactor *millrace_spdk_current(void)
{
    return current;
}

bool millrace_spdk_tell(
    millrace_spdk_reactor *reactor,
    const int32_t type,
    const int32_t slot,
    const int32_t length,
    const int64_t word0,
    const int64_t word1)
{
    millrace_spdk_queue *const queue = &reactor->queues.to_java;
    if (MILLRACE_SPDK_PLACES == queue->tail - queue->head)
    {
        return false;
    }
    millrace_spdk_message *const message = &queue->messages[queue->tail++ % MILLRACE_SPDK_PLACES];
    message->type = type;
    message->slot = slot;
    message->length = length;
    message->word0 = word0;
    message->word1 = word1;
    return true;
}

static void remove_thread(millrace_spdk_reactor *reactor, struct spdk_thread *thread)
{
    pthread_mutex_lock(&reactor->lock);
    int32_t kept = 0;
    for (int32_t i = 0; i < reactor->thread_count; i++)
    {
        if (thread != reactor->threads[i])
        {
            reactor->threads[kept++] = reactor->threads[i];
        }
    }
    reactor->thread_count = kept;
    pthread_mutex_unlock(&reactor->lock);
    spdk_thread_destroy(thread);
}

/* Returns how many. On the reactor's own SPDK thread. */
static int32_t take_messages(millrace_spdk_reactor *reactor)
{
    millrace_spdk_queue *const queue = &reactor->queues.to_native;
    const uint32_t count = spdk_min(queue->tail - queue->head, MILLRACE_SPDK_BATCH);
    for (uint32_t i = 0; i < count; i++)
    {
        const millrace_spdk_message *const message = &queue->messages[(queue->head + i) % MILLRACE_SPDK_PLACES];
        if (MILLRACE_SPDK_EXPORTED_DONE == message->type)
        {
            millrace_spdk_export_complete(reactor, message);
            spdk_set_thread(reactor->thread);
        }
        else
        {
            millrace_spdk_bdev_submit(message);
        }
    }
    queue->head += count;
    if (queue->head == queue->tail)
    {
        queue->head = 0;
        queue->tail = 0;
    }
    return (int32_t)count;
}

int32_t millrace_spdk_reactor_poll(millrace_spdk_reactor *reactor, const int32_t again)
{
    int32_t work = 0;
    current = reactor;
    if (reactor->queues.to_native.head != reactor->queues.to_native.tail || !STAILQ_EMPTY(&reactor->waiting) ||
        reactor->has_events)
    {
        spdk_set_thread(reactor->thread);
        work += millrace_spdk_bdev_retry(reactor);
        work += take_messages(reactor);
        work += millrace_spdk_bdev_report(reactor);
        spdk_set_thread(NULL);
    }
    const int32_t count = __atomic_load_n(&reactor->thread_count, __ATOMIC_ACQUIRE);
    for (int32_t i = count - 1; i >= 0; i--)
    {
        struct spdk_thread *const thread = reactor->threads[i];
        if (spdk_thread_poll(thread, 0, 0 == again ? 0 : spdk_thread_get_last_tsc(thread)) > 0)
        {
            /* The poller of SPDK's JSON-RPC, on the application thread, says that it is busy each time. */
            work += thread == reactor->thread ? 1 : MILLRACE_SPDK_HOSTED;
        }
        /* Pollers that were unregistered are part of a thread until they would have been due, minutes later. */
        if (spdk_thread_is_exited(thread) && (reactor->is_exiting || spdk_thread_is_idle(thread)))
        {
            remove_thread(reactor, thread);
        }
    }
    if (reactor == first_reactor && count > 0)
    {
        spdk_set_thread(reactor->thread);
        millrace_spdk_nvme_check(reactor);
        spdk_set_thread(NULL);
    }
    current = NULL;
    return work;
}

int64_t millrace_spdk_reactor_idle_ns(const millrace_spdk_reactor *reactor)
{
    const uint64_t now = spdk_get_ticks();
    const double ns_per_tick = 1e9 / (double)spdk_get_ticks_hz();
    int64_t idle_ns = INT64_MAX;
    const int32_t count = __atomic_load_n(&reactor->thread_count, __ATOMIC_ACQUIRE);
    for (int32_t i = 0; i < count; i++)
    {
        const uint64_t due = spdk_thread_next_poller_expiration(reactor->threads[i]);
        if (0 != due)
        {
            const int64_t left_ns = due <= now ? 0 : (int64_t)((double)(due - now) * ns_per_tick);
            idle_ns = spdk_min(idle_ns, left_ns);
        }
    }
    return idle_ns;
}

int32_t millrace_spdk_reactor_threads(const millrace_spdk_reactor *reactor)
{
    return __atomic_load_n(&reactor->thread_count, __ATOMIC_ACQUIRE);
}

void millrace_spdk_reactor_exit(millrace_spdk_reactor *reactor)
{
    reactor->is_exiting = true;
    current = reactor;
    const int32_t count = __atomic_load_n(&reactor->thread_count, __ATOMIC_ACQUIRE);
    for (int32_t i = 0; i < count; i++)
    {
        /* Those of modules that have ended without, as of vhost controllers. */
        spdk_set_thread(reactor->threads[i]);
        if (spdk_thread_is_running(reactor->threads[i]))
        {
            spdk_thread_exit(reactor->threads[i]);
        }
    }
    millrace_spdk_leave();
}

int32_t millrace_spdk_reactor_ended(const millrace_spdk_reactor *reactor)
{
    return 0 == __atomic_load_n(&reactor->thread_count, __ATOMIC_ACQUIRE);
}

void millrace_spdk_reactor_free(millrace_spdk_reactor *reactor)
{
    if (reactor == first_reactor)
    {
        first_reactor = NULL;
    }
    pthread_mutex_destroy(&reactor->lock);
    free(reactor);
}
