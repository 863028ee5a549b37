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
#define TOLD_APART(method) \
    GUARDED(method) \
    method(nvmf_create_subsystem) \
    method(bdev_nvme_attach_controller) \
    method(bdev_nvme_detach_controller)

typedef struct guarded_subsystem
{
    char *nqn;
    STAILQ_ENTRY(guarded_subsystem) link;
} guarded_subsystem;

/* An address of the data plane, at which SPDK's discovery service is reached. */
typedef struct guarded_address
{
    char *address;
    char *service;
    STAILQ_ENTRY(guarded_address) link;
} guarded_address;

/* A controller that SPDK's NVMe driver has for devices of the data plane. */
struct millrace_spdk_controller
{
    char *name;
    /* Calls of Millrace that have not ended: SPDK has the controller when the first has. */
    int32_t attaching;
    STAILQ_ENTRY(millrace_spdk_controller) link;
};

/* All on the application thread, as are methods. */
static STAILQ_HEAD(, guarded_subsystem) guarded = STAILQ_HEAD_INITIALIZER(guarded);
static STAILQ_HEAD(, guarded_address) addresses = STAILQ_HEAD_INITIALIZER(addresses);
static STAILQ_HEAD(, millrace_spdk_controller) controllers = STAILQ_HEAD_INITIALIZER(controllers);
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

static void use_up(millrace_spdk_own_call *call)
{
    if (call->is_expected)
    {
        LIST_REMOVE(call, link);
        call->is_expected = false;
    }
}

void millrace_spdk_own_end(millrace_spdk_own_call *call)
{
    use_up(call);
    if (NULL != call->controller)
    {
        call->controller->attaching--;
        call->controller = NULL;
    }
}

/* The call of Millrace that a request is of, whose secret is used up; its parameters are without it then. NULL: of somebody else. */
static millrace_spdk_own_call *find_own(const struct spdk_json_val **all)
{
    struct spdk_json_val *const params = (struct spdk_json_val *)(uintptr_t)*all;
    /* SPDK has found out that it is an object or an array, so that something follows its begin. */
    if (NULL == params || !spdk_json_strequal(&params[1], MILLRACE_SPDK_SECRET))
    {
        return NULL;
    }
    millrace_spdk_own_call *each;
    LIST_FOREACH(each, &expected, link)
    {
        if (spdk_json_strequal(&params[2], each->secret))
        {
            use_up(each);
            params[2] = params[0];
            params[2].len -= 2;
            *all = &params[2];
            return each;
        }
    }
    return NULL;
}

static bool is_present(const char *nqn)
{
    struct spdk_nvmf_tgt *const target = spdk_nvmf_get_tgt(TARGET);
    return NULL != target && NULL != spdk_nvmf_tgt_find_subsystem(target, nqn);
}

/* Returns a member of parameters; NULL: they have none, or two, which SPDK refuses itself. */
static const struct spdk_json_val *find(const struct spdk_json_val *params, const char *name, const enum spdk_json_val_type type)
{
    struct spdk_json_val *found;
    return NULL != params && 0 == spdk_json_find((struct spdk_json_val *)(uintptr_t)params, name, NULL, &found, type) ? found : NULL;
}

static bool has(const struct spdk_json_val *params, const char *name, const char *value)
{
    const struct spdk_json_val *const found = find(params, name, SPDK_JSON_VAL_STRING);
    return NULL != found && spdk_json_strequal(found, value);
}

/* Whether parameters name a subsystem. */
static bool names(const struct spdk_json_val *params, const char *nqn)
{
    return has(params, "nqn", nqn) &&
        (NULL == find(params, "tgt_name", SPDK_JSON_VAL_STRING) || has(params, "tgt_name", TARGET));
}

static void out_of_memory(struct spdk_jsonrpc_request *request)
{
    spdk_jsonrpc_send_error_response(request, SPDK_JSONRPC_ERROR_INTERNAL_ERROR, "out of memory");
}

/* Whether SPDK's discovery service is reached at an address. */
static bool is_reached(const guarded_address *address)
{
    struct spdk_nvmf_tgt *const target = spdk_nvmf_get_tgt(TARGET);
    struct spdk_nvmf_subsystem *const discovery =
        NULL == target ? NULL : spdk_nvmf_tgt_find_subsystem(target, SPDK_NVMF_DISCOVERY_NQN);
    struct spdk_nvmf_subsystem_listener *each = NULL == discovery ? NULL : spdk_nvmf_subsystem_get_first_listener(discovery);
    while (NULL != each)
    {
        const struct spdk_nvme_transport_id *const id = spdk_nvmf_subsystem_listener_get_trid(each);
        if (0 == strcmp(address->address, id->traddr) && 0 == strcmp(address->service, id->trsvcid))
        {
            return true;
        }
        each = spdk_nvmf_subsystem_get_next_listener(discovery, each);
    }
    return false;
}

