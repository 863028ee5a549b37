package io.millrace.status;

/**
 * A distinct error. Immutable.
 *
 * @param count        how often it happened.
 * @param firstEpochMs first time.
 * @param lastEpochMs  last time.
 * @param text         message, and stack trace where there is one.
 */
public record ErrorStatus(int count, long firstEpochMs, long lastEpochMs, String text)
{
}
