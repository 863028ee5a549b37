/* SPDK's subsystems and its JSON-RPC, on the application thread. */
#include "internal.h"

#include "spdk/module/bdev/nvme.h"

typedef struct starting
{
    millrace_spdk_reactor *reactor;
    int32_t operation;
    char *json;
    int64_t bytes;
} starting;

static void end_start(starting *start, const int result)
{
    millrace_spdk_tell(start->reactor, MILLRACE_SPDK_DONE, start->operation, 0, result, 0);
    free(start->json);
    free(start);
}

static void on_runtime_configured(int result, void *context)
{
    end_start((starting *)context, result);
}

static void on_subsystems_started(int result, void *context)
{
    starting *const start = (starting *)context;
    if (0 != result)
    {
        end_start(start, result);
        return;
    }
    spdk_rpc_set_state(SPDK_RPC_RUNTIME);
    if (NULL == start->json)
    {
        end_start(start, 0);
        return;
    }
    spdk_subsystem_load_config(start->json, start->bytes, on_runtime_configured, start, true);
}

/*
 * SPDK ends flushes of NVMe drives with a volatile write cache and does not flush, unless it is told to; what its
 * save_config writes tells it not to.
 */
static int flush_drives(void)
{
    struct spdk_bdev_nvme_opts opts;
    memset(&opts, 0, sizeof(opts));
    spdk_bdev_nvme_get_opts(&opts, sizeof(opts));
    opts.enable_flush = true;
    return spdk_bdev_nvme_set_opts(&opts);
}

static void on_startup_configured(int result, void *context)
{
    starting *const start = (starting *)context;
    const int error = 0 != result ? result : flush_drives();
    if (0 != error)
    {
        end_start(start, error);
        return;
    }
    spdk_subsystem_init(on_subsystems_started, start);
}

static starting *make_start(
    millrace_spdk_reactor *reactor, const char *json, const int64_t bytes, const int32_t operation)
{
    starting *const start = calloc(1, sizeof(*start));
    if (NULL == start)
    {
        return NULL;
    }
    start->reactor = reactor;
    start->operation = operation;
    if (NULL != json)
    {
        start->json = malloc((size_t)bytes + 1);
        if (NULL == start->json)
        {
            free(start);
            return NULL;
        }
        memcpy(start->json, json, (size_t)bytes);
        start->json[bytes] = 0;
        start->bytes = bytes;
    }
    return start;
}

int32_t millrace_spdk_subsystems_start(
    millrace_spdk_reactor *reactor, const char *json, const int64_t bytes, const int32_t operation)
{
    starting *const start = make_start(reactor, json, bytes, operation);
    if (NULL == start)
    {
        return -ENOMEM;
    }
    millrace_spdk_enter(reactor);
    spdk_rpc_set_state(SPDK_RPC_STARTUP);
    if (NULL == start->json)
    {
        on_startup_configured(0, start);
    }
    else
    {
        spdk_subsystem_load_config(start->json, start->bytes, on_startup_configured, start, true);
    }
    millrace_spdk_leave();
    return 0;
}

int32_t millrace_spdk_configure(
    millrace_spdk_reactor *reactor, const char *json, const int64_t bytes, const int32_t operation)
{
    starting *const start = make_start(reactor, json, bytes, operation);
    if (NULL == start)
    {
        return -ENOMEM;
    }
    millrace_spdk_enter(reactor);
    spdk_subsystem_load_config(start->json, start->bytes, on_runtime_configured, start, true);
    millrace_spdk_leave();
    return 0;
}

static void on_subsystems_stopped(void *context)
{
    starting *const stop = (starting *)context;
    end_start(stop, 0);
}

int32_t millrace_spdk_subsystems_stop(millrace_spdk_reactor *reactor, const int32_t operation)
{
    starting *const stop = make_start(reactor, NULL, 0, operation);
    if (NULL == stop)
    {
        return -ENOMEM;
    }
    millrace_spdk_enter(reactor);
    spdk_subsystem_fini(on_subsystems_stopped, stop);
    millrace_spdk_leave();
    return 0;
}

int32_t millrace_spdk_rpc_listen(millrace_spdk_reactor *reactor, const char *path)
{
    millrace_spdk_enter(reactor);
    const int result = spdk_rpc_initialize(path, NULL);
    millrace_spdk_leave();
    return result;
}

void millrace_spdk_rpc_close(millrace_spdk_reactor *reactor)
{
    millrace_spdk_enter(reactor);
    spdk_rpc_finish();
    millrace_spdk_leave();
}
