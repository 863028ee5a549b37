package io.millrace.nvmf.connection;

import java.util.function.Consumer;

/**
 * Permit of one connection, issued by {@link ConnectionAdmission}. Everything but the address changes under the lock of
 * that; its connection may read the kind on its own reactor.
 */
public final class ConnectionPermit
{
    /** What a connection is counted among. */
    public enum Kind
    {
        /** Those whose Connect command has not succeeded. */
        PENDING,
        /** Queues of controllers of subsystems. */
        QUEUE,
        /** Admin queues of discovery controllers. */
        DISCOVERY,
        /** Nothing: the permit was given to another connection or returned. */
        NONE
    }

    private final String address;
    private Kind kind = Kind.PENDING;
    private Consumer<ConnectionAdmission.Limit> onEvicted;

    /**
     * A permit of a pending connection.
     *
     * @param address of the host.
     */
    ConnectionPermit(final String address)
    {
        this.address = address;
    }

    /**
     * {@return address of the host}
     */
    public String address()
    {
        return address;
    }

    /**
     * {@return what its connection is counted among}
     */
    public Kind kind()
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
    Consumer<ConnectionAdmission.Limit> onEvicted()
    {
        return onEvicted;
    }

    void onEvicted(final Consumer<ConnectionAdmission.Limit> task)
    {
        onEvicted = task;
    }
}
