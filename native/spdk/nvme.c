/* Namespaces of NVMe controllers that SPDK's driver has: the one of a bdev stays the same when its controller is connected again. */
#include "internal.h"

#include <dlfcn.h>
#include <stdio.h>

#include "spdk/module/bdev/nvme.h"
#include "spdk/nvme.h"

typedef int (*reconnect_poll)(struct spdk_nvme_ctrlr *controller);

/* A controller that was lost, until it is connected with its former namespaces: what it says of them is not whole. */
struct lost
{
    const struct spdk_nvme_ctrlr *controller;
    bool is_foreign;
    TAILQ_ENTRY(lost) link;
};

static TAILQ_HEAD(, lost) all_lost = TAILQ_HEAD_INITIALIZER(all_lost);

static struct lost *find_lost(const struct spdk_nvme_ctrlr *controller)
{
    struct lost *each;
    TAILQ_FOREACH(each, &all_lost, link)
    {
        if (controller == each->controller)
        {
            return each;
        }
    }
    return NULL;
}

static void forget(struct lost *lost)
{
    TAILQ_REMOVE(&all_lost, lost, link);
    free(lost);
}

static struct spdk_bdev_nvme_ctrlr *find_group(const char *name)
{
    struct spdk_bdev_nvme_ctrlr *each = spdk_bdev_nvme_first_bdev_ctrlr();
    while (NULL != each && 0 != strcmp(name, spdk_bdev_nvme_ctrlr_get_name(each)))
    {
        each = spdk_bdev_nvme_next_bdev_ctrlr(each);
    }
    return each;
}

bool millrace_spdk_nvme_has(const char *controller)
{
    return NULL != find_group(controller);
}

int32_t millrace_spdk_nvme_flush(void)
{
    struct spdk_bdev_nvme_opts opts;
    memset(&opts, 0, sizeof(opts));
    spdk_bdev_nvme_get_opts(&opts, sizeof(opts));
    opts.enable_flush = true;
    return spdk_bdev_nvme_set_opts(&opts);
}

static bool has_controller(struct spdk_bdev_nvme_ctrlr *group, const struct spdk_nvme_ctrlr *controller)
{
    struct spdk_nvme_ctrlr *each = spdk_bdev_nvme_ctrlr_first_ctrlr(group);
    while (NULL != each && controller != each)
    {
        each = spdk_bdev_nvme_ctrlr_next_ctrlr(group, each);
    }
    return NULL != each;
}

/* SPDK frees controllers without a word. */
static void forget_freed(void)
{
    struct lost *each;
    struct lost *next;
    TAILQ_FOREACH_SAFE(each, &all_lost, link, next)
    {
        struct spdk_bdev_nvme_ctrlr *group = spdk_bdev_nvme_first_bdev_ctrlr();
        while (NULL != group && !has_controller(group, each->controller))
        {
            group = spdk_bdev_nvme_next_bdev_ctrlr(group);
        }
        if (NULL == group)
        {
            forget(each);
        }
    }
}

static void identify(struct spdk_nvme_ctrlr *controller, struct spdk_nvme_ns *namespace, millrace_spdk_identity *identity)
{
    const struct spdk_nvme_ns_data *const data = spdk_nvme_ns_get_data(namespace);
    const struct spdk_uuid *const uuid = spdk_nvme_ns_get_uuid(namespace);
    memset(identity, 0, sizeof(*identity));
    if (NULL != uuid)
    {
        identity->uuid = *uuid;
    }
    memcpy(identity->nguid, data->nguid, sizeof(identity->nguid));
    identity->eui64 = data->eui64;
    identity->block_bytes = spdk_nvme_ns_get_sector_size(namespace);
    static const uint8_t none[16];
    if (0 == identity->eui64 && 0 == memcmp(none, identity->nguid, sizeof(none)) &&
        0 == memcmp(none, &identity->uuid, sizeof(none)))
    {
        /* It has no identifiers: what else tells it apart. */
        identity->blocks = spdk_nvme_ns_get_num_sectors(namespace);
        memcpy(identity->serial, spdk_nvme_ctrlr_get_data(controller)->sn, sizeof(identity->serial));
    }
}

static bool is_foreign(struct spdk_nvme_ctrlr *controller, const millrace_spdk_bdev *bdev)
{
    if (!spdk_nvme_ctrlr_is_active_ns(controller, bdev->nsid))
    {
        /* It is gone, and may come back. */
        return false;
    }
    millrace_spdk_identity now;
    identify(controller, spdk_nvme_ctrlr_get_ns(controller, bdev->nsid), &now);
    return 0 != memcmp(&bdev->identity, &now, sizeof(now));
}

