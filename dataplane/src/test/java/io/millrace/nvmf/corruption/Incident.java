package io.millrace.nvmf.corruption;

import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A {@link Corruption} that a proxy is to bring about, and what both sides of the connection did then.
 */
public final class Incident
{
    private static final int STATUS_OFFSET = 8;
    private static final int INFORMATION_OFFSET = 10;
    private static final int HEADER_AT_FAULT_OFFSET = 24;
    private static final int RESPONSE_STATUS_OFFSET = 22;
    private static final int STATUS_MASK = 0x7FFF;

    private final Corruption corruption;
    private int toSkip;
    private byte[] original;
    private byte[] damaged;
    private byte[] termination;
    private int responseStatus = -1;
    private boolean isEndedByHost;
    private boolean isEndedByTarget;

    Incident(final Corruption corruption)
    {
        this.corruption = corruption;
        toSkip = corruption.skipped();
    }

    /** {@return the PDU to hand on in the place of one that fits: damaged now, or as it was} */
    synchronized byte[] apply(final byte[] pdu)
    {
        if (toSkip-- > 0)
        {
            return pdu;
        }
        original = pdu;
        damaged = corruption.of(pdu);
        notifyAll();
        return damaged;
    }

    synchronized boolean isApplied()
    {
        return null != damaged;
    }

    /** A PDU passed on the connection of the damaged one, behind that. */
    synchronized void onPdu(final byte[] pdu)
    {
        final int type = pdu[CommonHeader.TYPE_OFFSET];
        if ((PduType.H2C_TERM_REQ == type || PduType.C2H_TERM_REQ == type) && null == termination)
        {
            termination = pdu;
        }
        else if (PduType.CAPSULE_RESPONSE == type && commandId(pdu) == commandId(original))
        {
            responseStatus = shortAt(pdu, RESPONSE_STATUS_OFFSET) >>> 1 & STATUS_MASK;
        }
        notifyAll();
    }

    private static int commandId(final byte[] pdu)
    {
        return shortAt(pdu, PduField.commandIdOffset(pdu[CommonHeader.TYPE_OFFSET]));
    }

    private static int shortAt(final byte[] pdu, final int offset)
    {
        return ByteBuffer.wrap(pdu).order(ByteOrder.LITTLE_ENDIAN).getShort(offset) & 0xFFFF;
    }

    private static int intAt(final byte[] pdu, final int offset)
    {
        return ByteBuffer.wrap(pdu).order(ByteOrder.LITTLE_ENDIAN).getInt(offset);
    }

    /** One side of its connection sends nothing more. */
    synchronized void onEnd(final boolean isHost)
    {
        isEndedByHost |= isHost;
        isEndedByTarget |= !isHost;
        notifyAll();
    }

    private boolean isEnded()
    {
        return isEndedByHost && isEndedByTarget;
    }

    /** What is to be damaged. */
    public Corruption corruption()
    {
        return corruption;
    }

    /** The damaged PDU as its sender sent it. */
    public synchronized byte[] original()
    {
        return original.clone();
    }

    /** The damaged PDU as its receiver got it. */
    public synchronized byte[] damaged()
    {
        return damaged.clone();
    }

    /**
     * Waits until a bit has been flipped.
     *
     * @param limitS seconds.
     */
    public void awaitApplied(final long limitS)
    {
        await("no such PDU came", limitS, () -> null != damaged);
    }

    /**
     * Waits until both sides have sent their last byte on the connection.
     *
     * @param limitS seconds.
     */
    public void awaitEnd(final long limitS)
    {
        await("the connection goes on", limitS, this::isEnded);
    }

    private synchronized void await(final String failure, final long limitS, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitS);
        while (!condition.getAsBoolean())
        {
            final long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
            if (leftMs <= 0)
            {
                throw new AssertionError(failure + " within " + limitS + " s: " + this);
            }
            try
            {
                wait(leftMs);
            }
            catch (final InterruptedException e)
            {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            }
        }
    }

    /** What happened on the wire, seen from the receiver of the damaged PDU. */
    public synchronized Reaction reaction()
    {
        if (null != termination)
        {
            return new Reaction(PduType.H2C_TERM_REQ == termination[0] ?
                Reaction.Kind.HOST_TERMINATES : Reaction.Kind.TARGET_TERMINATES,
                shortAt(termination, STATUS_OFFSET), intAt(termination, INFORMATION_OFFSET));
        }
        if (isEnded())
        {
            return Reaction.of(Reaction.Kind.ENDS);
        }
        return responseStatus > 0 ?
            new Reaction(Reaction.Kind.COMMAND_FAILS, responseStatus, 0) : Reaction.of(Reaction.Kind.NONE);
    }

    /** The header that a termination request repeats; empty without one. */
    public synchronized byte[] headerAtFault()
    {
        return null == termination ? new byte[0] :
            Arrays.copyOfRange(termination, HEADER_AT_FAULT_OFFSET, termination.length);
    }

    @Override
    public synchronized String toString()
    {
        return corruption + (null == damaged ? ", not applied" : ", applied as bit " + corruption.bitIn(original)) +
            ", then " + reaction();
    }
}
