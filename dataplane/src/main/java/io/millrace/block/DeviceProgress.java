package io.millrace.block;

/**
 * Progress of an operation that a device does on its own. Immutable.
 *
 * @param operation name, such as {@code rebuild} or {@code scrub}.
 * @param perMille  that is done, 0 to 1000.
 */
public record DeviceProgress(String operation, int perMille)
{
    /**
     * Checks the bounds.
     *
     * @throws IllegalArgumentException when {@code perMille} is outside 0 to 1000.
     */
    public DeviceProgress
    {
        if (perMille < 0 || perMille > 1000)
        {
            throw new IllegalArgumentException("progress of " + operation + ": " + perMille + " is outside 0 to 1000");
        }
    }
}
