/* SPDK's subsystems and its JSON-RPC, on the application thread. */
#include "internal.h"

#include "spdk/accel.h"
#include "spdk/json.h"

typedef struct starting
{
    millrace_spdk_reactor *reactor;
    int32_t operation;
    char *json;
    int64_t bytes;
    /* Of millrace_spdk_call(). */
    millrace_spdk_own_call call;
} starting;

static void end_start(starting *start, const int result)
{
    millrace_spdk_tell(start->reactor, MILLRACE_SPDK_DONE, start->operation, 0, result, 0);
    free(start->json);
    free(start);
}

static void on_configured(int result, void *context)
{
    starting *const start = (starting *)context;
    millrace_spdk_own_end(&start->call);
    end_start(start, result);
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
    spdk_subsystem_load_config(start->json, start->bytes, on_configured, start, true);
}

static void on_startup_configured(int result, void *context)
{
    starting *const start = (starting *)context;
    const int error = 0 != result ? result : millrace_spdk_nvme_flush();
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

int32_t millrace_spdk_pools_divide(const int32_t divisor)
{
    const uint32_t by = (uint32_t)divisor;
    struct spdk_iobuf_opts buffers;
    memset(&buffers, 0, sizeof(buffers));
    spdk_iobuf_get_opts(&buffers, sizeof(buffers));
    buffers.small_pool_count /= by;
    buffers.large_pool_count /= by;
    const int error = spdk_iobuf_set_opts(&buffers);
    if (0 != error)
    {
        return error;
    }
    struct spdk_accel_opts accel;
    memset(&accel, 0, sizeof(accel));
    spdk_accel_get_opts(&accel, sizeof(accel));
    accel.small_cache_size /= by;
    accel.large_cache_size /= by;
    const int accel_error = spdk_accel_set_opts(&accel);
    if (0 != accel_error)
    {
        return accel_error;
    }
    struct spdk_bdev_opts bdevs;
    memset(&bdevs, 0, sizeof(bdevs));
    spdk_bdev_get_opts(&bdevs, sizeof(bdevs));
    bdevs.bdev_io_pool_size = (bdevs.bdev_io_pool_size + 1) / by - 1;
    bdevs.bdev_io_cache_size /= by;
    bdevs.iobuf_small_cache_size /= by;
    bdevs.iobuf_large_cache_size /= by;
    return 0 == spdk_bdev_set_opts(&bdevs) ? 0 : -EINVAL;
}

/* Parses a text; what is not ours to change stays as it is. */
static ssize_t parse(const char *json, const size_t bytes, struct spdk_json_val *values, const size_t count, void **end)
{
    return spdk_json_parse((void *)(uintptr_t)json, bytes, values, count, end, SPDK_JSON_PARSE_FLAG_ALLOW_COMMENTS);
}

/* Returns 0 when a text has no JSON value, so that it is an empty array in brackets; -EBADMSG when it is none; or -ENOMEM. */
static int32_t check_empty(const char *text, const size_t bytes)
{
    /* A comment may end with the text, without a line end. */
    const size_t length = bytes + 3;
    char *const array = malloc(length);
    if (NULL == array)
    {
        return -ENOMEM;
    }
    array[0] = '[';
    memcpy(array + 1, text, bytes);
    memcpy(array + 1 + bytes, "\n]", 2);
    void *end;
    const bool is_empty = 2 == parse(array, length, NULL, 0, &end) && array + length == (char *)end;
    free(array);
    return is_empty ? 0 : -EBADMSG;
}

static int32_t line_of(const char *json, const char *position)
{
    int32_t line = 1;
    for (const char *each = json; each != position; each++)
    {
        line += '\n' == *each;
    }
    return line;
}

int32_t millrace_spdk_configuration_check(const char *json, const int64_t bytes)
{
    void *end;
    const ssize_t count = parse(json, (size_t)bytes, NULL, 0, &end);
    if (count < 0)
    {
        const int32_t empty = check_empty(json, (size_t)bytes);
        return 0 == empty ? -ENODATA : empty;
    }
    struct spdk_json_val *const values = calloc((size_t)count, sizeof(*values));
    struct spdk_json_val *array;
    const ssize_t parsed = NULL == values ? -ENOMEM : parse(json, (size_t)bytes, values, (size_t)count, &end);
    const int found = parsed < 0 ? -ENOMEM : spdk_json_find_array(values, "subsystems", NULL, &array);
    free(values);
    if (0 != found && -ENOENT != found)
    {
        return -ENOMEM == found ? -ENOMEM : -EBADMSG;
    }
    const char *const rest = (const char *)end;
    const int32_t left = check_empty(rest, (size_t)(json + bytes - rest));
    return -EBADMSG == left ? line_of(json, rest) : left;
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
    spdk_subsystem_load_config(start->json, start->bytes, on_configured, start, true);
    millrace_spdk_leave();
    return 0;
}

int32_t millrace_spdk_call(
    millrace_spdk_reactor *reactor, const char *method, const char *params, const int32_t operation)
{
    starting *const start = make_start(reactor, NULL, 0, operation);
    if (NULL == start)
    {
        return -ENOMEM;
    }
    int32_t error = millrace_spdk_own_begin(&start->call, method);
    if (0 == error)
    {
        const bool is_secret = 0 != start->call.secret[0];
        const bool has_params = is_secret || 0 != params[0];
        const int bytes = asprintf(&start->json,
            "{\"subsystems\": [{\"subsystem\": \"bdev\", \"config\": [{\"method\": \"%s\"%s%s%s%s%s%s%s}]}]}", method,
            has_params ? ", \"params\": {" : "", is_secret ? "\"" MILLRACE_SPDK_SECRET "\": \"" : "", start->call.secret,
            is_secret ? "\"" : "", is_secret && 0 != params[0] ? ", " : "", params, has_params ? "}" : "");
        start->bytes = bytes;
        error = bytes < 0 ? -ENOMEM : 0;
    }
    if (0 != error)
    {
        millrace_spdk_own_end(&start->call);
        free(start);
        return error;
    }
    millrace_spdk_enter(reactor);
    spdk_subsystem_load_config(start->json, start->bytes, on_configured, start, true);
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