static guarded_address *find_address(const struct spdk_json_val *params)
{
    const struct spdk_json_val *const listener = find(params, "listen_address", SPDK_JSON_VAL_OBJECT_BEGIN);
    guarded_address *each;
    STAILQ_FOREACH(each, &addresses, link)
    {
        if (has(listener, "traddr", each->address) && has(listener, "trsvcid", each->service))
        {
            return each;
        }
    }
    return NULL;
}

static void free_address(guarded_address *address)
{
    free(address->address);
    free(address->service);
    free(address);
}

static void forget_address(guarded_address *address)
{
    if (NULL != address)
    {
        STAILQ_REMOVE(&addresses, address, guarded_address, link);
        free_address(address);
    }
}

/* Guards an address, unless others have it. Returns false without memory. */
static bool guard_address(const struct spdk_json_val *params)
{
    if (NULL != find_address(params))
    {
        /* SPDK refused it before, or has it. */
        return true;
    }
    const struct spdk_json_val *const listener = find(params, "listen_address", SPDK_JSON_VAL_OBJECT_BEGIN);
    const struct spdk_json_val *const address = find(listener, "traddr", SPDK_JSON_VAL_STRING);
    const struct spdk_json_val *const service = find(listener, "trsvcid", SPDK_JSON_VAL_STRING);
    guarded_address *const added = calloc(1, sizeof(*added));
    if (NULL == added)
    {
        return false;
    }
    added->address = NULL == address ? NULL : spdk_json_strdup(address);
    added->service = NULL == service ? NULL : spdk_json_strdup(service);
    if (NULL == added->address || NULL == added->service)
    {
        free_address(added);
        return NULL == address || NULL == service;
    }
    if (is_reached(added))
    {
        free_address(added);
        return true;
    }
    STAILQ_INSERT_HEAD(&addresses, added, link);
    return true;
}

/*
 * SPDK has its discovery subsystem by itself, and makes no other when it is gone. Others may have their addresses for it beside those
 * of the data plane. Returns whether a request is refused, and answered.
 */
static bool refuse_discovery(struct spdk_jsonrpc_request *request, const char *method, const struct spdk_json_val *params)
{
    if (0 == strcmp("nvmf_delete_subsystem", method))
    {
        spdk_jsonrpc_send_error_response(request, SPDK_JSONRPC_ERROR_INVALID_STATE,
            "the discovery subsystem is the data plane's, and ends with it: remove its listeners instead");
        return true;
    }
    guarded_address *const address = find_address(params);
    if (0 == strcmp("nvmf_subsystem_add_listener", method))
    {
        if (NULL != address && !is_reached(address))
        {
            forget_address(address);
        }
        return false;
    }
    if (0 == strcmp("nvmf_subsystem_remove_listener", method))
    {
        if (NULL == address || !is_reached(address))
        {
            return false;
        }
        spdk_jsonrpc_send_error_response_fmt(request, SPDK_JSONRPC_ERROR_INVALID_STATE,
            "listener %s:%s is the data plane's: remove it with 'millrace listener remove'", address->address, address->service);
        return true;
    }
    guarded_address *each;
    STAILQ_FOREACH(each, &addresses, link)
    {
        if (is_reached(each))
        {
            spdk_jsonrpc_send_error_response_fmt(request, SPDK_JSONRPC_ERROR_INVALID_STATE,
                "the discovery subsystem is the data plane's while listener %s:%s has it: remove those whose provider is spdk with "
                "'millrace listener remove' first", each->address, each->service);
            return true;
        }
    }
    return false;
}

