package io.millrace.block.raid;

import io.millrace.block.DeviceProgress;
import io.millrace.block.DeviceServices;

/**
 * What an array reports to the data plane: that its status has changed, events, and the two parts of the status that
 * its own work says: trouble and progress. Changed by {@link ArrayWork} alone once that runs; any thread reads it.
 */
final class ArrayReports
{
    private final OperationClock operation = new OperationClock();
    private volatile DeviceServices services = DeviceServices.NONE;
    private volatile String trouble;
    /** What settings say that the array does not follow. */
    private volatile String settings;

    /**
     * Of an array that was not started.
     *
     * @param trouble  a sentence on devices that cannot be used; empty: none.
     * @param settings a sentence on settings that the array does not follow; empty: none.
     */
    ArrayReports(final String trouble, final String settings)
    {
        this.trouble = trouble;
        this.settings = settings;
    }

    /**
     * Reports go to the data plane from now on.
     *
     * @param newServices of the data plane.
     */
    void start(final DeviceServices newServices)
    {
        services = newServices;
    }

    /** Something that the status has is another. */
    void onChanged()
    {
        services.onStatusChanged();
    }

    /**
     * {@return what an operator should know though all members are in sync, settings included; empty: nothing}
     */
    String trouble()
    {
        final String first = trouble;
        final String second = settings;
        return first + (first.isEmpty() || second.isEmpty() ? "" : "; ") + second;
    }

    /**
     * Says what an operator should know though all members are in sync, or why a rebuild does not go on.
     *
     * @param sentence not empty.
     */
    void trouble(final String sentence)
    {
        if (!sentence.equals(trouble))
        {
            trouble = sentence;
            services.onStatusChanged();
        }
    }

    /** Nobody lacks anything any more; settings that the array does not follow stay such. */
    void clear()
    {
        trouble("");
    }

    /** Settings agree with the array. Any thread. */
    void onSettingsFollowed()
    {
        if (!settings.isEmpty())
        {
            settings = "";
            services.onStatusChanged();
        }
    }

    /**
     * {@return how far the array's own work is; null: no operation is running}
     */
    DeviceProgress progress()
    {
        return operation.progress();
    }

    /**
     * Says how far the array's own work is.
     *
     * @param newProgress null: no operation is running.
     */
    void progress(final DeviceProgress newProgress)
    {
        if (operation.progress(newProgress))
        {
            services.onStatusChanged();
        }
    }

    /**
     * An operation of the array's own work does not go on now.
     *
     * @param ended whose progress is not said any more, unless another's is.
     */
    void endProgress(final String ended)
    {
        final DeviceProgress present = operation.progress();
        if (null != present && ended.equals(present.operation()))
        {
            progress(null);
        }
    }

    /**
     * {@return milliseconds until the present operation ends; {@link RaidDetails#UNKNOWN}: none is running, or it has
     * just begun}
     */
    long leftMs()
    {
        return operation.leftMs();
    }

    /**
     * Something happened that an operator should know.
     *
     * @param sentence without the name of the array.
     */
    void announce(final String sentence)
    {
        services.onEvent(sentence, false);
    }

    /**
     * Data was lost, which an operator has to restore.
     *
     * @param sentence without the name of the array.
     */
    void announceLoss(final String sentence)
    {
        services.onEvent(sentence, true);
    }

    /** The array lacks a spare. */
    void onSpareWanted()
    {
        services.onSpareWanted();
    }

    /**
     * No channel uses a member any more.
     *
     * @param member that was removed.
     */
    void onReleased(final RaidMember member)
    {
        services.onReleased(member.device());
    }
}
