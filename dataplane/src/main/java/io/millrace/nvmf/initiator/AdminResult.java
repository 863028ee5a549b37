package io.millrace.nvmf.initiator;

/**
 * Answer to an {@link AdminCommand}.
 *
 * @param status  as {@link HostRequest#status()} has it; 0 is success.
 * @param result0 first double word of the completion.
 * @param result1 second double word of the completion.
 * @param data    that the controller sent, of the length asked for; empty when none was.
 */
public record AdminResult(int status, int result0, int result1, byte[] data)
{
    /**
     * {@return whether it went well}
     */
    public boolean isSuccess()
    {
        return 0 == status;
    }

    /**
     * {@return both double words of the completion as one value}
     */
    public long result()
    {
        return result0 & 0xFFFF_FFFFL | (long)result1 << 32;
    }
}
