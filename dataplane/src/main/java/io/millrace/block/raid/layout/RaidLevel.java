package io.millrace.block.raid.layout;

import java.util.Arrays;
import java.util.List;

/**
 * Levels of an array, by the numbers of the field and of Linux md.
 */
public enum RaidLevel
{
    /** Strips in turn on all members, without redundancy. */
    RAID0("0", 0, 2),
    /** Every block on all members. */
    RAID1("1", 1, 2),
    /** Data strips and one strip of parity a stripe, the XOR of the data. */
    RAID5("5", 5, 3),
    /** Data strips and two strips of parity a stripe: P and Q. */
    RAID6("6", 6, 4),
    /** Two copies of each strip on different members; md's layout near 2. */
    RAID10("10", 10, 2);

    /** Most members of an array, spares not counted. */
    public static final int MEMBERS_MAX = 64;

    private final String label;
    private final int code;
    private final int membersMin;

    RaidLevel(final String label, final int code, final int membersMin)
    {
        this.label = label;
        this.code = code;
        this.membersMin = membersMin;
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
     * {@return the fewest members}
     */
    public int membersMin()
    {
        return membersMin;
    }

    /**
     * {@return strips of parity a stripe}
     */
    public int parityCount()
    {
        return switch (this)
        {
            case RAID5 -> 1;
            case RAID6 -> 2;
            default -> 0;
        };
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
        return Arrays.stream(values()).map(RaidLevel::label).toList();
    }

    /**
     * {@return the level of a label; null: there is none}
     *
     * @param label as {@link #label()} has it.
     */
    public static RaidLevel find(final String label)
    {
        return Arrays.stream(values()).filter((each) -> each.label.equals(label)).findFirst().orElse(null);
    }

    /**
     * {@return the level of a number; null: there is none}
     *
     * @param code as {@link #code()} has it.
     */
    public static RaidLevel ofCode(final int code)
    {
        return Arrays.stream(values()).filter((each) -> each.code == code).findFirst().orElse(null);
    }
}
