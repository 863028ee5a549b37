package io.millrace.block.nvme;

import java.io.Serial;

/**
 * The driver did what no driver may do.
 */
final class ModelFault extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    ModelFault(final String message)
    {
        super(message);
    }
}
