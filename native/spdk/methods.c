/* Methods of SPDK's JSON-RPC that this process must not have, or not for all subsystems. */
#include "internal.h"

#include <dlfcn.h>

#include "spdk/json.h"
#include "spdk/jsonrpc.h"

/* Its methods are for reactors of SPDK, and end a process that has none. */
#define REACTORS "libspdk_event.so"

/* SPDK's subsystem nvmf makes it, and has it until SPDK ends. */
#define TARGET "nvmf_tgt"

typedef void (*register_method)(const char *name, spdk_rpc_method_handler handler, uint32_t states);

/*
 * Methods that change a subsystem. Of those that a data plane has at SPDK's target they would leave it with another state than it
 * shows, which SPDK reports to nobody.
 */
#define GUARDED(guard) \
    guard(nvmf_delete_subsystem) \
    guard(nvmf_subsystem_add_listener) \
    guard(nvmf_subsystem_remove_listener) \
    guard(nvmf_subsystem_listener_set_ana_state) \
    guard(nvmf_subsystem_add_ns) \
    guard(nvmf_subsystem_remove_ns) \
    guard(nvmf_subsystem_set_ns_ana_group) \
    guard(nvmf_ns_add_host) \
    guard(nvmf_ns_remove_host) \
    guard(nvmf_subsystem_add_host) \
    guard(nvmf_subsystem_remove_host) \
    guard(nvmf_subsystem_set_keys) \
    guard(nvmf_subsystem_allow_any_host)

typedef struct guarded_subsystem
{
    char *nqn;
    STAILQ_ENTRY(guarded_subsystem) link;
} guarded_subsystem;

/* On the application thread, as are methods. */
static STAILQ_HEAD(, guarded_subsystem) guarded = STAILQ_HEAD_INITIALIZER(guarded);

int32_t millrace_spdk_subsystem_guard(const char *nqn, const int32_t is_guarded)
{
    guarded_subsystem *each;
    STAILQ_FOREACH(each, &guarded, link)
    {
        if (0 == strcmp(nqn, each->nqn))
        {
            STAILQ_REMOVE(&guarded, each, guarded_subsystem, link);
            free(each->nqn);
            free(each);
            break;
        }
    }
    if (0 == is_guarded)
    {
        return 0;
    }
    guarded_subsystem *const added = calloc(1, sizeof(*added));
    char *const copy = strdup(nqn);
    if (NULL == added || NULL == copy)
    {
        free(added);
        free(copy);
        return -ENOMEM;
    }
    added->nqn = copy;
    STAILQ_INSERT_HEAD(&guarded, added, link);
    return 0;
}

static void call(struct spdk_jsonrpc_request *request, const struct spdk_json_val *params, const spdk_rpc_method_handler handler)
{
    struct spdk_json_val *nqn;
    if (!millrace_spdk_is_configuring() && NULL != params &&
        0 == spdk_json_find_string((struct spdk_json_val *)(uintptr_t)params, "nqn", NULL, &nqn))
    {
        guarded_subsystem *each;
        STAILQ_FOREACH(each, &guarded, link)
        {
            if (spdk_json_strequal(nqn, each->nqn))
            {
                spdk_jsonrpc_send_error_response_fmt(request, SPDK_JSONRPC_ERROR_INVALID_STATE,
                    "subsystem %s is the data plane's, which SPDK's target follows: change it with 'millrace subsystem', "
                    "'namespace', 'host', 'listener' or 'ana'", each->nqn);
                return;
            }
        }
    }
    handler(request, params);
}

#define GUARD(method) \
    static spdk_rpc_method_handler spdk_##method; \
    static void guard_##method(struct spdk_jsonrpc_request *request, const struct spdk_json_val *params) \
    { \
        call(request, params, spdk_##method); \
    }
GUARDED(GUARD)

static spdk_rpc_method_handler spdk_nvmf_delete_target;

/* Of a target with subsystems that are active, SPDK's method never ends, and leaves hosts on what is half destroyed. */
static void guard_nvmf_delete_target(struct spdk_jsonrpc_request *request, const struct spdk_json_val *params)
{
    struct spdk_json_val *name;
    if (NULL != params && 0 == spdk_json_find_string((struct spdk_json_val *)(uintptr_t)params, "name", NULL, &name) &&
        spdk_json_strequal(name, TARGET))
    {
        spdk_jsonrpc_send_error_response(request, SPDK_JSONRPC_ERROR_INVALID_STATE,
            "target " TARGET " is the data plane's, and ends with it: delete its subsystems and listeners instead");
        return;
    }
    spdk_nvmf_delete_target(request, params);
}

#define REPLACE(method) \
    if (0 == strcmp(name, #method)) \
    { \
        spdk_##method = handler; \
        return guard_##method; \
    }

static spdk_rpc_method_handler guarded_handler(const char *name, spdk_rpc_method_handler handler)
{
    GUARDED(REPLACE)
    REPLACE(nvmf_delete_target)
    return handler;
}

/*
 * In place of SPDK's own, which is called for all methods but those of libspdk_event: SPDK's front ends bring that library in.
 * Constructors of SPDK's libraries call it.
 */
void spdk_rpc_register_method(const char *name, spdk_rpc_method_handler handler, const uint32_t states)
{
    Dl_info info;
    if (0 != dladdr((const void *)(uintptr_t)handler, &info) && NULL != strstr(info.dli_fname, "/" REACTORS))
    {
        return;
    }
    const register_method next = (register_method)(uintptr_t)dlsym(RTLD_NEXT, "spdk_rpc_register_method");
    if (NULL != next)
    {
        next(name, guarded_handler(name, handler), states);
    }
}
