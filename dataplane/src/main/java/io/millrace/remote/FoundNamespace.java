package io.millrace.remote;

import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.NamespaceInfo;

/**
 * A namespace as a path found it, and what tells it from others: its identifiers and its block size. A
 * namespace without identifiers is recognized by everything else that a controller reports, its size included: an NSID
 * may be given to another namespace at any time. Immutable.
 *
 * @param namespace    as it was reported.
 * @param subsystemNqn of its subsystem, as reported.
 * @param serialNumber of its subsystem.
 */
record FoundNamespace(NamespaceInfo namespace, String subsystemNqn, String serialNumber)
{
    /**
     * {@return a namespace as it was found}
     *
     * @param controller that reported it.
     * @param namespace  that was reported.
     */
    static FoundNamespace of(final ControllerInfo controller, final NamespaceInfo namespace)
    {
        return new FoundNamespace(namespace, controller.subsystemNqn(), controller.serialNumber());
    }

    /**
     * {@return whether it has an identifier, so that several paths can be known to lead to it}
     */
    boolean isUnique()
    {
        return !namespace.identity().text().isEmpty();
    }

    /**
     * {@return whether both are one namespace}
     *
     * @param other that was found at another time, or on another path.
     */
    boolean isSame(final FoundNamespace other)
    {
        return namespace.identity().equals(other.namespace.identity()) &&
            namespace.blockShift() == other.namespace.blockShift() &&
            (isUnique() || isSamePlaceAndSize(other));
    }

    private boolean isSamePlaceAndSize(final FoundNamespace other)
    {
        return subsystemNqn.equals(other.subsystemNqn) && serialNumber.equals(other.serialNumber) &&
            namespace.nsid() == other.namespace.nsid() && namespace.blockCount() == other.namespace.blockCount();
    }

    /** Such as {@code uuid 11111111-2222-4333-8444-555555555555 and blocks of 4096 bytes}. */
    @Override
    public String toString()
    {
        return (isUnique() ? namespace.identity().text() : "no identifier, NSID " + namespace.nsid() + " of " +
            subsystemNqn + " with serial number '" + serialNumber + "', " + namespace.blockCount() + " blocks") +
            " and blocks of " + namespace.blockSizeBytes() + " bytes";
    }
}
