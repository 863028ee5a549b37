package io.millrace.nvmf.corruption;

/**
 * How a connection goes on after a fault.
 *
 * @param kind        in short.
 * @param status      fatal error status of a termination request, or the status of a command.
 * @param information fatal error information.
 */
public record Reaction(Kind kind, int status, int information)
{
    /** What one of the sides does. */
    public enum Kind
    {
        /** The host sends H2CTermReq. */
        HOST_TERMINATES,
        /** The target sends C2HTermReq. */
        TARGET_TERMINATES,
        /** The receiver closes without a word. */
        ENDS,
        /** The command is answered with an error, and the connection goes on. */
        COMMAND_FAILS,
        /** Nothing depends on the bit. */
        NONE
    }

    static Reaction of(final Kind kind)
    {
        return new Reaction(kind, 0, 0);
    }

    /** {@return whether the connection ends} */
    public boolean isFatal()
    {
        return Kind.NONE != kind && Kind.COMMAND_FAILS != kind;
    }

    @Override
    public String toString()
    {
        return kind + " (status " + status + ", information " + information + ")";
    }
}
