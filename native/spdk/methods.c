/* Methods of SPDK's JSON-RPC that this process must not have. */
#include "internal.h"

#include <dlfcn.h>

/* Its methods are for reactors of SPDK, and end a process that has none. */
#define REACTORS "libspdk_event.so"

typedef void (*register_method)(const char *name, spdk_rpc_method_handler handler, uint32_t states);

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
        next(name, handler, states);
    }
}
