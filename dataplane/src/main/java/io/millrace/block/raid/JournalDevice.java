package io.millrace.block.raid;

/**
 * The device that settings name for the journal of an array, as an operator sees it: what is used of it, the
 * {@link ArrayView} says. {@link ArrayWork} alone changes it; any thread reads.
 */
final class JournalDevice
{
    private volatile String name;
    /** Null: none is open. */
    private volatile RaidMember member;
    private volatile String trouble;

    /**
     * As the array was assembled.
     *
     * @param name    of the device; empty: settings name none.
     * @param member  that it is; null: it cannot be used.
     * @param trouble why it cannot be used, a sentence; empty: it can, or there is none.
     */
    JournalDevice(final String name, final RaidMember member, final String trouble)
    {
        this.name = name;
        this.member = member;
        this.trouble = trouble;
    }

    /**
     * {@return the device, which may have failed; null: none is open}
     */
    RaidMember member()
    {
        return member;
    }

    /**
     * {@return why members have the journal though settings name a device, a sentence; empty: they do not, or none is
     * named}
     */
    String trouble()
    {
        return trouble;
    }

    /**
     * Superblocks name another device.
     *
     * @param newMember null: none.
     */
    void use(final RaidMember newMember)
    {
        name = null == newMember ? "" : newMember.device().name();
        trouble = "";
        member = newMember;
    }

    /**
     * It has failed.
     *
     * @param reason the end of a sentence that begins with the device.
     */
    void onFailed(final String reason)
    {
        trouble = trouble(name, reason);
    }

    /**
     * {@return a sentence on a device that is not used}
     *
     * @param name   of the device.
     * @param reason the end of a sentence that begins with the device.
     */
    static String trouble(final String name, final String reason)
    {
        return "journal device " + name + ' ' + reason + ", and members have the journal: check it, then remove the " +
            "setting journal-device and set it again, or set another device";
    }

    /**
     * {@return the device as it is now}
     *
     * @param view of the array.
     */
    RaidJournalDetails details(final ArrayView view)
    {
        final RaidMember present = member;
        final RaidJournalDetails.State state;
        if (null == present)
        {
            state = name.isEmpty() ? RaidJournalDetails.State.NONE : RaidJournalDetails.State.MISSING;
        }
        else if (present != view.journalDevice())
        {
            state = RaidJournalDetails.State.FAILED;
        }
        else
        {
            state = view.isJournaling() ? RaidJournalDetails.State.ACTIVE : RaidJournalDetails.State.IDLE;
        }
        return new RaidJournalDetails(name, state);
    }
}
