package io.millrace.cli.local.drive;

import java.util.ArrayList;
import java.util.List;

/**
 * A plan to bind a PCI function to another driver: steps in order.
 *
 * @param address of the drive.
 * @param from    its driver now; empty when none has it.
 * @param to      its driver then.
 * @param steps   in order.
 */
record DrivePlan(String address, String from, String to, List<Step> steps)
{
    DrivePlan(final String address, final String from, final String to)
    {
        this(address, from, to, new ArrayList<>());
    }

    void add(final String text, final Runnable action)
    {
        steps.add(new Step(text, action));
    }

    boolean isNeeded()
    {
        return !steps.isEmpty();
    }

    /**
     * A step.
     *
     * @param text   what it does, for people.
     * @param action that does it.
     */
    record Step(String text, Runnable action)
    {
    }
}
