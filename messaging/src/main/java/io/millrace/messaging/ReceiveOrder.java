package io.millrace.messaging;

import io.millrace.bindings.NativeMemory;
import io.millrace.messaging.transport.MessageLink;
import io.millrace.messaging.transport.MessageMemory;
import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Puts messages into the order of their numbers: what arrives behind a message that is still being read is held. One
 * connection's.
 */
final class ReceiveOrder implements AutoCloseable
{
    /** How a message that was received stands. */
    private enum State
    {
        /** None here. */
        EMPTY,
        /** Offered; its read has not begun. */
        OFFERED,
        /** It is being read. */
        READING,
        /** It is here, in a block. */
        READ,
        /** It is here, in its slot. */
        HELD
    }

    /** Takes messages in their order. */
    @FunctionalInterface
    interface Delivery
    {
        /** A message; until this returns. {@return whether the next may follow} */
        boolean onMessage(long address, int lengthBytes);
    }

    private final MessageLink link;
    private final Operations operations;
    private final Delivery delivery;
    private final int window;
    private final int slotBytes;
    private final int mask;
    private final State[] states;
    private final int[] lengths;
    private final long[] remoteAddresses;
    private final long[] remoteKeys;
    private final MessageMemory[] blocks;
    private Arena arena;
    private long slots;
    private long arrived;
    private long delivered;
    private long acknowledged;
    private int offered;

    ReceiveOrder(
        final MessageLink link,
        final Operations operations,
        final int window,
        final int slotBytes,
        final Delivery delivery)
    {
        this.link = link;
        this.operations = operations;
        this.window = window;
        this.slotBytes = slotBytes;
        this.delivery = delivery;
        final int size = Integer.highestOneBit(window) << 1;
        mask = size - 1;
        states = new State[size];
        Arrays.fill(states, State.EMPTY);
        lengths = new int[size];
        remoteAddresses = new long[size];
        remoteKeys = new long[size];
        blocks = new MessageMemory[size];
    }

    /** {@return whether the peer may send a message of this number now} */
    boolean isNext(final long sequence)
    {
        return sequence == arrived && arrived - acknowledged < window;
    }

    long delivered()
    {
        return delivered;
    }

    /** The delivered count was sent to the peer. */
    void onAcknowledged()
    {
        acknowledged = delivered;
    }

    boolean isAcknowledged()
    {
        return acknowledged == delivered;
    }

    /** {@return whether an acknowledgement is sent although there is other work: the window of the peer fills} */
    boolean isAcknowledgementDue()
    {
        return delivered - acknowledged >= Math.max(1, window / 4);
    }

    void onEager(final long address, final int lengthBytes)
    {
        if (arrived == delivered)
        {
            arrived++;
            delivered++;
            delivery.onMessage(address, lengthBytes);
            return;
        }
        if (null == arena)
        {
            arena = Arena.ofShared();
            slots = arena.allocate((long)states.length * slotBytes, 64).address();
        }
        final int index = (int)arrived++ & mask;
        NativeMemory.copy(address, slots + (long)index * slotBytes, lengthBytes);
        lengths[index] = lengthBytes;
        states[index] = State.HELD;
    }

    void onOffer(final long remoteAddress, final long remoteKey, final int lengthBytes)
    {
        final int index = (int)arrived++ & mask;
        remoteAddresses[index] = remoteAddress;
        remoteKeys[index] = remoteKey;
        lengths[index] = lengthBytes;
        states[index] = State.OFFERED;
        offered++;
        beginReads();
    }

    /** Begins reads in their order while there are memory and numbers for them. */
    void beginReads()
    {
        long sequence = delivered;
        while (offered > 0)
        {
            final int index = (int)sequence & mask;
            if (State.OFFERED == states[index])
            {
                final MessageMemory block = link.incoming().take(lengths[index]);
                if (null == block)
                {
                    return;
                }
                final int operation = operations.takeForMessage(sequence);
                if (Operations.NONE == operation)
                {
                    link.incoming().release(block);
                    return;
                }
                blocks[index] = block;
                states[index] = State.READING;
                offered--;
                link.read(operation, remoteAddresses[index], remoteKeys[index], block, 0L, lengths[index]);
            }
            sequence++;
        }
    }

    /** A message is here. */
    void onRead(final long sequence)
    {
        states[(int)sequence & mask] = State.READ;
        deliver();
    }

    private void deliver()
    {
        boolean goesOn = true;
        while (goesOn && delivered != arrived)
        {
            final int index = (int)delivered & mask;
            final MessageMemory block = blocks[index];
            switch (states[index])
            {
                case READ ->
                {
                    states[index] = State.EMPTY;
                    blocks[index] = null;
                    delivered++;
                    goesOn = delivery.onMessage(block.address(), lengths[index]);
                    link.incoming().release(block);
                }
                case HELD ->
                {
                    states[index] = State.EMPTY;
                    delivered++;
                    goesOn = delivery.onMessage(slots + (long)index * slotBytes, lengths[index]);
                }
                default -> goesOn = false;
            }
        }
        beginReads();
    }

    @Override
    public void close()
    {
        if (null != arena)
        {
            arena.close();
        }
    }
}
