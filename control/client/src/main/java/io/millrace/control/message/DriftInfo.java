package io.millrace.control.message;

import java.util.Objects;

/**
 * A step from the actual state of a data plane to its desired state that was not carried out.
 *
 * @param isWithheld    whether it needs confirmation by an operator.
 * @param isDestructive whether it loses data, or gives hosts something else than they had.
 * @param dataPlane     that it is of.
 * @param step          what it would do, in words.
 * @param reason        why it was not carried out.
 */
public record DriftInfo(boolean isWithheld, boolean isDestructive, String dataPlane, String step, String reason)
    implements Resource
{
    /**
     * Rejects null.
     */
    public DriftInfo
    {
        Objects.requireNonNull(dataPlane, "dataPlane");
        Objects.requireNonNull(step, "step");
        Objects.requireNonNull(reason, "reason");
    }
}
