package io.millrace.dataplane;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.MemberErasure;
import io.millrace.block.raid.RaidDetails;
import io.millrace.block.raid.RaidDevice;
import io.millrace.block.raid.ScrubMode;
import io.millrace.dataplane.OperationException.Reason;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The arrays of a running data plane: what they are made of, and operations of their own. Any thread but the reactors';
 * futures may complete on a reactor.
 */
public final class RaidArrays
{
    private final Devices devices;

    RaidArrays(final Devices devices)
    {
        this.devices = devices;
    }

    /**
     * {@return the arrays in the order they were made}
     */
    public List<RaidDetails> list()
    {
        return devices.all(RaidDevice.class).stream().map(RaidDevice::details).toList();
    }

    /**
     * {@return an array}
     *
     * @param name of the device.
     * @throws OperationException when it is not there, or is no array.
     */
    public RaidDetails get(final String name)
    {
        return array(name).details();
    }

    /**
     * Begins a scrub.
     *
     * @param name of the array.
     * @param mode of the scrub.
     * @throws OperationException when it cannot begin.
     */
    public void scrub(final String name, final ScrubMode mode)
    {
        run(name, (array) -> array.scrub(mode));
    }

    /**
     * Ends a scrub soon.
     *
     * @param name of the array.
     * @throws OperationException when none is running.
     */
    public void stopScrub(final String name)
    {
        run(name, RaidDevice::stopScrub);
    }

    /**
     * Takes a member out of service as if it had failed.
     *
     * @param name   of the array.
     * @param member name of the device.
     * @return done when the member is out of service; fails with an {@link OperationException}.
     * @throws OperationException when the device does not exist, or is no array.
     */
    public CompletableFuture<Void> fail(final String name, final String member)
    {
        return answer(array(name).fail(member));
    }

    /**
     * Begins to use more of members that have become larger.
     *
     * @param name        of the array.
     * @param memberBytes data of each member in the end; 0: as much as all have room for.
     * @return done when it has begun; fails with an {@link OperationException}.
     * @throws OperationException when the device does not exist, or is no array.
     */
    public CompletableFuture<Void> resizeMembers(final String name, final long memberBytes)
    {
        return answer(array(name).resizeMembers(memberBytes));
    }

    /**
     * Begins to move Q of all stripes of a RAID 6 to its last member.
     *
     * @param name of the array.
     * @return done when it has begun; fails with an {@link OperationException}.
     * @throws OperationException when the device does not exist, or is no array.
     */
    public CompletableFuture<Void> moveQ(final String name)
    {
        return answer(array(name).moveQ());
    }

    /**
     * Gives an array another name while it serves; its namespaces stay as they are for hosts. Waits for its members.
     *
     * @param name    of the array.
     * @param newName that no device has.
     * @throws OperationException when it is refused.
     */
    public void rename(final String name, final String newName)
    {
        devices.renaming().rename(name, newName);
    }

    /**
     * {@return the name of the array that devices hold when a name is one that it had before; else that name}
     *
     * @param name    by which it is going to be assembled.
     * @param members names of devices; those that are not there are left out.
     */
    public String currentName(final String name, final List<String> members)
    {
        return devices.currentName(name, members);
    }

    private static CompletableFuture<Void> answer(final CompletableFuture<Void> done)
    {
        return done.exceptionally((failure) ->
        {
            final Throwable cause = failure instanceof CompletionException && null != failure.getCause() ?
                failure.getCause() : failure;
            throw refused(cause);
        });
    }

    /**
     * {@return a sentence on what an operator should know of a device that was made or changed; empty: nothing, or it
     * is no array}
     *
     * @param name of the device.
     * @throws OperationException when it is not there.
     */
    public String note(final String name)
    {
        return devices.device(name) instanceof final RaidDevice array ? array.sizeNote() : "";
    }

    /**
     * Says what a device holds that is in no array which is in use.
     *
     * @param device name of the device.
     * @return a noun; empty: nothing that is known.
     * @throws OperationException when it is not there, is in use, or cannot be read.
     */
    public String examine(final String device)
    {
        try
        {
            return devices.whileUnused(device, MemberErasure::describe);
        }
        catch (final BlockDeviceException e)
        {
            throw refused(e);
        }
    }

    /**
     * Erases the superblocks, or other signatures, of a device that is in no array which is in use.
     *
     * @param device   name of the device.
     * @param expected what it holds, by {@link #examine}.
     * @throws OperationException when it is not there, is in use, holds something else, or cannot be written.
     */
    public void erase(final String device, final String expected)
    {
        try
        {
            devices.whileUnused(device, (each, registry) ->
            {
                MemberErasure.erase(each, expected, registry);
                return null;
            });
        }
        catch (final BlockDeviceException e)
        {
            throw refused(e);
        }
    }

    /** An operation of an array, which throws a {@link BlockDeviceException}. */
    private interface Action
    {
        void run(RaidDevice array);
    }

    private void run(final String name, final Action action)
    {
        try
        {
            action.run(array(name));
        }
        catch (final BlockDeviceException e)
        {
            throw refused(e);
        }
    }

    private static OperationException refused(final Throwable cause)
    {
        return new OperationException(Reason.INVALID, "", String.valueOf(cause.getMessage()), "", cause);
    }

    private RaidDevice array(final String name)
    {
        final BlockDevice device = devices.device(name);
        if (device instanceof final RaidDevice array)
        {
            return array;
        }
        final List<String> arrays = devices.all(RaidDevice.class).stream().map(RaidDevice::name).toList();
        throw new OperationException(Reason.INVALID, "device " + name, "is no array", arrays.isEmpty() ?
            "there are none" : "arrays: " + String.join(", ", arrays));
    }
}
