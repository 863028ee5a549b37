package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceProperties;
import io.millrace.block.raid.CopyRates;
import io.millrace.block.raid.JournalDeviceSettings;
import io.millrace.block.raid.JournalMode;
import io.millrace.block.raid.MembershipSettings;
import io.millrace.block.raid.RaidAssembly;
import io.millrace.block.raid.RaidConfig;
import io.millrace.block.raid.RaidDetails;
import io.millrace.block.raid.RaidDevice;
import io.millrace.block.raid.RaidMemberDetails;
import io.millrace.block.raid.SharedSpareMembers;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.parity.ParityEngineType;
import io.millrace.parity.ReedSolomon;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Arrays of other devices.
 */
final class RaidFactory implements DeviceFactory
{
    private static final String LEVEL = "level";
    private static final String PARITY_STRIPS = "parity-strips";
    private static final String MEMBERS = "members";
    private static final String SPARES = "spares";
    private static final String JOURNAL = "journal";
    private static final String JOURNAL_DEVICE = "journal-device";
    private static final String ALWAYS = "always";
    private static final String SYNC_RATE_MIN = "sync-rate-min";
    private static final String SYNC_RATE_MAX = "sync-rate-max";
    private static final String SCRUB_INTERVAL = "scrub-interval";
    private static final String HEDGE_READS = "hedge-reads";
    private static final String CHECKSUMS = "checksums";
    private static final String MISSING = "(missing)";
    private static final int PERCENT_MAX = 100;
    private static final long NS_PER_MS = 1_000_000;

    @Override
    public String type()
    {
        return "raid";
    }

    @Override
    public String description(final DeviceProperties properties)
    {
        final List<String> members = properties.texts(MEMBERS);
        return level(properties).title(members.size()) + " of " + String.join(", ", members);
    }

    /** Level and slots are what superblocks say: settings may be older, and a spare may have a slot. */
    @Override
    public String description(final DeviceProperties properties, final BlockDevice device)
    {
        final RaidDetails array = ((RaidDevice)device).details();
        final List<String> slots = array.members().stream().filter((each) -> RaidMemberDetails.NO_SLOT != each.slot())
            .map((each) -> each.name().isEmpty() ? MISSING : each.name()).toList();
        return array.level().title(slots.size()) + " of " + String.join(", ", slots);
    }

    @Override
    public List<String> bases(final DeviceProperties properties)
    {
        final List<String> bases = memberBases(properties);
        final String journal = journalDevice(properties);
        if (!journal.isEmpty())
        {
            bases.add(journal);
        }
        return bases;
    }

    private static List<String> memberBases(final DeviceProperties properties)
    {
        final List<String> bases = new ArrayList<>(properties.texts(MEMBERS));
        bases.addAll(properties.texts(SPARES));
        return bases;
    }

    /** {@return the name; empty: members have the journal} */
    private static String journalDevice(final DeviceProperties properties)
    {
        return properties.text(JOURNAL_DEVICE, "");
    }

    /** Which members an array needs, superblocks of the others say. */
    @Override
    public boolean toleratesMissingBases(final DeviceProperties properties)
    {
        return RaidLevel.RAID0 != level(properties);
    }

    /** A member that was being replaced when the data plane ended is named no more, and has the data. */
    @Override
    public boolean mayUseUnnamed()
    {
        return true;
    }

