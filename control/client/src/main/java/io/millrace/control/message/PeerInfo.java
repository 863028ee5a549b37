package io.millrace.control.message;

import io.millrace.control.codec.Kind;
import io.millrace.control.codec.ListenerProvider;
import io.millrace.control.codec.PeerType;
import io.millrace.control.codec.SessionOpenedDecoder;
import io.millrace.control.codec.Transport;
import io.millrace.control.device.DeviceTypes;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * Type and capabilities of the peer of a session. Immutable.
 *
 * @param schemaVersion  highest of the schema that it knows.
 * @param type           what it is; {@link PeerType#NULL_VAL}: it does not say.
 * @param kinds          of resource that it lists.
 * @param deviceTypes    that it makes.
 * @param programVersion of the program; empty: it does not say.
 */
public record PeerInfo(
    int schemaVersion,
    PeerType type,
    Set<Kind> kinds,
    Set<String> deviceTypes,
    String programVersion)
{
    /** First version of the schema with listeners over RDMA. */
    private static final int RDMA_VERSION = 5;
    /** First version of the schema with listeners over vfio-user. */
    private static final int VFIO_USER_VERSION = 7;
    /** First version of the schema with operations of arrays. */
    private static final int ARRAY_VERSION = 6;
    /** First version of the schema with other names of arrays. */
    private static final int RENAME_VERSION = 7;
    /** First version of the schema with listeners of SPDK. */
    private static final int PROVIDER_VERSION = 6;

    /**
     * Copies the sets; rejects null.
     */
    public PeerInfo
    {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(programVersion, "programVersion");
        kinds = Set.copyOf(kinds);
        deviceTypes = Set.copyOf(deviceTypes);
    }

    /**
     * {@return a peer of this version, which knows all that this program knows}
     *
     * @param type           what it is.
     * @param programVersion of the program.
     */
    public static PeerInfo own(final PeerType type, final String programVersion)
    {
        final Set<Kind> kinds = EnumSet.allOf(Kind.class);
        kinds.removeAll(Set.of(Kind.NULL_VAL, Kind.SBE_UNKNOWN));
        return new PeerInfo(SessionOpenedDecoder.SCHEMA_VERSION, type, kinds, Set.copyOf(DeviceTypes.names()),
            programVersion);
    }

    /**
     * {@return the feature of a command that the peer does not support, as a noun; null: it supports the command}
     *
     * @param command to be sent.
     */
    public String missingFeature(final Command command)
    {
        return switch (command)
        {
            case final Command.CreateDevice create -> deviceTypes.contains(create.device().type()) ||
                null == DeviceTypes.find(create.device().type()) ? null : "device type " + create.device().type();
            case final Command.List list -> kinds.contains(list.kind()) || Kind.NULL_VAL == list.kind() ||
                Kind.SBE_UNKNOWN == list.kind() ? null : "resources of kind " + list.kind();
            case final Command.AddListener add -> isMissing(add.listener().transport()) ?
                listeners(add.listener().transport()) :
                isMissing(add.listener().provider()) ? "listeners of provider spdk" : null;
            case final Command.RemoveListener remove -> isMissing(remove.transport()) ?
                listeners(remove.transport()) : null;
            case final Command.SetAnaState set -> isMissing(set.transport()) ? listeners(set.transport()) : null;
            case Command.OperateArray _ -> schemaVersion < ARRAY_VERSION ? "operations of arrays" : null;
            case Command.RenameDevice _ -> schemaVersion < RENAME_VERSION ? "other names of arrays" : null;
            default -> null;
        };
    }

    private static String listeners(final Transport transport)
    {
        return "listeners over " + (Transport.RDMA == transport ? "RDMA" : "vfio-user");
    }

    /**
     * {@return whether the peer does not know a transport that this program knows}
     *
     * @param transport of a listener.
     */
    public boolean isMissing(final Transport transport)
    {
        return Transport.RDMA == transport && schemaVersion < RDMA_VERSION ||
            Transport.VFIO_USER == transport && schemaVersion < VFIO_USER_VERSION;
    }

    /**
     * {@return whether the peer does not know a provider that this program knows}
     *
     * @param provider of a listener.
     */
    public boolean isMissing(final ListenerProvider provider)
    {
        return ListenerProvider.SPDK == provider && schemaVersion < PROVIDER_VERSION;
    }
}
