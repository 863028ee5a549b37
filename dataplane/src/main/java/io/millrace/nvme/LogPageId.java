package io.millrace.nvme;

/**
 * Log page identifiers of Get Log Page (NVM Express Base 2.0, section 5.16.1).
 */
public final class LogPageId
{
    /** Supported log pages: 256 double words, bit 0 says supported. */
    public static final int SUPPORTED_LOG_PAGES = 0x00;
    /** Error information: {@link ErrorLogEntry} records. */
    public static final int ERROR_INFORMATION = 0x01;
    /** SMART / health information: {@link SmartLog}. */
    public static final int SMART = 0x02;
    /** Firmware slots: {@link FirmwareSlotLog}. */
    public static final int FIRMWARE_SLOT = 0x03;
    /** Namespaces that changed: up to 1024 ids, ascending; FFFFFFFFh alone for more. */
    public static final int CHANGED_NAMESPACES = 0x04;
    /** Commands supported and effects: 256 double words for admin commands, 256 for I/O commands; see below. */
    public static final int COMMAND_EFFECTS = 0x05;
    /** Asymmetric namespace access: {@link AnaLogHeader} and {@link AnaGroupDescriptor} records. */
    public static final int ANA = 0x0C;
    /** Features supported and effects: 256 double words. */
    public static final int FEATURE_EFFECTS = 0x12;
    /** Management interface commands supported and effects. */
    public static final int MANAGEMENT_EFFECTS = 0x13;
    /** Discovery: {@link DiscoveryLogHeader} and {@link DiscoveryLogEntry} records. */
    public static final int DISCOVERY = 0x70;

    /** Retain the asynchronous event, bit 15 of dword 10. */
    public static final int RETAIN_ASYNC_EVENT = 1 << 15;

    /** Effect: supported. */
    public static final int EFFECT_SUPPORTED = 1;
    /** Effect: content of blocks may change. */
    public static final int EFFECT_CONTENT_CHANGE = 1 << 1;
    /** Effect: scope is a namespace. */
    public static final int EFFECT_SCOPE_NAMESPACE = 1 << 20;
    /** Effect: scope is the controller. */
    public static final int EFFECT_SCOPE_CONTROLLER = 1 << 21;

    private LogPageId()
    {
    }

    /**
     * {@return dword 10 of a Get Log Page command}
     *
     * @param logPageId   wanted.
     * @param retain      the asynchronous event.
     * @param lengthBytes a multiple of 4.
     */
    public static int dword10(final int logPageId, final boolean retain, final int lengthBytes)
    {
        return logPageId | (retain ? RETAIN_ASYNC_EVENT : 0) | (lengthBytes / 4 - 1 & 0xFFFF) << 16;
    }

    /**
     * {@return dword 11 of a Get Log Page command}
     *
     * @param lengthBytes a multiple of 4.
     */
    public static int dword11(final int lengthBytes)
    {
        return lengthBytes / 4 - 1 >>> 16;
    }
}
