package io.millrace.control.device;

import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.setting.SettingType;
import io.millrace.control.setting.Units;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Settings of arrays.
 */
final class RaidType
{
    private static final String ALWAYS = "always";
    private static final String ERASURE_CODE = "ec";
    private static final long PARITY_STRIPS_MAX = 8;
    private static final long DATA_STRIPS_MIN = 2;
    private static final long DATA_STRIPS_MAX = 32;
    private static final Set<String> HAS_PARITY = Set.of("5", "6", ERASURE_CODE);
    private static final long STRIP_BYTES_MIN = 4 << 10;
    private static final long STRIP_BYTES_MAX = 1 << 20;
    private static final long SYNC_BYTES_MIN = 64 << 10;
    private static final long SYNC_BYTES_MAX = 1L << 40;
    /** 400 days. */
    private static final long SCRUB_NS_MAX = 400L * 86_400 * 1_000_000_000L;

    private static final DeviceSetting<String> LEVEL = DeviceSetting.required("level",
        SettingType.word("0", "1", "5", "6", "10", ERASURE_CODE), OnChange.APPLIED,
        "RAID level, or ec: an erasure code. 5 becomes 6 with one member more, and back.");

    private static final DeviceSetting<Long> PARITY_STRIPS = DeviceSetting.optional("parity-strips",
        SettingType.integer(1, PARITY_STRIPS_MAX), null, OnChange.FIXED,
        "Of level ec, which needs it: strips of parity of each stripe; as many members may fail.");

    private static final DeviceSetting<String> MEMBERS = DeviceSetting.values("members", DeviceSetting.DEVICE,
        OnChange.APPLIED, "Names of the devices of the array, declared before it; where they hold an array already, " +
        "it is assembled of them. A name instead of another replaces that member: the new device is copied first.")
        .asRequired();

    private static final DeviceSetting<String> SPARES = DeviceSetting.values("spares", DeviceSetting.DEVICE,
        OnChange.APPLIED, "Names of devices that take the place of members that fail, declared before it.");

    private static final DeviceSetting<Long> STRIP_SIZE = DeviceSetting.optional("strip-size",
        SettingType.size(STRIP_BYTES_MIN, STRIP_BYTES_MAX), "64KiB", OnChange.FIXED,
        "Consecutive bytes on one member (mdadm: chunk), a power of two.");

    private static final DeviceSetting<Boolean> ASSUME_CLEAN = DeviceSetting.optional("assume-clean",
        SettingType.BOOLEAN, "false", OnChange.REPLACED,
        "Whether members of a new array are full of zeroes, so that they need no resynchronization.");

    private static final DeviceSetting<Boolean> WIPE_SIGNATURES = DeviceSetting.optional("wipe-signatures",
        SettingType.BOOLEAN, "false", OnChange.APPLIED,
        "Whether devices that hold a known signature, such as a file system, are used, and it is erased.");

    private static final DeviceSetting<Boolean> FORCE_START = DeviceSetting.optional("force-start",
        SettingType.BOOLEAN, "false", OnChange.APPLIED,
        "Whether it starts although missing members may have newer data, or although parity may not match.");

    private static final DeviceSetting<Long> SYNC_RATE_MIN = DeviceSetting.optional("sync-rate-min",
        SettingType.size(SYNC_BYTES_MIN, SYNC_BYTES_MAX), "16MiB", OnChange.APPLIED,
        "Least rate of a rebuild or a resync, in bytes of each member a second, also beside hosts.");

    private static final DeviceSetting<Long> SYNC_RATE_MAX = DeviceSetting.optional("sync-rate-max",
        SettingType.size(SYNC_BYTES_MIN, SYNC_BYTES_MAX), "1GiB", OnChange.APPLIED,
        "Highest rate of a rebuild or a resync, in bytes of each member a second, also without hosts.");

    private static final DeviceSetting<Long> SCRUB_INTERVAL = DeviceSetting.optional("scrub-interval",
        SettingType.duration(0, SCRUB_NS_MAX), "0ns", OnChange.APPLIED,
        "How long after the last complete scrub a check begins by itself; 0s: never.");

    private static final DeviceSetting<String> JOURNAL = DeviceSetting.optional("journal",
        SettingType.word("degraded", ALWAYS), "degraded", OnChange.REPLACED,
        "When writes with parity are journaled: while a slot is not in sync, or always.");

    private static final DeviceSetting<String> JOURNAL_DEVICE = DeviceSetting.optional("journal-device",
        DeviceSetting.DEVICE, null, OnChange.APPLIED,
        "Name of a fast device that has the journal instead of members, declared before it.");

    private static final DeviceSetting<Long> HEDGE_READS = DeviceSetting.optional("hedge-reads",
        SettingType.integer(0, 100), "0", OnChange.APPLIED,
        "Most reads, in percent, that are asked of other members as well since one takes long; 0: none.");

    private static final DeviceSetting<Boolean> CHECKSUMS = DeviceSetting.optional("checksums",
        SettingType.BOOLEAN, "false", OnChange.FIXED,
        "Blocks of a new array with parity have checksums, by which a scrub finds which member has a wrong one.");

