package io.millrace.nvmf.tcp;

/**
 * What one connection counts for in {@link ConnectionAdmission}. Everything but the address changes under the lock of
 * that; its connection may ask on its own reactor what it is.
 */
final class ConnectionPlace
{
    /** What a connection is counted among. */
    enum Kind
    {
        /** Those whose Connect command has not succeeded. */
        PENDING,
        /** Queues of controllers of subsystems. */
        QUEUE,
        /** Admin queues of discovery controllers. */
        DISCOVERY,
        /** Nothing: its place was given to another or given back. */
        NONE
    }

    private final String address;
    private Kind kind = Kind.PENDING;
    private Runnable onEvicted;

    /**
     * A place among the pending connections.
     *
     * @param address of the host.
     */
    ConnectionPlace(final String address)
    {
        this.address = address;
    }

    String address()
    {
        return address;
    }

    Kind kind()
    {
        return kind;
    }

    void kind(final Kind next)
    {
        kind = next;
    }

    /**
     * {@return what ends the connection from any thread; null while there is none}
     */
    Runnable onEvicted()
    {
        return onEvicted;
    }

    void onEvicted(final Runnable task)
    {
        onEvicted = task;
    }
}
