package io.millrace.dataplane;

/**
 * Kinds of resource that events are about.
 */
public enum ResourceKind
{
    /** The data plane itself; name is empty. */
    DATA_PLANE,
    /** By its name. */
    DEVICE,
    /** By its NQN. */
    SUBSYSTEM,
    /** By NQN, slash, namespace id. */
    NAMESPACE,
    /** A host that a subsystem allows, by NQN of the subsystem, slash, NQN of the host. */
    HOST,
    /** By address and port. */
    LISTENER,
    /** By NQN, slash, controller id; refused ones by NQN alone. */
    CONTROLLER,
    /** An ANA state, by NQN, slash, address and port, slash, group; {@code *} for all listeners or groups. */
    ANA
}
