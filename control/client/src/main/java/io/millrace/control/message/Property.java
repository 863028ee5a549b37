package io.millrace.control.message;

import java.util.EnumSet;
import java.util.Set;

/**
 * Properties of resources that came after the first version of the schema: a peer may not have them. What it does not
 * have is not sent to it, and what it says nothing of is not taken for a default.
 */
public enum Property
{
    /** {@link DeviceSpec#seed()}. */
    DEVICE_SEED("device.seed", 1),
    /** {@link NamespaceSpec#anaGroup()}. */
    NAMESPACE_ANA_GROUP("namespace.ana-group", 1),
    /** {@link FaultRuleSpec#every()}. */
    FAULT_RULE_EVERY("fault-rule.every", 1),
    /** Fault rules that never answer. */
    FAULT_RULE_HANG("fault-rule.hang", 1),
    /** {@link DeviceSpec#settings()}. */
    DEVICE_SETTINGS("device.settings", 2),
    /** {@link Command.AssignControllerIds}. */
    CONTROLLER_IDS("controller-ids", 2),
    /** {@link Command.ReplaceState}, and versions in {@link Command.List}. */
    STATE_DOCUMENT("state.document", 2),
    /** {@link DeviceSpec#incarnation()}. */
    DEVICE_INCARNATION("device.incarnation", 3),
    /** {@link Command.CreateDevice#existingOnly()}. */
    DEVICE_EXISTING_ONLY("device.existing-only", 3);

    private final String word;
    private final int sinceVersion;

    Property(final String word, final int sinceVersion)
    {
        this.word = word;
        this.sinceVersion = sinceVersion;
    }

    /**
     * {@return how it is called on the wire and in messages}
     */
    public String word()
    {
        return word;
    }

    /**
     * {@return properties that a peer of a version of the schema has that does not say which}
     *
     * @param version of the schema.
     */
    static Set<Property> ofVersion(final int version)
    {
        final Set<Property> found = EnumSet.noneOf(Property.class);
        for (final Property each : values())
        {
            if (each.sinceVersion <= version)
            {
                found.add(each);
            }
        }
        return found;
    }
}