    @Override
    public Problem problem(final DeviceProperties properties)
    {
        final RaidLevel level = level(properties);
        if (null == level)
        {
            return levelProblem(properties);
        }
        final int count = properties.texts(MEMBERS).size();
        if (count < level.membersMin() || count > level.membersMax())
        {
            return new Problem(MEMBERS, count, "outside " + level.membersMin() + " to " + level.membersMax() +
                ", the members of " + level.title(), "list a number of members in that range");
        }
        final CopyRates rates = copyRates(properties);
        if (rates.minBytesPerS() < 1 || rates.minBytesPerS() > rates.maxBytesPerS())
        {
            return new Problem(SYNC_RATE_MIN, rates.minBytesPerS(), "not between 1 and " + SYNC_RATE_MAX + ", " +
                rates.maxBytesPerS(), "use a rate between them");
        }
        final int hedgeReads = hedgeReads(properties);
        if (hedgeReads < 0 || hedgeReads > PERCENT_MAX)
        {
            return new Problem(HEDGE_READS, hedgeReads, "outside 0 to " + PERCENT_MAX + " percent of reads",
                "use a number in that range");
        }
        if (ALWAYS.equals(properties.text(JOURNAL, "degraded")) && 0 == level.parityCount())
        {
            return new Problem(JOURNAL, ALWAYS, "not allowed: " + level.title() +
                " has no parity that a crash could leave wrong", "remove it, or choose level 5, 6 or ec");
        }
        if (properties.flag(CHECKSUMS, false) && 0 == level.parityCount())
        {
            return new Problem(CHECKSUMS, "true", "not allowed: " + level.title() +
                " has no parity to compute a wrong block from", "remove it, or choose level 5, 6 or ec");
        }
        final Problem ofJournal = journalProblem(properties, level);
        if (null != ofJournal)
        {
            return ofJournal;
        }
        final List<String> spares = properties.texts(SPARES);
        if (count + spares.size() > RaidLevel.MEMBERS_MAX)
        {
            return new Problem(SPARES, spares.size(), "more than " + RaidLevel.MEMBERS_MAX + " devices with " + count +
                " members", "list fewer");
        }
        return spares.isEmpty() || RaidLevel.RAID0 != level ? null : new Problem(SPARES, String.join(" ", spares),
            "not allowed: RAID 0 cannot rebuild onto a spare",
            "remove them, or choose another level");
    }

    private static Problem journalProblem(final DeviceProperties properties, final RaidLevel level)
    {
        final String journal = journalDevice(properties);
        final List<String> others = memberBases(properties);
        if (journal.isEmpty())
        {
            return null;
        }
        if (0 == level.parityCount())
        {
            return new Problem(JOURNAL_DEVICE, journal, "not allowed: " + level.title() +
                " has no parity that a crash could leave wrong", "remove it, or choose level 5, 6 or ec");
        }
        if (others.contains(journal))
        {
            return new Problem(JOURNAL_DEVICE, journal, "listed in members or spares, too: its data would be " +
                "overwritten", "name another device");
        }
        return others.size() < RaidLevel.MEMBERS_MAX ? null : new Problem(JOURNAL_DEVICE, journal,
            "one device more than the " + RaidLevel.MEMBERS_MAX + " of an array", "remove a spare");
    }

    /** {@return null when there is none such} */
    private static RaidLevel level(final DeviceProperties properties)
    {
        return RaidLevel.find(properties.text(LEVEL), properties.integer(PARITY_STRIPS, 0));
    }

    private static Problem levelProblem(final DeviceProperties properties)
    {
        final String label = properties.text(LEVEL);
        final int parityStrips = properties.integer(PARITY_STRIPS, 0);
        if (!RaidLevel.labels().contains(label))
        {
            return new Problem(LEVEL, label, "not a supported RAID level",
                "use one of " + String.join(", ", RaidLevel.labels()));
        }
        return RaidLevel.ERASURE_CODE.equals(label) ?
            new Problem(PARITY_STRIPS, parityStrips, "outside 1 to " + ReedSolomon.PARITIES_MAX + ", those of level " +
            label, "give the number of members that may fail") :
            new Problem(PARITY_STRIPS, parityStrips, "not allowed: RAID " + label +
            " has a fixed count of parity strips", "remove it, or choose level " + RaidLevel.ERASURE_CODE);
    }

