package io.millrace.nvme;

/**
 * Opcodes of I/O commands (NVM Command Set 1.0, section 3, figure 22). Bits 1:0 of an opcode say which way its data
 * goes: see {@link DataTransfer}.
 */
public final class IoOpcode
{
    /** Flush. */
    public static final int FLUSH = 0x00;
    /** Write. */
    public static final int WRITE = 0x01;
    /** Read. */
    public static final int READ = 0x02;
    /** Compare. */
    public static final int COMPARE = 0x05;
    /** Write Zeroes. */
    public static final int WRITE_ZEROES = 0x08;
    /** Dataset Management. */
    public static final int DATASET_MANAGEMENT = 0x09;
    /** Verify. */
    public static final int VERIFY = 0x0C;
    /** Copy. */
    public static final int COPY = 0x19;
    /** Fabrics command; {@link FabricsType} says which. */
    public static final int FABRICS = 0x7F;

    private IoOpcode()
    {
    }

    /**
     * {@return its name; as a hexadecimal number when it has none here. May allocate}
     *
     * @param opcode any number.
     */
    public static String name(final int opcode)
    {
        return switch (opcode)
        {
            case FLUSH -> "FLUSH";
            case WRITE -> "WRITE";
            case READ -> "READ";
            case COMPARE -> "COMPARE";
            case WRITE_ZEROES -> "WRITE_ZEROES";
            case DATASET_MANAGEMENT -> "DATASET_MANAGEMENT";
            case VERIFY -> "VERIFY";
            case COPY -> "COPY";
            case FABRICS -> "FABRICS";
            default -> "0x" + Integer.toHexString(opcode);
        };
    }
}
