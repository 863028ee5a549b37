/*
 * Functions of a verbs provider for tests of queue pairs: what is posted is written into a record in memory, and what a test
 * writes there is completed. The functions find the record by the context of the queue: behind it.
 */
#include <infiniband/verbs.h>

#include <string.h>

#define RECORDS 1024
#define SEGMENTS 4

struct posted
{
    struct ibv_send_wr wr; /* of a receive request the fields that it has: wr_id, next, sg_list, num_sge */
    struct ibv_sge segments[SEGMENTS];
};

struct record
{
    struct ibv_context context;
    uint64_t sent_count;
    uint64_t received_count;
    uint64_t completed_count; /* by the test */
    uint64_t polled_count;
    uint64_t notification_count;
    int64_t post_status;
    int64_t poll_status; /* negative: the queue is broken */
    uint64_t doorbell_count; /* lists of send requests */
    uint64_t receive_doorbell_count;
    uint64_t sent_before_receives; /* sent_count when the last receive requests were posted */
    struct posted sent[RECORDS];
    struct posted received[RECORDS];
    struct ibv_wc completions[RECORDS];
};

static void copy_segments(struct posted *to, const struct ibv_sge *list, int count)
{
    for (int i = 0; i < count && i < SEGMENTS; i++)
    {
        to->segments[i] = list[i];
    }
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    struct record *record = (struct record *)qp->context;
    record->doorbell_count++;
    *bad = wr;
    for (; wr; wr = wr->next)
    {
        struct posted *to = &record->sent[record->sent_count++ % RECORDS];
        to->wr = *wr;
        copy_segments(to, wr->sg_list, wr->num_sge);
    }
    return (int)record->post_status;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    struct record *record = (struct record *)qp->context;
    record->receive_doorbell_count++;
    record->sent_before_receives = record->sent_count;
    *bad = wr;
    for (; wr; wr = wr->next)
    {
        struct posted *to = &record->received[record->received_count++ % RECORDS];
        memset(&to->wr, 0, sizeof(to->wr));
        to->wr.wr_id = wr->wr_id;
        to->wr.num_sge = wr->num_sge;
        copy_segments(to, wr->sg_list, wr->num_sge);
    }
    return (int)record->post_status;
}

static int poll_cq(struct ibv_cq *cq, int max, struct ibv_wc *completions)
{
    struct record *record = (struct record *)cq->context;
    int count = 0;
    if (record->poll_status < 0)
    {
        return (int)record->poll_status;
    }
    while (count < max && record->polled_count < record->completed_count)
    {
        completions[count++] = record->completions[record->polled_count++ % RECORDS];
    }
    return count;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
    ((struct record *)cq->context)->notification_count += !solicited_only;
    return 0;
}

/* Where a test finds things: bytes of a record; then offsets in it, in the order of the structure; then the size of a posted one. */
void model_layout(uint64_t *values)
{
    values[0] = sizeof(struct record);
    values[1] = offsetof(struct record, sent_count);
    values[2] = offsetof(struct record, sent);
    values[3] = offsetof(struct record, received);
    values[4] = offsetof(struct record, completions);
    values[5] = sizeof(struct posted);
    values[6] = offsetof(struct posted, segments);
}

/* Makes a record of zeros a context, and queues that it has. */
void model_open(struct record *record, struct ibv_qp *qp, struct ibv_cq *cq)
{
    record->context.ops.post_send = post_send;
    record->context.ops.post_recv = post_recv;
    record->context.ops.poll_cq = poll_cq;
    record->context.ops.req_notify_cq = req_notify_cq;
    qp->context = &record->context;
    cq->context = &record->context;
}