    static final DeviceType TYPE = new DeviceType("raid", DeviceContent.OF_BASE,
        "An array of other devices: RAID 0, 1, 5, 6 or 10, or an erasure code.",
        List.of(LEVEL, PARITY_STRIPS, MEMBERS, SPARES, STRIP_SIZE, ASSUME_CLEAN, WIPE_SIGNATURES, FORCE_START,
        SYNC_RATE_MIN, SYNC_RATE_MAX, SCRUB_INTERVAL, JOURNAL, JOURNAL_DEVICE, HEDGE_READS, CHECKSUMS),
        RaidType::check);

    private RaidType()
    {
    }

    private static void check(final Map<String, Object> values)
    {
        final long stripBytes = (Long)values.get(STRIP_SIZE.key());
        if (1 != Long.bitCount(stripBytes))
        {
            throw new InvalidSettingException(STRIP_SIZE.key(), Long.toString(stripBytes), "not a power of two",
                "use " + Long.highestOneBit(stripBytes));
        }
        final long syncRateMin = (Long)values.get(SYNC_RATE_MIN.key());
        final long syncRateMax = (Long)values.get(SYNC_RATE_MAX.key());
        if (syncRateMin > syncRateMax)
        {
            throw new InvalidSettingException(SYNC_RATE_MIN.key(), Units.size(syncRateMin),
                "more than " + SYNC_RATE_MAX.key() + ", " + Units.size(syncRateMax), "lower it, or raise the other");
        }
        final List<?> members = (List<?>)values.get(MEMBERS.key());
        final List<?> spares = (List<?>)values.get(SPARES.key());
        final String level = (String)values.get(LEVEL.key());
        checkParityStrips(level, (Long)values.get(PARITY_STRIPS.key()), members.size());
        if ("0".equals(level) && !spares.isEmpty())
        {
            throw new InvalidSettingException(SPARES.key(), null, "not allowed: RAID 0 cannot rebuild onto a spare",
                "remove them, or choose another level");
        }
        if (ALWAYS.equals(values.get(JOURNAL.key())) && !HAS_PARITY.contains(level))
        {
            throw new InvalidSettingException(JOURNAL.key(), ALWAYS, "not allowed: RAID " + level +
                " has no parity that a crash could leave wrong", "remove it, or choose level 5, 6 or ec");
        }
        if ((Boolean)values.get(CHECKSUMS.key()) && !HAS_PARITY.contains(level))
        {
            throw new InvalidSettingException(CHECKSUMS.key(), "true", "not allowed: RAID " + level +
                " has no parity to compute a wrong block from", "remove it, or choose level 5, 6 or ec");
        }
        checkJournalDevice(level, (String)values.get(JOURNAL_DEVICE.key()), members, spares);
        for (final Object spare : spares)
        {
            if (members.contains(spare))
            {
                throw new InvalidSettingException(SPARES.key(), (String)spare, "also listed in members",
                    "list it once");
            }
        }
    }

    private static void checkJournalDevice(
        final String level, final String device, final List<?> members, final List<?> spares)
    {
        if (null != device && !HAS_PARITY.contains(level))
        {
            throw new InvalidSettingException(JOURNAL_DEVICE.key(), device, "not allowed: RAID " + level +
                " has no parity that a crash could leave wrong", "remove it, or choose level 5, 6 or ec");
        }
        if (null != device && (members.contains(device) || spares.contains(device)))
        {
            throw new InvalidSettingException(JOURNAL_DEVICE.key(), device,
                "also listed in members or spares", "name another device");
        }
    }

    private static void checkParityStrips(final String level, final Long parityStrips, final int members)
    {
        final boolean isErasureCode = ERASURE_CODE.equals(level);
        if (isErasureCode && null == parityStrips)
        {
            throw new InvalidSettingException(PARITY_STRIPS.key(), null, "missing",
                "give the number of members that may fail, 1 to " + PARITY_STRIPS_MAX);
        }
        if (!isErasureCode && null != parityStrips)
        {
            throw new InvalidSettingException(PARITY_STRIPS.key(), parityStrips.toString(),
                "not allowed: RAID " + level + " has a fixed count of parity strips", "remove it, or choose level ec");
        }
        final long least = isErasureCode ? parityStrips + DATA_STRIPS_MIN : membersMin(level);
        final String title =
            isErasureCode ? "level ec with " + Units.count(parityStrips, "parity strip") : "RAID " + level;
        if (members < least)
        {
            throw new InvalidSettingException(MEMBERS.key(), null,
                Units.count(members, "member") + ", " + title + " needs at least " + least, "list more");
        }
        if (isErasureCode && members > parityStrips + DATA_STRIPS_MAX)
        {
            throw new InvalidSettingException(MEMBERS.key(), null, Units.count(members, "member") + ", " + title +
                " has at most " + (parityStrips + DATA_STRIPS_MAX), "list fewer");
        }
    }

    private static int membersMin(final String level)
    {
        return switch (level)
        {
            case "5" -> 3;
            case "6" -> 4;
            default -> 2;
        };
    }
}
