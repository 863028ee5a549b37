package io.millrace.nvme;

/**
 * Types of fabrics commands, byte 4 of the submission queue entry (NVM Express Base 2.0, section 6, figure 376). Bits
 * 1:0 say which way data goes: see {@link DataTransfer}.
 */
public final class FabricsType
{
    /** Property Set. */
    public static final int PROPERTY_SET = 0x00;
    /** Connect. */
    public static final int CONNECT = 0x01;
    /** Property Get. */
    public static final int PROPERTY_GET = 0x04;
    /** Disconnect. */
    public static final int DISCONNECT = 0x08;

    private FabricsType()
    {
    }

    /**
     * {@return type of a fabrics command}
     *
     * @param entry of the command.
     */
    public static int of(final SubmissionQueueEntry entry)
    {
        return entry.namespaceId() & 0xFF;
    }
}
