package io.millrace.cli.local.doctor;

import io.millrace.bindings.Capability;

/**
 * A capability and what it is good for.
 *
 * @param group      it is shown under.
 * @param capability that was probed.
 * @param use        what the data plane does with it, or without it.
 */
record Finding(String group, Capability capability, String use)
{
}
