package io.millrace.nvmf.initiator;

/**
 * What a transport notes of a command while it has it. Of no meaning to anybody else. Made once with its request;
 * fields are open, since it is read and written for every message. Its queue's reactor only.
 */
public final class HostTransfer
{
    /** Bytes of the payload that were moved. */
    public int transferredBytes;
    /** Names the range that the controller has asked for. */
    public int r2tTag;
    /** Where in the payload what is left of that range begins. */
    public int r2tOffset;
    /** Bytes of that range that are left; 0 when none is asked for. */
    public int r2tRemaining;
    /** Status of an answer that came before all bytes of the payload had been sent. */
    public int answerStatus;
    /** Position in the stream behind the last byte of the command and its payload. */
    public long sendEndPosition;
    /** Number of the list of requests by which its capsule leaves. */
    public long sendList;
    /** Memory that the peer accesses in place of the payload; 0 when it accesses the payload itself. */
    public long bounceAddress;
    /** Whether the device still reads the capsule, or payload that goes with it. */
    public boolean isSending;
    /** Whether it has not been sent, since room is missing. */
    public boolean isWaiting;
    /** The next command with a range to be sent, or that waits to be sent. */
    public HostRequest next;

    HostTransfer()
    {
    }
}
