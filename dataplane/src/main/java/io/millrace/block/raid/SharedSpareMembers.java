package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.MemoryRegistry;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds shared spares that belong to an array which is going to be assembled: those with its superblock. Settings of
 * the array do not name them. Set-up only; waits.
 */
public final class SharedSpareMembers
{
    private SharedSpareMembers()
    {
    }

    /**
     * Finds them. Nothing is written.
     *
     * @param config   of the array.
     * @param named    devices of the configuration that are there.
     * @param shared   shared spares that nothing uses.
     * @param registry memory registry of the data plane; null without one.
     * @return those of the array, so few that it has room for them: to be assembled as spares that its settings name.
     */
    public static List<BlockDevice> find(
        final RaidConfig config,
        final List<BlockDevice> named,
        final List<BlockDevice> shared,
        final MemoryRegistry registry)
    {
        if (shared.isEmpty() || RaidLevel.RAID0 == config.level())
        {
            return List.of();
        }
        try (MemberIo io = new MemberIo(registry))
        {
            final MemberSuperblocks superblocks = MemberSuperblocks.read(io, named);
            final Superblock newest = superblocks.newest();
            final int room = RaidLevel.MEMBERS_MAX - config.members().size() - config.spares().size() -
                (config.journalDevice().isEmpty() ? 0 : 1);
            // By another name it is not a start of the array again, and may be made without some on purpose.
            return !superblocks.isName(config.name()) ? List.of() :
                shared.stream().filter((each) -> isOf(io, newest, each)).limit(room).toList();
        }
    }

    private static boolean isOf(final MemberIo io, final Superblock newest, final BlockDevice device)
    {
        final Superblock superblock = MemberSuperblocks.read(io, device);
        return null != superblock && newest.array().equals(superblock.array());
    }

    /**
     * {@return settings with spares besides}
     *
     * @param config of the array.
     * @param more   spares, behind those that it has.
     */
    public static RaidConfig with(final RaidConfig config, final List<BlockDevice> more)
    {
        final List<String> spares = new ArrayList<>(config.spares());
        more.forEach((each) -> spares.add(each.name()));
        return new RaidConfig(config.name(), config.level(), config.stripBytes(), config.members(), spares,
            config.assumeClean(), config.wipeSignatures(), config.forceStart(), config.copyRates(), config.journal(),
            config.journalDevice(), config.checksums());
    }
}
