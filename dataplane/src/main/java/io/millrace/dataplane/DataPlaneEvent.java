package io.millrace.dataplane;

/**
 * Something that happened to a resource. Immutable.
 *
 * @param epochMs since 1970.
 * @param kind    of the resource.
 * @param change  that it went through.
 * @param name    of the resource, as {@link ResourceKind} says.
 * @param text    one sentence, or empty.
 */
public record DataPlaneEvent(long epochMs, ResourceKind kind, ResourceChange change, String name, String text)
{
}
