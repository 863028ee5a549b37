package io.millrace.jfr;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;

/**
 * Events of the data planes of this process for JDK Flight Recorder. Any thread, reactors included; a recorded event
 * costs about a microsecond, an unrecorded one the read of a field.
 * <p>
 * Registering the events at start would take hundreds of milliseconds, so they are registered when the first recording
 * begins, by the thread that begins it.
 */
public final class FlightEvents
{
    private static final AtomicBoolean IS_INSTALLED = new AtomicBoolean();
    private static final VarHandle SLOW_REQUEST_NS;

    static
    {
        try
        {
            SLOW_REQUEST_NS =
                MethodHandles.lookup().findStaticVarHandle(FlightEvents.class, "slowRequestNs", long.class);
        }
        catch (final ReflectiveOperationException e)
        {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Requests of at least this latency are recorded; written with the monitor of the class, read by reactors. */
    private static long slowRequestNs = Long.MAX_VALUE;
    private static long slowRequestSettingNs = Long.MAX_VALUE;
    private static volatile boolean isRecording;

    private FlightEvents()
    {
    }

    /**
     * Registers the events when the recorder is used, now or later. A second call does nothing, nor does one in a Java
     * runtime without the recorder.
     */
    public static void install()
    {
        if (IS_INSTALLED.compareAndSet(false, true) && ModuleLayer.boot().findModule("jdk.jfr").isPresent())
        {
            FlightRecorder.addListener(new RecordingListener());
        }
    }

    /**
     * {@return latency from which on {@link #slowRequest} has to be called, in nanoseconds; {@link Long#MAX_VALUE}
     * while there is no recording}
     */
    public static long slowRequestNs()
    {
        return (long)SLOW_REQUEST_NS.getOpaque();
    }

    /**
     * A request took as long as {@link #slowRequestNs} or longer.
     *
     * @param opcode       name of its opcode.
     * @param subsystem    NQN.
     * @param namespaceId  of the command; 0 for none.
     * @param host         NQN.
     * @param controllerId of the queue.
     * @param queueId      0 for the admin queue.
     * @param commandId    that the host gave it.
     * @param status       that it was answered with, as {@code NvmeStatus} has it; 0 for success.
     * @param bytes        of its payload.
     * @param latencyNs    from its arrival until the answer had left.
     */
    public static void slowRequest(
        final String opcode,
        final String subsystem,
        final int namespaceId,
        final String host,
        final int controllerId,
        final int queueId,
        final int commandId,
        final int status,
        final int bytes,
        final long latencyNs)
    {
        if (isRecording)
        {
            final SlowRequest event = new SlowRequest();
            event.opcode = opcode;
            event.subsystem = subsystem;
            event.namespaceId = namespaceId;
            event.host = host;
            event.controllerId = controllerId;
            event.queueId = queueId;
            event.commandId = commandId;
            event.status = status;
            event.bytes = bytes;
            event.latency = latencyNs;
            event.commit();
        }
    }

    /**
     * A resource has changed.
     *
     * @param kind   of the resource, such as {@code NAMESPACE}.
     * @param change that it went through, such as {@code CREATED}.
     * @param name   name; empty for the data plane itself.
     * @param text   one sentence, or empty.
     */
    public static void stateChange(final Enum<?> kind, final Enum<?> change, final String name, final String text)
    {
        if (isRecording)
        {
            final StateChange event = new StateChange();
            event.kind = kind.name();
            event.change = change.name();
            event.name = name;
            event.text = text;
            event.commit();
        }
    }

    /**
     * A connection ended because of an error or a time-out of its host.
     *
     * @param remote address of the host; empty when it is not known.
     * @param reason in words.
     */
    public static void connectionFailed(final String remote, final String reason)
    {
        if (isRecording)
        {
            final ConnectionFailed event = new ConnectionFailed();
            event.remote = remote;
            event.reason = reason;
            event.commit();
        }
    }

    /**
     * Records the longest cycle of a reactor since the last call.
     *
     * @param reactor   name of it.
     * @param elapsedNs it took.
     */
    public static void longestCycle(final String reactor, final long elapsedNs)
    {
        if (isRecording)
        {
            final LongCycle event = new LongCycle();
            event.reactor = reactor;
            event.elapsed = elapsedNs;
            event.commit();
        }
    }

    /**
     * The bound of slow requests was set by a recording.
     *
     * @param ns new bound.
     */
    static synchronized void onSlowRequestSetting(final long ns)
    {
        slowRequestSettingNs = ns;
        SLOW_REQUEST_NS.setOpaque(ns);
    }

    private static synchronized void onRecordings()
    {
        final boolean isWanted = EventType.getEventType(SlowRequest.class).isEnabled();
        SLOW_REQUEST_NS.setOpaque(isWanted ? slowRequestSettingNs : Long.MAX_VALUE);
    }

    /** Notified of the first recording, and of each that begins or ends. */
    private static final class RecordingListener implements FlightRecorderListener
    {
        @Override
        public void recorderInitialized(final FlightRecorder recorder)
        {
            FlightRecorder.register(SlowRequest.class);
            FlightRecorder.register(StateChange.class);
            FlightRecorder.register(ConnectionFailed.class);
            FlightRecorder.register(LongCycle.class);
            isRecording = true;
        }

        @Override
        public void recordingStateChanged(final Recording recording)
        {
            onRecordings();
        }
    }
}
