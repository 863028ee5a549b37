/*
 * The least that a verbs provider can do, for measurements: requests that ask for a completion have one at once, and nothing is moved.
 * The functions find its memory by the context of the queue: behind it.
 */
#include <infiniband/verbs.h>
#include <stddef.h>

#define COMPLETIONS 1024

struct stub
{
    struct ibv_context context;
    uint64_t posted_count;
    uint64_t polled_count;
    uint64_t ids[COMPLETIONS];
};

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    struct stub *stub = (struct stub *)qp->context;
    (void)bad;
    for (; wr; wr = wr->next)
    {
        if (wr->send_flags & IBV_SEND_SIGNALED)
        {
            stub->ids[stub->posted_count++ % COMPLETIONS] = wr->wr_id;
        }
    }
    return 0;
}

static void wr_start(struct ibv_qp_ex *qp)
{
    (void)qp;
}

static void wr_send(struct ibv_qp_ex *qp)
{
    struct stub *stub = (struct stub *)qp->qp_base.context;
    if (qp->wr_flags & IBV_SEND_SIGNALED)
    {
        stub->ids[stub->posted_count++ % COMPLETIONS] = qp->wr_id;
    }
}

static void wr_set_sge(struct ibv_qp_ex *qp, uint32_t key, uint64_t address, uint32_t length)
{
    (void)qp;
    (void)key;
    (void)address;
    (void)length;
}

static int wr_complete(struct ibv_qp_ex *qp)
{
    (void)qp;
    return 0;
}

static int poll_cq(struct ibv_cq *cq, int max, struct ibv_wc *completions)
{
    struct stub *stub = (struct stub *)cq->context;
    int count = 0;
    while (count < max && stub->polled_count != stub->posted_count)
    {
        struct ibv_wc *completion = &completions[count++];
        completion->wr_id = stub->ids[stub->polled_count++ % COMPLETIONS];
        completion->status = IBV_WC_SUCCESS;
        completion->wc_flags = 0;
    }
    return count;
}

uint64_t stub_bytes(void)
{
    return sizeof(struct stub);
}

/* Where an extended queue pair has what its calls are made by, which depends on the processor's pthread_mutex_t. */
void stub_offsets(uint64_t offsets[6])
{
    offsets[0] = offsetof(struct ibv_qp_ex, wr_id);
    offsets[1] = offsetof(struct ibv_qp_ex, wr_flags);
    offsets[2] = offsetof(struct ibv_qp_ex, wr_start);
    offsets[3] = offsetof(struct ibv_qp_ex, wr_send);
    offsets[4] = offsetof(struct ibv_qp_ex, wr_set_sge);
    offsets[5] = offsetof(struct ibv_qp_ex, wr_complete);
}

/* Makes zeroed memory a context, and queues that it has. */
void stub_open(struct stub *stub, struct ibv_qp_ex *qp, struct ibv_cq *cq)
{
    stub->context.ops.post_send = post_send;
    stub->context.ops.poll_cq = poll_cq;
    qp->wr_start = wr_start;
    qp->wr_send = wr_send;
    qp->wr_set_sge = wr_set_sge;
    qp->wr_complete = wr_complete;
    qp->qp_base.context = &stub->context;
    cq->context = &stub->context;
}
