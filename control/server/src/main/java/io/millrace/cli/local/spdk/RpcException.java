package io.millrace.cli.local.spdk;

import java.io.Serial;

/**
 * A call of SPDK's JSON-RPC failed: one sentence with the remedy.
 */
final class RpcException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    RpcException(final String message)
    {
        super(message);
    }

    RpcException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
