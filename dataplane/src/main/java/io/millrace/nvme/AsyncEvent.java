package io.millrace.nvme;

/**
 * Asynchronous events: dword 0 of the completion has the type in bits 2:0, the information in bits 15:8 and the log
 * page in bits 23:16 (NVM Express Base 2.0, section 5.2). Stateless.
 */
public final class AsyncEvent
{
    /** Type: error; information says which. */
    public static final int TYPE_ERROR = 0;
    /** Type: SMART / health status. */
    public static final int TYPE_HEALTH = 1;
    /** Type: notice. */
    public static final int TYPE_NOTICE = 2;
    /** Notice: namespaces were added, removed or changed. */
    public static final int NOTICE_NAMESPACE_CHANGED = 0x00;
    /** Notice: asymmetric namespace access changed. */
    public static final int NOTICE_ANA_CHANGED = 0x03;
    /** Notice: discovery log changed. */
    public static final int NOTICE_DISCOVERY_CHANGED = 0xF0;


    /** Critical warnings of the SMART log, bits of the asynchronous event configuration. */
    public static final int ENABLE_HEALTH_WARNINGS = 0x1F;
    /** Namespace attribute notices, bit of OAES and of the asynchronous event configuration. */
    public static final int ENABLE_NAMESPACE_NOTICES = 1 << 8;
    /** Asymmetric namespace access change notices, bit of OAES and of the asynchronous event configuration. */
    public static final int ENABLE_ANA_NOTICES = 1 << 11;
    /** Discovery log change notices, bit of OAES and of the asynchronous event configuration. */
    public static final int ENABLE_DISCOVERY_NOTICES = 1 << 31;

    /** Completion of a namespace attribute notice. */
    public static final int NAMESPACE_CHANGED = TYPE_NOTICE | NOTICE_NAMESPACE_CHANGED << 8 |
        LogPageId.CHANGED_NAMESPACES << 16;
    /** Completion of an asymmetric namespace access change notice. */
    public static final int ANA_CHANGED = TYPE_NOTICE | NOTICE_ANA_CHANGED << 8 | LogPageId.ANA << 16;
    /** Completion of a discovery log change notice. */
    public static final int DISCOVERY_CHANGED = TYPE_NOTICE | NOTICE_DISCOVERY_CHANGED << 8 | LogPageId.DISCOVERY << 16;

    private AsyncEvent()
    {
    }

    /**
     * {@return type of an event}
     *
     * @param result dword 0 of the completion.
     */
    public static int type(final int result)
    {
        return result & 7;
    }

    /**
     * {@return what happened, by type}
     *
     * @param result dword 0 of the completion.
     */
    public static int information(final int result)
    {
        return result >>> 8 & 0xFF;
    }

    /**
     * {@return log page that says more and, when read, lets the next event of the type through}
     *
     * @param result dword 0 of the completion.
     */
    public static int logPage(final int result)
    {
        return result >>> 16 & 0xFF;
    }
}