bool millrace_spdk_nvme_watch(millrace_spdk_bdev *bdev)
{
    const char *const name = spdk_bdev_get_name(bdev->bdev);
    const char *const end = strrchr(name, 'n');
    if (0 != strcmp("NVMe disk", spdk_bdev_get_product_name(bdev->bdev)) || NULL == end)
    {
        return true;
    }
    snprintf(bdev->controller, sizeof(bdev->controller), "%.*s", (int)(end - name), name);
    struct spdk_bdev_nvme_ctrlr *const group = find_group(bdev->controller);
    const uint32_t nsid = (uint32_t)strtoul(end + 1, NULL, 10);
    struct spdk_nvme_ctrlr *each = NULL == group ? NULL : spdk_bdev_nvme_ctrlr_first_ctrlr(group);
    while (NULL != each && (NULL != find_lost(each) || !spdk_nvme_ctrlr_is_active_ns(each, nsid)))
    {
        each = spdk_bdev_nvme_ctrlr_next_ctrlr(group, each);
    }
    if (NULL == each)
    {
        return false;
    }
    bdev->nsid = nsid;
    identify(each, spdk_nvme_ctrlr_get_ns(each, nsid), &bdev->identity);
    return true;
}

static bool has_foreign(millrace_spdk_reactor *application, struct spdk_nvme_ctrlr *controller)
{
    const millrace_spdk_bdev *each;
    TAILQ_FOREACH(each, &application->bdevs, link)
    {
        struct spdk_bdev_nvme_ctrlr *const group = 0 == each->nsid ? NULL : find_group(each->controller);
        if (NULL != group && has_controller(group, controller) && is_foreign(controller, each))
        {
            return true;
        }
    }
    return false;
}

/* Whether no path of a bdev can be used, since those that answer have another namespace. */
static bool is_refused(const millrace_spdk_bdev *bdev)
{
    struct spdk_bdev_nvme_ctrlr *const group = find_group(bdev->controller);
    struct spdk_nvme_ctrlr *each = NULL == group ? NULL : spdk_bdev_nvme_ctrlr_first_ctrlr(group);
    bool is_any = false;
    while (NULL != each)
    {
        const struct lost *const lost = find_lost(each);
        if (NULL == lost || !lost->is_foreign)
        {
            return false;
        }
        is_any = true;
        each = spdk_bdev_nvme_ctrlr_next_ctrlr(group, each);
    }
    return is_any;
}

static void report(millrace_spdk_reactor *application)
{
    millrace_spdk_bdev *each;
    TAILQ_FOREACH(each, &application->bdevs, link)
    {
        if (0 != each->nsid && each->is_refused != is_refused(each))
        {
            each->is_refused = !each->is_refused;
            each->is_refusal_due = true;
            application->has_events = true;
        }
    }
}

/*
 * In place of SPDK's own, which is called first, by SPDK's module for NVMe, on the application thread. When it has connected
 * a controller, no queue for I/O is connected yet, and requests that wait are sent once one is: a controller with another
 * namespace counts as not connected, and is tried again.
 */
int spdk_nvme_ctrlr_reconnect_poll_async(struct spdk_nvme_ctrlr *controller)
{
    static reconnect_poll next;
    if (NULL == next)
    {
        next = (reconnect_poll)(uintptr_t)dlsym(RTLD_NEXT, "spdk_nvme_ctrlr_reconnect_poll_async");
    }
    millrace_spdk_reactor *const application = millrace_spdk_application();
    struct lost *lost = find_lost(controller);
    if (NULL == lost)
    {
        lost = calloc(1, sizeof(*lost));
        if (NULL == lost)
        {
            return -ENOMEM;
        }
        lost->controller = controller;
        TAILQ_INSERT_TAIL(&all_lost, lost, link);
    }
    const int result = next(controller);
    if (-EAGAIN == result)
    {
        return result;
    }
    const bool is_other = 0 == result && has_foreign(application, controller);
    if (is_other)
    {
        lost->is_foreign = true;
    }
    else if (0 == result)
    {
        forget(lost);
    }
    report(application);
    if (is_other)
    {
        SPDK_ERRLOG("a controller has another namespace than before: it is not used\n");
        spdk_nvme_ctrlr_fail(controller);
        return -ENXIO;
    }
    return result;
}

void millrace_spdk_nvme_check(millrace_spdk_reactor *application)
{
    /* Before the next controller, which may be at the same address. */
    forget_freed();
    const millrace_spdk_bdev *each;
    TAILQ_FOREACH(each, &application->bdevs, link)
    {
        struct spdk_bdev_nvme_ctrlr *const group = 0 == each->nsid ? NULL : find_group(each->controller);
        struct spdk_nvme_ctrlr *controller = NULL == group ? NULL : spdk_bdev_nvme_ctrlr_first_ctrlr(group);
        while (NULL != controller)
        {
            if (NULL == find_lost(controller) && !spdk_nvme_ctrlr_is_failed(controller) && is_foreign(controller, each))
            {
                /* SPDK connects it again, and finds out. */
                spdk_nvme_ctrlr_fail(controller);
            }
            controller = spdk_bdev_nvme_ctrlr_next_ctrlr(group, controller);
        }
    }
}
