package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.JournalState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.memory.MemoryRegistry;
import io.millrace.reactor.Reactor;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.agrona.concurrent.SystemEpochClock;

/**
 * Applies the setting {@code journal-device} to an array that serves: checks a new device, makes it the one that has
 * the journal, and has {@link Membership} use it. Nothing is written to a device before all checks have passed. Off the
 * reactors; waits. Stateless.
 */
public final class JournalDeviceSettings
{
    private JournalDeviceSettings()
    {
    }

    /**
     * Moves the journal to a device.
     *
     * @param array    that serves.
     * @param config   all its settings, with those that changed.
     * @param device   that nothing else uses; it belongs to its owner.
     * @param registry memory registry of the data plane; null without one.
     * @throws BlockDeviceException when the device is refused, with the remedy; the journal is where it was.
     */
    public static void use(
        final RaidDevice array, final RaidConfig config, final BlockDevice device, final MemoryRegistry registry)
    {
        Reactor.checkMayBlock("a change of the journal device of an array");
        final ArrayView view = array.view();
        if (null != view.failure())
        {
            throw new BlockDeviceException(view.failure());
        }
        JournalDeviceChecks.checkGeometry(device, array.members().getFirst());
        final UUID id = UUID.randomUUID();
        try (MemberIo io = new MemberIo(registry))
        {
            final FoundMember found = FoundMember.read(io, device);
            JournalDeviceChecks.checkContent(found, array.id(), config.wipeSignatures());
            JournalDeviceChecks.attach(io, found, superblock(array, view), id);
        }
        MembershipSettings.run(array, new MemberChange.Journal(device, id, new CompletableFuture<>()));
    }

    /**
     * Moves the journal to members.
     *
     * @param array that serves.
     * @throws BlockDeviceException when that fails, with the remedy.
     */
    public static void useMembers(final RaidDevice array)
    {
        MembershipSettings.run(array, new MemberChange.Journal(null, null, new CompletableFuture<>()));
    }

    private static Superblock superblock(final RaidDevice array, final ArrayView view)
    {
        final ArrayNames.Stored names = array.names().stored();
        return new Superblock(array.id(), names.name(), view.layout().level(), view.layout().stripBytes(),
            array.geometry().blockSizeBytes(), view.layout().memberBytes(), array.id(), view.eventCount(), false,
            SystemEpochClock.INSTANCE.time(), array.scrubControl().scrubbedMs(), view.slots(), JournalState.NONE,
            view.map().state(), 0, array.scrubControl().hasMismatches(), names.former());
    }
}
