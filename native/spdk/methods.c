/* Methods of SPDK's JSON-RPC that this process must not have, or not for all subsystems. */
#include "internal.h"

#include <dlfcn.h>

#include "spdk/json.h"
#include "spdk/jsonrpc.h"
#include "spdk/nvmf.h"
#include "spdk/util.h"

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

/* Requests of Millrace for these are told from others by a secret that holds for one request. */
#define TOLD_APART(method) GUARDED(method) method(nvmf_create_subsystem)

typedef struct guarded_subsystem
{
    char *nqn;
    STAILQ_ENTRY(guarded_subsystem) link;
} guarded_subsystem;

/* Both on the application thread, as are methods. */
static STAILQ_HEAD(, guarded_subsystem) guarded = STAILQ_HEAD_INITIALIZER(guarded);
static LIST_HEAD(, millrace_spdk_own_call) expected = LIST_HEAD_INITIALIZER(expected);

#define NAME(method) #method,

int32_t millrace_spdk_own_begin(millrace_spdk_own_call *call, const char *method)
{
    static const char *const names[] = {TOLD_APART(NAME)};
    for (size_t i = 0; i < SPDK_COUNTOF(names); i++)
    {
        if (0 == strcmp(names[i], method))
        {
            uint8_t random[(sizeof(call->secret) - 1) / 2];
            if (0 != getentropy(random, sizeof(random)))
            {
                return -errno;
            }
            for (size_t j = 0; j < sizeof(random); j++)
            {
                snprintf(call->secret + 2 * j, 3, "%02x", random[j]);
            }
            call->is_expected = true;
            LIST_INSERT_HEAD(&expected, call, link);
            break;
        }
    }
    return 0;
}

void millrace_spdk_own_end(millrace_spdk_own_call *call)
{
    if (call->is_expected)
    {
        LIST_REMOVE(call, link);
        call->is_expected = false;
    }
}

/* The parameters of a call of Millrace without the secret, which is used up; NULL: the request is of somebody else. */
static struct spdk_json_val *own_params(struct spdk_json_val *params)
{
    if (NULL == params || SPDK_JSON_VAL_OBJECT_BEGIN != params->type || params->len < 2 ||
        !spdk_json_strequal(&params[1], MILLRACE_SPDK_SECRET))
    {
        return NULL;
    }
    millrace_spdk_own_call *each;
    LIST_FOREACH(each, &expected, link)
    {
        if (spdk_json_strequal(&params[2], each->secret))
        {
            millrace_spdk_own_end(each);
            params[2] = params[0];
            params[2].len -= 2;
            return &params[2];
        }
    }
    return NULL;
}

static bool is_present(const char *nqn)
{
    struct spdk_nvmf_tgt *const target = spdk_nvmf_get_tgt(TARGET);
    return NULL != target && NULL != spdk_nvmf_tgt_find_subsystem(target, nqn);
}

/* Whether parameters name a subsystem. Those that SPDK refuses itself, as they name two or none, name none. */
static bool names(const struct spdk_json_val *params, const char *nqn)
{
    struct spdk_json_val *found;
    struct spdk_json_val *target = NULL;
    struct spdk_json_val *const object = (struct spdk_json_val *)(uintptr_t)params;
    return NULL != params && 0 == spdk_json_find_string(object, "nqn", NULL, &found) && spdk_json_strequal(found, nqn) &&
        (0 != spdk_json_find_string(object, "tgt_name", NULL, &target) || spdk_json_strequal(target, TARGET));
}

static void call(struct spdk_jsonrpc_request *request, const struct spdk_json_val *params, const spdk_rpc_method_handler handler)
{
    struct spdk_json_val *const own = own_params((struct spdk_json_val *)(uintptr_t)params);
    if (NULL != own)
    {
        handler(request, own);
        return;
    }
    guarded_subsystem *each;
    STAILQ_FOREACH(each, &guarded, link)
    {
        if (names(params, each->nqn) && is_present(each->nqn))
        {
            spdk_jsonrpc_send_error_response_fmt(request, SPDK_JSONRPC_ERROR_INVALID_STATE,
                "subsystem %s is the data plane's, which SPDK's target follows: change it with 'millrace subsystem', "
                "'namespace', 'host', 'listener' or 'ana'", each->nqn);
            return;
        }
    }
    handler(request, params);
}

#define GUARD(method) \
    static spdk_rpc_method_handler original_##method; \
    static void guard_##method(struct spdk_jsonrpc_request *request, const struct spdk_json_val *params) \
    { \
        call(request, params, original_##method); \
    }
GUARDED(GUARD)

/* Of subsystems that are gone, since the next of the same name may be somebody else's. */
static void end_guards(void)
{
    guarded_subsystem *each;
    guarded_subsystem *next;
    STAILQ_FOREACH_SAFE(each, &guarded, link, next)
    {
        if (!is_present(each->nqn))
        {
            STAILQ_REMOVE(&guarded, each, guarded_subsystem, link);
            free(each->nqn);
            free(each);
        }
    }
}

static spdk_rpc_method_handler original_nvmf_create_subsystem;

/* What Millrace makes is guarded from the same turn on, as long as SPDK has it. */
static void guard_nvmf_create_subsystem(struct spdk_jsonrpc_request *request, const struct spdk_json_val *params)
{
    end_guards();
    struct spdk_json_val *const own = own_params((struct spdk_json_val *)(uintptr_t)params);
    struct spdk_json_val *nqn;
    if (NULL == own || 0 != spdk_json_find_string(own, "nqn", NULL, &nqn))
    {
        original_nvmf_create_subsystem(request, NULL == own ? params : own);
        return;
    }
    guarded_subsystem *const added = calloc(1, sizeof(*added));
    char *const copy = spdk_json_strdup(nqn);
    if (NULL == added || NULL == copy)
    {
        free(added);
        free(copy);
        spdk_jsonrpc_send_error_response(request, SPDK_JSONRPC_ERROR_INTERNAL_ERROR, "out of memory");
        return;
    }
    added->nqn = copy;
    const bool was_present = is_present(copy);
    original_nvmf_create_subsystem(request, own);
    if (was_present || !is_present(copy))
    {
        free(copy);
        free(added);
        return;
    }
    STAILQ_INSERT_HEAD(&guarded, added, link);
}

static spdk_rpc_method_handler original_nvmf_delete_target;

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
    original_nvmf_delete_target(request, params);
}

#define REPLACE(method) \
    if (0 == strcmp(name, #method)) \
    { \
        original_##method = handler; \
        return guard_##method; \
    }

static spdk_rpc_method_handler guarded_handler(const char *name, spdk_rpc_method_handler handler)
{
    TOLD_APART(REPLACE)
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
