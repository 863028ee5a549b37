package io.millrace.rpc;

import java.io.Serial;

/**
 * A call of SPDK's JSON-RPC failed: one sentence with the remedy.
 */
public final class RpcException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Of an answer that is not what was asked for.
     *
     * @param message one sentence with the remedy.
     */
    public RpcException(final String message)
    {
        super(message);
    }

    RpcException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
