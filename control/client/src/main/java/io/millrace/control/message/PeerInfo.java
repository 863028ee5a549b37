package io.millrace.control.message;

import io.millrace.control.codec.DeviceType;
import io.millrace.control.codec.FaultAction;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.PeerType;
import io.millrace.control.codec.SessionOpenedDecoder;
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
 * @param properties     of resources that it knows.
 * @param programVersion of the program; empty: it does not say.
 */
public record PeerInfo(
    int schemaVersion,
    PeerType type,
    Set<Kind> kinds,
    Set<DeviceType> deviceTypes,
    Set<Property> properties,
    String programVersion)
{
    private static final int KIND_MAX_OF_VERSION_0 = Kind.LISTENER.value();
    private static final int KIND_MAX_OF_VERSION_1 = Kind.MANAGED.value();
    private static final int DEVICE_TYPE_MAX_OF_VERSION_0 = DeviceType.FAULT.value();
    private static final int DEVICE_TYPE_MAX_OF_VERSION_1 = DeviceType.NVME.value();

    /**
     * Copies the sets; rejects null.
     */
    public PeerInfo
    {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(programVersion, "programVersion");
        kinds = Set.copyOf(kinds);
        deviceTypes = Set.copyOf(deviceTypes);
        properties = Set.copyOf(properties);
    }

    /**
     * {@return a peer of this version, which knows all that this program knows}
     *
     * @param type           what it is.
     * @param programVersion of the program.
     */
    public static PeerInfo own(final PeerType type, final String programVersion)
    {
        return new PeerInfo(SessionOpenedDecoder.SCHEMA_VERSION, type, kindsBelow(Integer.MAX_VALUE),
            deviceTypesBelow(Integer.MAX_VALUE), EnumSet.allOf(Property.class), programVersion);
    }

    /**
     * {@return a peer that says nothing but the version of its schema}
     *
     * @param version of the schema.
     */
    public static PeerInfo ofVersion(final int version)
    {
        return new PeerInfo(version, PeerType.NULL_VAL,
            kindsBelow(1 + (0 == version ? KIND_MAX_OF_VERSION_0 : KIND_MAX_OF_VERSION_1)),
            deviceTypesBelow(1 + (0 == version ? DEVICE_TYPE_MAX_OF_VERSION_0 : DEVICE_TYPE_MAX_OF_VERSION_1)),
            Property.ofVersion(version), "");
    }

    private static Set<Kind> kindsBelow(final int value)
    {
        final Set<Kind> found = EnumSet.noneOf(Kind.class);
        for (final Kind each : Kind.values())
        {
            if (Kind.NULL_VAL != each && Kind.SBE_UNKNOWN != each && each.value() < value)
            {
                found.add(each);
            }
        }
        return found;
    }

    private static Set<DeviceType> deviceTypesBelow(final int value)
    {
        final Set<DeviceType> found = EnumSet.noneOf(DeviceType.class);
        for (final DeviceType each : DeviceType.values())
        {
            if (DeviceType.NULL_VAL != each && DeviceType.SBE_UNKNOWN != each && each.value() < value)
            {
                found.add(each);
            }
        }
        return found;
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
            case final Command.CreateDevice create ->
                create.existingOnly() && null != missingFeature(Property.DEVICE_EXISTING_ONLY) ?
                    missingFeature(Property.DEVICE_EXISTING_ONLY) : missingFeature(create.device());
            case final Command.AddNamespace add ->
                NamespaceSpec.ANA_GROUP_DEFAULT == add.namespace().anaGroup() ? null :
                    missingFeature(Property.NAMESPACE_ANA_GROUP);
            case final Command.SetFaultRules rules -> missingFeature(rules);
            case final Command.List list -> list.version() <= 0 ? missingFeature(list.kind()) :
                missingFeature(Property.STATE_DOCUMENT);
            case final Command.AssignControllerIds _ -> missingFeature(Property.CONTROLLER_IDS);
            case final Command.AddDocumentPart _ -> missingFeature(Property.STATE_DOCUMENT);
            case final Command.ReplaceState _ -> missingFeature(Property.STATE_DOCUMENT);
            case final Command.Disconnect _ -> missingFeature(Kind.CONTROLLER);
            case final Command.SetAnaState _ -> missingFeature(Kind.ANA);
            case final Command.SetQos _ -> missingFeature(Kind.QOS);
            case final Command.BeginChange _ -> missingFeature(Kind.VERSION);
            case final Command.CommitChange _ -> missingFeature(Kind.VERSION);
            case final Command.AbandonChange _ -> missingFeature(Kind.VERSION);
            case final Command.Rollback _ -> missingFeature(Kind.VERSION);
            default -> null;
        };
    }

    private String missingFeature(final DeviceSpec device)
    {
        final boolean isKnown = deviceTypes.contains(device.type()) ||
            DeviceType.NULL_VAL == device.type() || DeviceType.SBE_UNKNOWN == device.type();
        return !isKnown ? "device type " + device.type() :
            0 != device.seed() && null != missingFeature(Property.DEVICE_SEED) ? missingFeature(Property.DEVICE_SEED) :
                DeviceSettings.DEFAULT.equals(device.settings()) || DeviceSettings.UNKNOWN.equals(device.settings()) ?
                    null : missingFeature(Property.DEVICE_SETTINGS);
    }

    private String missingFeature(final Command.SetFaultRules command)
    {
        String missing = null;
        for (final FaultRuleSpec each : command.rules())
        {
            final String every = each.every() > 1 ? missingFeature(Property.FAULT_RULE_EVERY) : null;
            final String hang = FaultAction.HANG == each.action() ?
                missingFeature(Property.FAULT_RULE_HANG) : null;
            missing = null != missing ? missing : null != every ? every : hang;
        }
        return missing;
    }

    private String missingFeature(final Kind kind)
    {
        return kinds.contains(kind) || Kind.NULL_VAL == kind || Kind.SBE_UNKNOWN == kind ? null :
            "resources of kind " + kind;
    }

    private String missingFeature(final Property property)
    {
        return properties.contains(property) ? null : "property " + property.word();
    }
}