    @Override
    public BlockDevice open(final String name, final DeviceProperties properties, final DeviceDependencies dependencies)
    {
        final RaidConfig config = config(name, properties);
        final List<BlockDevice> devices = new ArrayList<>(dependencies.bases());
        final List<BlockDevice> shared =
            SharedSpareMembers.find(config, devices, dependencies.spares().get(), dependencies.memory());
        devices.addAll(shared);
        final RaidDevice array = RaidAssembly.assemble(SharedSpareMembers.with(config, shared), devices,
            () -> dependencies.unused().get().stream().filter((each) -> !shared.contains(each)).toList(),
            dependencies.memory());
        array.scrubIntervalMs(scrubIntervalMs(properties));
        array.hedgeReads(hedgeReads(properties));
        return array;
    }

    private static RaidConfig config(final String name, final DeviceProperties properties)
    {
        return new RaidConfig(name, level(properties),
            properties.integer("strip-size", RaidConfig.STRIP_BYTES_DEFAULT), properties.texts(MEMBERS),
            properties.texts(SPARES), properties.flag("assume-clean", false), properties.flag("wipe-signatures", false),
            properties.flag("force-start", false), copyRates(properties),
            ALWAYS.equals(properties.text(JOURNAL, "degraded")) ? JournalMode.ALWAYS : JournalMode.DEGRADED,
            journalDevice(properties), properties.flag(CHECKSUMS, false));
    }

    private static long scrubIntervalMs(final DeviceProperties properties)
    {
        return (properties.number(SCRUB_INTERVAL, 0) + NS_PER_MS - 1) / NS_PER_MS;
    }

    private static int hedgeReads(final DeviceProperties properties)
    {
        return properties.integer(HEDGE_READS, RaidDevice.HEDGE_READS_DEFAULT);
    }

    private static CopyRates copyRates(final DeviceProperties properties)
    {
        return new CopyRates(properties.number(SYNC_RATE_MIN, CopyRates.DEFAULT.minBytesPerS()),
            properties.number(SYNC_RATE_MAX, CopyRates.DEFAULT.maxBytesPerS()));
    }

    @Override
    public CompletableFuture<Void> apply(
        final BlockDevice device,
        final DeviceProperties was,
        final DeviceProperties properties,
        final DeviceDependencies dependencies)
    {
        final RaidDevice array = (RaidDevice)device;
        final RaidConfig config = config(device.name(), properties);
        final boolean areMembersOthers =
            !memberBases(was).equals(memberBases(properties)) || level(was) != level(properties);
        if (!journalDevice(was).equals(config.journalDevice()))
        {
            if (areMembersOthers)
            {
                throw new BlockDeviceException("members, spares and " + JOURNAL_DEVICE +
                    " change one at a time: set one, and the other when that is done");
            }
            applyJournal(array, config, dependencies);
        }
        if (areMembersOthers)
        {
            MembershipSettings.apply(
                array, config(device.name(), was), config, dependencies.bases(), dependencies.memory());
        }
        array.copyRates(copyRates(properties));
        array.scrubIntervalMs(scrubIntervalMs(properties));
        array.hedgeReads(hedgeReads(properties));
        return CompletableFuture.completedFuture(null);
    }

    private static void applyJournal(
        final RaidDevice array, final RaidConfig config, final DeviceDependencies dependencies)
    {
        if (config.journalDevice().isEmpty())
        {
            JournalDeviceSettings.useMembers(array);
        }
        else if (dependencies.bases().isEmpty())
        {
            throw new BlockDeviceException("device " + config.journalDevice() + " is a device of the array already: " +
                "use another as " + JOURNAL_DEVICE + ", or remove it first");
        }
        else
        {
            JournalDeviceSettings.use(array, config, dependencies.bases().getFirst(), dependencies.memory());
        }
    }

    @Override
    public List<String> notes(final BlockDevice device)
    {
        final List<String> notes = new ArrayList<>();
        final RaidDevice array = (RaidDevice)device;
        if (ParityEngineType.SCALAR == array.engineType())
        {
            notes.add("array " + array.name() +
                " computes parity with the scalar engine, the slowest: install libisal2");
        }
        if (!array.sizeNote().isEmpty())
        {
            notes.add(array.sizeNote());
        }
        return notes;
    }
}