static void call(
    struct spdk_jsonrpc_request *request, const char *method, const struct spdk_json_val *params,
    const spdk_rpc_method_handler handler)
{
    const bool is_own = NULL != find_own(&params);
    if (names(params, SPDK_NVMF_DISCOVERY_NQN))
    {
        if (!is_own && refuse_discovery(request, method, params))
        {
            return;
        }
        if (is_own && 0 == strcmp("nvmf_subsystem_add_listener", method) && !guard_address(params))
        {
            out_of_memory(request);
            return;
        }
        if (is_own && 0 == strcmp("nvmf_subsystem_remove_listener", method))
        {
            forget_address(find_address(params));
        }
    }
    guarded_subsystem *each;
    STAILQ_FOREACH(each, &guarded, link)
    {
        if (!is_own && names(params, each->nqn) && is_present(each->nqn))
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
        call(request, #method, params, original_##method); \
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
    const bool is_own = NULL != find_own(&params);
    const struct spdk_json_val *const nqn = find(params, "nqn", SPDK_JSON_VAL_STRING);
    if (!is_own || NULL == nqn)
    {
        original_nvmf_create_subsystem(request, params);
        return;
    }
    guarded_subsystem *const added = calloc(1, sizeof(*added));
    char *const copy = spdk_json_strdup(nqn);
    if (NULL == added || NULL == copy)
    {
        free(added);
        free(copy);
        out_of_memory(request);
        return;
    }
    added->nqn = copy;
    const bool was_present = is_present(copy);
    original_nvmf_create_subsystem(request, params);
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
    if (has(params, "name", TARGET))
    {
        spdk_jsonrpc_send_error_response(request, SPDK_JSONRPC_ERROR_INVALID_STATE,
            "target " TARGET " is the data plane's, and ends with it: delete its subsystems and listeners instead");
        return;
    }
    original_nvmf_delete_target(request, params);
}

/* The controller of the data plane that parameters name; NULL: others have it, or may. */
static millrace_spdk_controller *find_controller(const struct spdk_json_val *params)
{
    millrace_spdk_controller *each;
    STAILQ_FOREACH(each, &controllers, link)
    {
        if (has(params, "name", each->name))
        {
            return each;
        }
    }
    return NULL;
}

static void forget_controller(millrace_spdk_controller *controller)
{
    STAILQ_REMOVE(&controllers, controller, millrace_spdk_controller, link);
    free(controller->name);
    free(controller);
}

/* Returns whether a request is refused, and answered. */
static bool refuse_controller(struct spdk_jsonrpc_request *request, millrace_spdk_controller *controller)
{
    if (NULL == controller)
    {
        return false;
    }
    if (0 == controller->attaching && !millrace_spdk_nvme_has(controller->name))
    {
        /* The next of the name may be somebody else's. */
        forget_controller(controller);
        return false;
    }
    spdk_jsonrpc_send_error_response_fmt(request, SPDK_JSONRPC_ERROR_INVALID_STATE,
        "controller %s is the data plane's, which attaches and detaches it for its devices: use 'millrace device create' and "
        "'device delete'", controller->name);
    return true;
}

static spdk_rpc_method_handler original_bdev_nvme_attach_controller;

static void guard_bdev_nvme_attach_controller(struct spdk_jsonrpc_request *request, const struct spdk_json_val *params)
{
    millrace_spdk_own_call *const own = find_own(&params);
    millrace_spdk_controller *controller = find_controller(params);
    if (NULL == own)
    {
        if (!refuse_controller(request, controller))
        {
            original_bdev_nvme_attach_controller(request, params);
        }
        return;
    }
    const struct spdk_json_val *const name = find(params, "name", SPDK_JSON_VAL_STRING);
    if (NULL == controller && NULL != name)
    {
        controller = calloc(1, sizeof(*controller));
        char *const copy = spdk_json_strdup(name);
        if (NULL == controller || NULL == copy)
        {
            free(controller);
            free(copy);
            out_of_memory(request);
            return;
        }
        controller->name = copy;
        STAILQ_INSERT_HEAD(&controllers, controller, link);
        if (millrace_spdk_nvme_has(copy))
        {
            /* Others have attached it, and may detach it. */
            forget_controller(controller);
            controller = NULL;
        }
    }
    if (NULL != controller)
    {
        controller->attaching++;
        own->controller = controller;
    }
    original_bdev_nvme_attach_controller(request, params);
}

static spdk_rpc_method_handler original_bdev_nvme_detach_controller;

/* SPDK ends the process when a controller is detached that it is attaching; and devices would fail for which it is attached. */
static void guard_bdev_nvme_detach_controller(struct spdk_jsonrpc_request *request, const struct spdk_json_val *params)
{
    const bool is_own = NULL != find_own(&params);
    millrace_spdk_controller *const controller = find_controller(params);
    if (!is_own && refuse_controller(request, controller))
    {
        return;
    }
    if (is_own && NULL != controller && 0 == controller->attaching)
    {
        /* What SPDK does not detach now, others may. */
        forget_controller(controller);
    }
    original_bdev_nvme_detach_controller(request, params);
}

static spdk_rpc_method_handler original_bdev_nvme_set_options;

/* What SPDK's save_config wrote has drives not flush, whenever it is loaded. */
static void guard_bdev_nvme_set_options(struct spdk_jsonrpc_request *request, const struct spdk_json_val *params)
{
    original_bdev_nvme_set_options(request, params);
    /* Refused while there are controllers, as the method is. */
    millrace_spdk_nvme_flush();
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
    REPLACE(bdev_nvme_set_options)
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
