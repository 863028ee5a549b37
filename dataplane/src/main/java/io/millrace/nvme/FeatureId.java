package io.millrace.nvme;

/**
 * Feature identifiers of Get and Set Features (NVM Express Base 2.0, section 5.27.1; NVM Command Set 1.0, section
 * 4.1.3).
 */
public final class FeatureId
{
    /** Arbitration. */
    public static final int ARBITRATION = 0x01;
    /** Power management. */
    public static final int POWER_MANAGEMENT = 0x02;
    /** Temperature threshold. */
    public static final int TEMPERATURE_THRESHOLD = 0x04;
    /** Error recovery, of a namespace. */
    public static final int ERROR_RECOVERY = 0x05;
    /** Volatile write cache. */
    public static final int VOLATILE_WRITE_CACHE = 0x06;
    /** Number of queues. */
    public static final int NUMBER_OF_QUEUES = 0x07;
    /** Interrupt coalescing. */
    public static final int INTERRUPT_COALESCING = 0x08;
    /** Interrupt vector configuration. */
    public static final int INTERRUPT_VECTOR_CONFIGURATION = 0x09;
    /** Write atomicity. */
    public static final int WRITE_ATOMICITY = 0x0A;
    /** Asynchronous event configuration. */
    public static final int ASYNC_EVENT_CONFIGURATION = 0x0B;
    /** Timestamp. */
    public static final int TIMESTAMP = 0x0E;
    /** Keep alive timer. */
    public static final int KEEP_ALIVE_TIMER = 0x0F;
    /** Host identifier. */
    public static final int HOST_IDENTIFIER = 0x81;

    /** Select of Get Features, bits 10:8 of dword 10: current value. */
    public static final int SELECT_CURRENT = 0;
    /** Select of Get Features: default value. */
    public static final int SELECT_DEFAULT = 1;
    /** Select of Get Features: saved value. */
    public static final int SELECT_SAVED = 2;
    /** Select of Get Features: what can be done with it. */
    public static final int SELECT_CAPABILITIES = 3;
    /** Save of Set Features, bit 31 of dword 10. */
    public static final int SAVE = 1 << 31;

    private FeatureId()
    {
    }
}
