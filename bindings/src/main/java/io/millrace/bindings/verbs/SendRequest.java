package io.millrace.bindings.verbs;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.verbs_h;

/**
 * {@code struct ibv_send_wr}, by address: a request that {@link VerbsQueues#postSend} takes. What is not set stays as
 * it
 * was; a new one is filled with 0. Nothing is allocated.
 */
public final class SendRequest
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)verbs_h.IBV_SEND_WR_SIZE();
    private static final long WR_ID = verbs_h.IBV_SEND_WR_WR_ID();
    private static final long NEXT = verbs_h.IBV_SEND_WR_NEXT();
    private static final long SG_LIST = verbs_h.IBV_SEND_WR_SG_LIST();
    private static final long NUM_SGE = verbs_h.IBV_SEND_WR_NUM_SGE();
    private static final long OPCODE = verbs_h.IBV_SEND_WR_OPCODE();
    private static final long SEND_FLAGS = verbs_h.IBV_SEND_WR_SEND_FLAGS();
    private static final long IMM_DATA = verbs_h.IBV_SEND_WR_IMM_DATA();
    private static final long REMOTE_ADDRESS = verbs_h.IBV_SEND_WR_REMOTE_ADDR();
    private static final long REMOTE_KEY = verbs_h.IBV_SEND_WR_RKEY();
    private static final long ATOMIC_ADDRESS = verbs_h.IBV_SEND_WR_ATOMIC_REMOTE_ADDR();
    private static final long ATOMIC_COMPARE_ADD = verbs_h.IBV_SEND_WR_ATOMIC_COMPARE_ADD();
    private static final long ATOMIC_SWAP = verbs_h.IBV_SEND_WR_ATOMIC_SWAP();
    private static final long ATOMIC_KEY = verbs_h.IBV_SEND_WR_ATOMIC_RKEY();
    private static final long ADDRESS_HANDLE = verbs_h.IBV_SEND_WR_UD_AH();
    private static final long REMOTE_QUEUE_PAIR = verbs_h.IBV_SEND_WR_UD_REMOTE_QPN();
    private static final long REMOTE_QUEUE_KEY = verbs_h.IBV_SEND_WR_UD_REMOTE_QKEY();
    private static final long INVALIDATED_KEY = verbs_h.IBV_SEND_WR_INVALIDATE_RKEY();
    private static final long WINDOW = verbs_h.IBV_SEND_WR_BIND_MW();
    private static final long WINDOW_KEY = verbs_h.IBV_SEND_WR_BIND_RKEY();
    private static final long WINDOW_REGION = verbs_h.IBV_SEND_WR_BIND_MR();
    private static final long WINDOW_ADDRESS = verbs_h.IBV_SEND_WR_BIND_ADDR();
    private static final long WINDOW_BYTES = verbs_h.IBV_SEND_WR_BIND_LENGTH();
    private static final long WINDOW_ACCESS = verbs_h.IBV_SEND_WR_BIND_ACCESS();

    private SendRequest()
    {
    }

    /**
     * Sets the number that its completion carries.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void id(final long address, final long value)
    {
        NativeMemory.putLong(address + WR_ID, value);
    }

    /**
     * Sets the address of the next request of a list; 0: none.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void next(final long address, final long value)
    {
        NativeMemory.putLong(address + NEXT, value);
    }

    /**
     * Sets the address of an array of {@link ScatterGatherEntry}.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void segments(final long address, final long value)
    {
        NativeMemory.putLong(address + SG_LIST, value);
    }

    /**
     * Sets how many entries that has.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void segmentCount(final long address, final int value)
    {
        NativeMemory.putInt(address + NUM_SGE, value);
    }

    /**
     * Sets {@code IBV_WR_*}.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void opcode(final long address, final int value)
    {
        NativeMemory.putInt(address + OPCODE, value);
    }

    /**
     * Sets {@code IBV_SEND_*}.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void flags(final long address, final int value)
    {
        NativeMemory.putInt(address + SEND_FLAGS, value);
    }

    /**
     * Sets immediate data, in network byte order, or the key that is invalidated at the peer.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void immediate(final long address, final int value)
    {
        NativeMemory.putInt(address + IMM_DATA, value);
    }

    /**
     * Sets the address at the peer, of a READ or WRITE.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void remoteAddress(final long address, final long value)
    {
        NativeMemory.putLong(address + REMOTE_ADDRESS, value);
    }

    /**
     * Sets the key of the region at the peer, of a READ or WRITE.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void remoteKey(final long address, final int value)
    {
        NativeMemory.putInt(address + REMOTE_KEY, value);
    }

    /**
     * Sets the address at the peer, of an atomic.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void atomicAddress(final long address, final long value)
    {
        NativeMemory.putLong(address + ATOMIC_ADDRESS, value);
    }

    /**
     * Sets what an atomic compares with, or adds.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void atomicCompareOrAdd(final long address, final long value)
    {
        NativeMemory.putLong(address + ATOMIC_COMPARE_ADD, value);
    }

    /**
     * Sets what an atomic writes when the comparison holds.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void atomicSwap(final long address, final long value)
    {
        NativeMemory.putLong(address + ATOMIC_SWAP, value);
    }

    /**
     * Sets the key of the region at the peer, of an atomic.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void atomicKey(final long address, final int value)
    {
        NativeMemory.putInt(address + ATOMIC_KEY, value);
    }

    /**
     * Sets where a datagram goes.
     *
     * @param address       of the structure.
     * @param handleAddress address handle.
     * @param queuePair     number of the peer's queue pair.
     * @param queueKey      key of the peer's queue pair.
     */
    public static void datagram(
        final long address, final long handleAddress, final int queuePair, final int queueKey)
    {
        NativeMemory.putLong(address + ADDRESS_HANDLE, handleAddress);
        NativeMemory.putInt(address + REMOTE_QUEUE_PAIR, queuePair);
        NativeMemory.putInt(address + REMOTE_QUEUE_KEY, queueKey);
    }

    /**
     * Sets the key of this side that a local invalidation ends.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void invalidatedKey(final long address, final int value)
    {
        NativeMemory.putInt(address + INVALIDATED_KEY, value);
    }

    /**
     * Sets the memory window that is bound and the key that it gets.
     *
     * @param address       of the structure.
     * @param windowAddress memory window.
     * @param key           that peers use: the key of the window with other lowest 8 bits.
     */
    public static void window(final long address, final long windowAddress, final int key)
    {
        NativeMemory.putLong(address + WINDOW, windowAddress);
        NativeMemory.putInt(address + WINDOW_KEY, key);
    }

    /**
     * Sets the range that a memory window is bound to.
     *
     * @param address     of the structure.
     * @param mrAddress   region with {@code IBV_ACCESS_MW_BIND}.
     * @param from        where the range begins, in the region.
     * @param lengthBytes of the range.
     * @param access      {@code IBV_ACCESS_REMOTE_*}.
     */
    public static void range(
        final long address, final long mrAddress, final long from, final long lengthBytes, final int access)
    {
        NativeMemory.putLong(address + WINDOW_REGION, mrAddress);
        NativeMemory.putLong(address + WINDOW_ADDRESS, from);
        NativeMemory.putLong(address + WINDOW_BYTES, lengthBytes);
        NativeMemory.putInt(address + WINDOW_ACCESS, access);
    }
}
