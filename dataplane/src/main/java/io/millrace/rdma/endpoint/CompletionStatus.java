package io.millrace.rdma.endpoint;

import io.millrace.bindings.verbs.Verbs;

/**
 * How a request of a queue pair ended, with what to check. After any but {@link #SUCCESS} the queue pair has failed:
 * all that is outstanding on it ends as {@link #FLUSHED}. Immutable; any thread.
 */
public enum CompletionStatus
{
    /** Done. */
    SUCCESS(Verbs.IBV_WC_SUCCESS, "SUCCESS", "done"),
    /** A message is longer than the receive request, or than the device can send. */
    LENGTH(Verbs.IBV_WC_LOC_LEN_ERR, "LOC_LEN_ERR",
        "a message is longer than its buffer, or than the port's largest message"),
    /** The device does not take such a request. */
    REQUEST(Verbs.IBV_WC_LOC_QP_OP_ERR, "LOC_QP_OP_ERR",
        "the device does not take the request: check its opcode and segments"),
    /** Memory of this machine is not registered, or not for that. */
    PROTECTION(Verbs.IBV_WC_LOC_PROT_ERR, "LOC_PROT_ERR",
        "memory is not registered for what was asked: check key, bounds and access"),
    /** The queue pair had failed or was closed. */
    FLUSHED(Verbs.IBV_WC_WR_FLUSH_ERR, "WR_FLUSH_ERR", "the connection ended before"),
    /** A memory window was not bound. */
    WINDOW(Verbs.IBV_WC_MW_BIND_ERR, "MW_BIND_ERR", "a memory window was not bound"),
    /** The peer's answer is none to the request. */
    BAD_RESPONSE(Verbs.IBV_WC_BAD_RESP_ERR, "BAD_RESP_ERR",
        "the peer sent an answer that does not belong to the request: update drivers and firmware of both adapters"),
    /** A request of the peer did not fit what is registered here. */
    LOCAL_ACCESS(Verbs.IBV_WC_LOC_ACCESS_ERR, "LOC_ACCESS_ERR",
        "the peer's data did not fit the registered memory here"),
    /** The peer's device found the request invalid. */
    REMOTE_INVALID(Verbs.IBV_WC_REM_INV_REQ_ERR, "REM_INV_REQ_ERR",
        "the peer found the request invalid: check length and opcode"),
    /** Key, bounds or access at the peer. */
    REMOTE_ACCESS(Verbs.IBV_WC_REM_ACCESS_ERR, "REM_ACCESS_ERR",
        "the peer refused the access: check key, bounds and rights there"),
    /** The peer's queue pair or its receive request failed. */
    REMOTE_OPERATION(Verbs.IBV_WC_REM_OP_ERR, "REM_OP_ERR",
        "the queue pair of the peer failed, as by a message longer than its buffer: check sizes, and its kernel's log"),
    /** No answer came, however often it was sent. */
    RETRIES(Verbs.IBV_WC_RETRY_EXC_ERR, "RETRY_EXC_ERR",
        "the peer does not answer: check the link and whether its process lives"),
    /** The peer had no receive request, for longer than is waited for one. */
    RECEIVER_NOT_READY(Verbs.IBV_WC_RNR_RETRY_EXC_ERR, "RNR_RETRY_EXC_ERR",
        "the peer had no receive request: check its queue depth"),
    /** The peer gave the request up. */
    REMOTE_ABORT(Verbs.IBV_WC_REM_ABORT_ERR, "REM_ABORT_ERR", "the peer gave the request up"),
    /** The device failed. */
    DEVICE(Verbs.IBV_WC_FATAL_ERR, "FATAL_ERR", "the device failed: see the kernel's log"),
    /** The answer came too late. */
    TIMEOUT(Verbs.IBV_WC_RESP_TIMEOUT_ERR, "RESP_TIMEOUT_ERR", "the answer of the peer came too late"),
    /** Another error. */
    OTHER(Verbs.IBV_WC_GENERAL_ERR, "GENERAL_ERR", "the device reports an error without a name: see the kernel's log");

    private static final CompletionStatus[] BY_NUMBER = new CompletionStatus[32];

    static
    {
        for (final CompletionStatus each : values())
        {
            BY_NUMBER[each.number] = each;
        }
    }

    private final int number;
    private final String verbsName;
    private final String text;

    CompletionStatus(final int number, final String verbsName, final String text)
    {
        this.number = number;
        this.verbsName = verbsName;
        this.text = text;
    }

    /**
     * {@return the status by its number; {@link #OTHER} for an unknown one}
     *
     * @param number {@code IBV_WC_*}.
     */
    static CompletionStatus of(final int number)
    {
        final CompletionStatus status = number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : null;
        return null == status ? OTHER : status;
    }

    /**
     * {@return the name that verbs have for it, without {@code IBV_WC_}, by which users see it counted}
     */
    public String verbsName()
    {
        return verbsName;
    }

    /**
     * {@return what happened and what to check, as a clause}
     */
    public String text()
    {
        return text;
    }
}
