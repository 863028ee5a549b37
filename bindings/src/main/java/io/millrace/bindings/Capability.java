package io.millrace.bindings;

import java.util.Objects;

/**
 * A capability of this machine, available or not, with the reason. Immutable; any thread.
 *
 * @param name        what it is, in a few words.
 * @param isAvailable whether it can be used.
 * @param reason      why, as half a sentence without a full stop: what was found, or what is missing.
 * @param remedy      what to do about it, in the imperative and without a full stop; empty when it can be used.
 */
public record Capability(String name, boolean isAvailable, String reason, String remedy)
{
    /**
     * All fields are required, and an unavailable capability has a remedy.
     */
    public Capability
    {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(reason, "reason");
        if (isAvailable == !remedy.isEmpty())
        {
            throw new IllegalArgumentException(name + ": a remedy belongs to what is off, and to nothing else");
        }
    }

    /**
     * An available capability.
     *
     * @param name  what it is.
     * @param found where, or which version.
     * @return the finding.
     */
    public static Capability on(final String name, final String found)
    {
        return new Capability(name, true, found, "");
    }

    /**
     * An unavailable capability.
     *
     * @param name   what it is.
     * @param reason why not.
     * @param remedy what to do about it.
     * @return the finding.
     */
    public static Capability off(final String name, final String reason, final String remedy)
    {
        return new Capability(name, false, reason, remedy);
    }

    /**
     * {@return the finding in one sentence, for people}
     */
    @Override
    public String toString()
    {
        return isAvailable ? name + " is on: " + reason : name + " is off: " + reason + "; " + remedy;
    }
}
