package io.millrace.pci;

import java.io.Serial;

/**
 * A PCI function cannot be found, taken, mapped or given back. The message is one sentence: what, the value, the bound
 * and the remedy. Set-up only.
 */
public final class PciException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Made where something is refused.
     *
     * @param message with name, value, bound and remedy.
     */
    public PciException(final String message)
    {
        super(message);
    }

    /**
     * Made where a call failed.
     *
     * @param message with name, value, bound and remedy.
     * @param cause   such as the native call that failed.
     */
    public PciException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
