package io.millrace.nvmf;

import io.millrace.nvmf.namespace.Namespace;
import io.millrace.reactor.Reactor;
import org.agrona.collections.Int2IntHashMap;

/**
 * Feature values that a host has set on its controller and that are stored nowhere else. Home of the controller only.
 */
final class FeatureValues
{
    /** Default of the over temperature threshold in kelvins. */
    static final int TEMPERATURE_OVER_DEFAULT_K = 0x157;

    private static final int MISSING = -1;

    private final int[] dwords = new int[256];
    private final Int2IntHashMap errorRecovery = new Int2IntHashMap(MISSING);
    private int errorRecoveryOfAll;
    private int temperatureOver;
    private int temperatureUnder;
    private boolean isWriteCacheEnabled = true;
    private long timestampMs;
    private long timestampSetNs;
    private boolean isTimestampSet;

    FeatureValues()
    {
        temperatureOver = TEMPERATURE_OVER_DEFAULT_K;
    }

    int dword(final int featureId)
    {
        return dwords[featureId];
    }

    void dword(final int featureId, final int value)
    {
        dwords[featureId] = value;
    }

    int errorRecovery(final int nsid)
    {
        final int value = errorRecovery.get(nsid);
        return MISSING == value ? errorRecoveryOfAll : value;
    }

    void errorRecovery(final int nsid, final int value)
    {
        if (Namespace.NSID_ALL == nsid)
        {
            errorRecovery.clear();
            errorRecoveryOfAll = value;
        }
        else
        {
            errorRecovery.put(nsid, value);
        }
    }

    int temperature(final boolean isUnder)
    {
        return isUnder ? temperatureUnder : temperatureOver;
    }

    void temperature(final boolean isUnder, final int kelvins)
    {
        if (isUnder)
        {
            temperatureUnder = kelvins;
        }
        else
        {
            temperatureOver = kelvins;
        }
    }

    boolean isWriteCacheEnabled()
    {
        return isWriteCacheEnabled;
    }

    void writeCacheEnabled(final boolean isEnabled)
    {
        isWriteCacheEnabled = isEnabled;
    }

    void timestamp(final long epochMs, final long nowNs)
    {
        timestampMs = epochMs;
        timestampSetNs = nowNs;
        isTimestampSet = true;
    }

    /**
     * {@return milliseconds that the host set, advanced since then; the machine's clock until it sets some}
     *
     * @param reactor whose clocks it goes by.
     */
    long timestampMs(final Reactor reactor)
    {
        return isTimestampSet ?
            timestampMs + (reactor.nowNs() - timestampSetNs) / 1_000_000 : reactor.kernel().epochMs();
    }

    boolean isTimestampSet()
    {
        return isTimestampSet;
    }
}
