package io.millrace.block.raid;

/**
 * A member in sync that another one is to replace, as it has to begin when an array is started.
 *
 * @param replaced    member in a slot, which is not named any more.
 * @param replacement without a slot.
 */
record Replacement(RaidMember replaced, RaidMember replacement)
{
}
