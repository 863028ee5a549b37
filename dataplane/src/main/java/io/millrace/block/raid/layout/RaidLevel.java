package io.millrace.block.raid.layout;

import io.millrace.parity.ReedSolomon;
import java.util.Arrays;
import java.util.List;

/**
 * Levels of an array, by the numbers of the field and of Linux md, and erasure codes, which are one level by name, and
 * differ in the strips of parity that a stripe has. RAID 6 is one level by name, too, and has two layouts.
 */
public enum RaidLevel
{
    /** Strips in turn on all members, without redundancy. */
    RAID0("0", 0, 2, 0),
    /** Every block on all members. */
    RAID1("1", 1, 2, 0),
    /** Data strips and one strip of parity a stripe, the XOR of the data. */
    RAID5("5", 5, 3, 1),
    /** Data strips and two strips of parity a stripe: P and Q. */
    RAID6("6", 6, 4, 2),
    /** RAID 6 of an array that was RAID 5: Q of all stripes is in the last slot, the others have what they had. */
    RAID6_Q_LAST("6", 6, 4, 2),
    /** Two copies of each strip on different members; md's layout near 2. */
    RAID10("10", 10, 2, 0),
    /** Data strips and one strip of parity a stripe, by {@link ReedSolomon}; so are the next, with more parity. */
    EC1(1),
    /** Two strips of parity. */
    EC2(2),
    /** Three strips of parity. */
    EC3(3),
    /** Four strips of parity. */
    EC4(4),
    /** Five strips of parity. */
    EC5(5),
    /** Six strips of parity. */
    EC6(6),
    /** Seven strips of parity. */
    EC7(7),
    /** Eight strips of parity. */
    EC8(8);

    /** Most members of an array, spares not counted. */
    public static final int MEMBERS_MAX = 64;
    /** Label of all erasure codes. */
    public static final String ERASURE_CODE = "ec";

    /** Of all erasure codes in superblocks. Linux md has levels up to 10, and below 0. */
    private static final int ERASURE_CODE_NUMBER = 100;
    private static final int DATA_MIN = 2;
    private static final int Q_LAST_NUMBER = 1;

    private final String label;
    private final int code;
    private final int membersMin;
    private final int parityCount;

    RaidLevel(final String label, final int code, final int membersMin, final int parityCount)
    {
        this.label = label;
        this.code = code;
        this.membersMin = membersMin;
        this.parityCount = parityCount;
    }

    RaidLevel(final int parityCount)
    {
        this(ERASURE_CODE, ERASURE_CODE_NUMBER, parityCount + DATA_MIN, parityCount);
    }

    /**
     * {@return the name in configurations and tables}
     */
    public String label()
    {
        return label;
    }

    /**
     * {@return the number in superblocks}
     */
    public int code()
    {
        return code;
    }

    /**
     * {@return strips of parity that have to be named beside {@link #label()}; 0: none, as the label says all}
     */
    public int parityStrips()
    {
        return isErasureCode() ? parityCount : 0;
    }

    /**
     * {@return the number of its layout in superblocks, among the layouts of levels with the same {@link #code()}}
     */
    public int layoutCode()
    {
        return RAID6_Q_LAST == this ? Q_LAST_NUMBER : 0;
    }

    /**
     * {@return the strips of parity that rotate over the slots; others have a slot of their own behind those}
     */
    public int rotatingParityCount()
    {
        return RAID6_Q_LAST == this ? parityCount - 1 : parityCount;
    }

    /**
     * {@return whether it is an erasure code}
     */
    public boolean isErasureCode()
    {
        return ERASURE_CODE_NUMBER == code;
    }

    /**
     * {@return the name for people, such as RAID 6 or EC 8+3}
     *
     * @param memberCount of the array.
     */
    public String title(final int memberCount)
    {
        return isErasureCode() ? "EC " + (memberCount - parityCount) + "+" + parityCount : "RAID " + label;
    }

    /**
     * {@return the name for people of arrays of any count of members, such as RAID 6 or EC with 3 parity strips}
     */
    public String title()
    {
        return isErasureCode() ? "EC with " + parityCount + " parity strip" + (1 == parityCount ? "" : "s") :
            "RAID " + label;
    }

    /**
     * {@return the fewest members}
     */
    public int membersMin()
    {
        return membersMin;
    }

    /**
     * {@return the most members}
     */
    public int membersMax()
    {
        return isErasureCode() ? ReedSolomon.SOURCES_MAX + parityCount : MEMBERS_MAX;
    }

    /**
     * {@return strips of parity a stripe}
     */
    public int parityCount()
    {
        return parityCount;
    }

    /**
     * {@return how many members hold each block, parity not counted}
     *
     * @param memberCount of the array.
     */
    public int copyCount(final int memberCount)
    {
        return switch (this)
        {
            case RAID1 -> memberCount;
            case RAID10 -> 2;
            default -> 1;
        };
    }

    /**
     * {@return the labels of all levels, in the order of their declaration}
     */
    public static List<String> labels()
    {
        return Arrays.stream(values()).map(RaidLevel::label).distinct().toList();
    }

    /**
     * {@return the level that a new array of a label has; null: there is none}
     *
     * @param label        as {@link #label()} has it.
     * @param parityStrips as {@link #parityStrips()} has it.
     */
    public static RaidLevel find(final String label, final int parityStrips)
    {
        return Arrays.stream(values())
            .filter((each) -> each.label.equals(label) && each.parityStrips() == parityStrips).findFirst().orElse(null);
    }

    /**
     * {@return the level of a number; null: there is none}
     *
     * @param code         as {@link #code()} has it.
     * @param parityStrips as {@link #parityStrips()} has it.
     * @param layoutCode   as {@link #layoutCode()} has it.
     */
    public static RaidLevel ofCode(final int code, final int parityStrips, final int layoutCode)
    {
        return Arrays.stream(values()).filter((each) -> each.code == code && each.parityStrips() == parityStrips &&
            each.layoutCode() == layoutCode).findFirst().orElse(null);
    }
}
