/* SIGBUS, which SPDK's environment takes for itself when it is loaded, and which the JVM needs. */
#include "internal.h"

#include <signal.h>

static struct sigaction former;
static struct sigaction of_spdk;
/* What the thread last gave to SPDK. Initial exec: nothing is allocated in a handler. */
static __thread __attribute__((tls_model("initial-exec"))) const void *last_address;

static void on_bus_error(int signal, siginfo_t *info, void *context)
{
    /* SPDK's handler maps other memory where a drive was pulled, and says nothing: what faults again is not a drive's. */
    if (info->si_code > 0 && last_address != info->si_addr)
    {
        last_address = info->si_addr;
        of_spdk.sa_sigaction(signal, info, context);
        return;
    }
    last_address = NULL;
    if (0 != (former.sa_flags & SA_SIGINFO))
    {
        former.sa_sigaction(signal, info, context);
    }
    else if (SIG_DFL != former.sa_handler && SIG_IGN != former.sa_handler)
    {
        former.sa_handler(signal);
    }
    else
    {
        /* The instruction is tried again, and ends the process. */
        sigaction(signal, &former, NULL);
    }
}

int32_t millrace_spdk_signals_chain(const void *before)
{
    if (0 != sigaction(SIGBUS, NULL, &of_spdk))
    {
        return -errno;
    }
    memcpy(&former, before, sizeof(former));
    if (0 == (of_spdk.sa_flags & SA_SIGINFO) || of_spdk.sa_sigaction == former.sa_sigaction)
    {
        /* SPDK has taken nothing. */
        return 0;
    }
    struct sigaction both;
    memset(&both, 0, sizeof(both));
    both.sa_sigaction = on_bus_error;
    both.sa_mask = former.sa_mask;
    both.sa_flags = former.sa_flags | SA_SIGINFO | SA_ONSTACK;
    return 0 == sigaction(SIGBUS, &both, NULL) ? 0 : -errno;
}
