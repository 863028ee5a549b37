package io.millrace.nvmf;

import io.millrace.bindings.NativeMemory;
import io.millrace.nvme.AnaState;
import io.millrace.nvme.FeatureId;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.ana.AnaPath;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.request.RequestPayload;

/**
 * Get and Set Features (NVM Express Base 2.0, sections 5.15, 5.27 and 8.1.4). Nothing is saved across a reset: values
 * belong to the controller. One instance a reactor, used on its thread alone.
 */
final class Features
{

    /** Reads the value of a feature of one double word. */
    @FunctionalInterface
    private interface Getter
    {
        /**
         * {@return dword 0 of the completion}
         *
         * @param controller that is asked.
         * @param entry      of the command.
         */
        int get(Controller controller, SubmissionQueueEntry entry);
    }

    /** Sets the value of a feature of one double word. */
    @FunctionalInterface
    private interface Setter
    {
        /**
         * {@return status of the command}
         *
         * @param controller that is asked.
         * @param request    of the command, to put a result in.
         */
        int set(Controller controller, Request request);
    }

    /**
     * A feature that is supported.
     *
     * @param id           id.
     * @param perNamespace whether it is set for a namespace.
     * @param onDiscovery  whether discovery controllers have it too.
     * @param dataBytes    of its data; 0 when it fits in a double word.
     * @param getter       of its present value.
     * @param initial      its default value.
     * @param setter       of its value; null when it cannot be changed.
     */
    private record Feature(
        int id,
        boolean perNamespace,
        boolean onDiscovery,
        int dataBytes,
        Getter getter,
        Getter initial,
        Setter setter)
    {
    }

    private static final int INVALID_FIELD = NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;
    private static final int SELECT_SHIFT = 8;
    private static final int SELECT_MASK = 7;
    private static final int CAPABLE_NAMESPACE = 1 << 1;
    private static final int CAPABLE_CHANGE = 1 << 2;
    private static final int HOST_ID_128 = 1;
    private static final int HOST_ID_BYTES = 16;
    private static final int TIMESTAMP_BYTES = 8;
    private static final long TIMESTAMP_MASK = 0xFFFF_FFFF_FFFFL;
    private static final long TIMESTAMP_SET_BY_HOST = 1L << 49;
    private static final int ARBITRATION_MASK = 0xFFFFFF07;
    private static final int POWER_STATE_MASK = 0x1F;
    private static final int WORKLOAD_MASK = 0xE0;
    private static final int TIMED_RECOVERY_MASK = 0xFFFF;
    private static final int DEALLOCATED_ERROR = 1 << 16;
    private static final int SENSOR_COMPOSITE = 0;
    private static final int SENSOR_ALL = 0xF;
    private static final int VECTOR_MASK = 0xFFFF;
    private static final int VECTOR_NOT_COALESCED = 1 << 16;
    private static final int SMART_WARNINGS_MASK = 0xFF;

    private final Feature[] features = new Feature[256];

    Features()
    {
        addDword(FeatureId.ARBITRATION, Features::setArbitration);
        addDword(FeatureId.POWER_MANAGEMENT, Features::setPowerManagement);
        add(new Feature(FeatureId.TEMPERATURE_THRESHOLD, false, false, 0, Features::temperature,
            (controller, entry) -> isUnder(entry.cdw11()) ? 0 : FeatureValues.TEMPERATURE_OVER_DEFAULT_K,
            Features::setTemperature));
        add(new Feature(FeatureId.ERROR_RECOVERY, true, false, 0,
            (controller, entry) -> controller.features().errorRecovery(entry.namespaceId()), Features::zero,
            Features::setErrorRecovery));
        add(new Feature(FeatureId.VOLATILE_WRITE_CACHE, false, false, 0,
            (controller, entry) -> controller.features().isWriteCacheEnabled() ? 1 : 0,
            (controller, entry) -> 1, Features::setWriteCache));
        add(new Feature(FeatureId.NUMBER_OF_QUEUES, false, false, 0,
            (controller, entry) -> queues(controller.ioQueuesGranted()),
            (controller, entry) -> queues(controller.target().config().queuePairsMax()), Features::setQueues));
        // The transport notifies hosts: there are no interrupts to coalesce.
        add(new Feature(FeatureId.INTERRUPT_COALESCING, false, false, 0, Features::zero, Features::zero, null));
        add(new Feature(FeatureId.INTERRUPT_VECTOR_CONFIGURATION, false, false, 0, Features::vector, Features::vector,
            null));
        addDword(FeatureId.WRITE_ATOMICITY, Features::setWriteAtomicity);
        add(new Feature(FeatureId.ASYNC_EVENT_CONFIGURATION, false, true, 0,
            (controller, entry) -> controller.asyncEvents().enabled(), Features::eventsOf, Features::setEvents));
        add(new Feature(FeatureId.TIMESTAMP, false, false, TIMESTAMP_BYTES, null, null, Features::setTimestamp));
        add(new Feature(FeatureId.KEEP_ALIVE_TIMER, false, true, 0,
            (controller, entry) -> controller.keepAlive().timeoutMs(), Features::zero, Features::setKeepAlive));
        // Fabrics hosts identify themselves with Connect and cannot change it.
        add(new Feature(FeatureId.HOST_IDENTIFIER, false, false, HOST_ID_BYTES, null, null,
            (controller, request) -> NvmeStatus.COMMAND_SEQUENCE_ERROR | NvmeStatus.DO_NOT_RETRY));
    }

    /**
     * {@return bits {@code EFFECT_*} of a feature; 0 when it is not supported}
     *
     * @param featureId  feature id.
     * @param controller that is asked.
     */
    int effects(final int featureId, final Controller controller)
    {
        final Feature feature = find(featureId, controller);
        return null == feature ? 0 : LogPageId.EFFECT_SUPPORTED |
            (feature.perNamespace() ? LogPageId.EFFECT_SCOPE_NAMESPACE : LogPageId.EFFECT_SCOPE_CONTROLLER);
    }

    void get(final QueuePair queuePair, final Request request)
    {
        final Controller controller = Controller.of(queuePair);
        final SubmissionQueueEntry entry = request.entry();
        final int select = entry.cdw10() >>> SELECT_SHIFT & SELECT_MASK;
        final Feature feature = find(entry.cdw10() & 0xFF, controller);
        if (null == feature || select > FeatureId.SELECT_CAPABILITIES)
        {
            queuePair.complete(request, INVALID_FIELD);
        }
        else if (feature.perNamespace() && 0 != anaRefusal(controller, entry.namespaceId()))
        {
            queuePair.complete(request, anaRefusal(controller, entry.namespaceId()));
        }
        else if (FeatureId.SELECT_CAPABILITIES == select)
        {
            request.result((feature.perNamespace() ? CAPABLE_NAMESPACE : 0) |
                (null == feature.setter() || FeatureId.HOST_IDENTIFIER == feature.id() ? 0 : CAPABLE_CHANGE), 0);
            queuePair.complete(request, NvmeStatus.SUCCESS);
        }
        else if (feature.dataBytes() > 0)
        {
            getData(queuePair, request, feature, select);
        }
        else if (feature.perNamespace() && !isNamespace(controller, entry.namespaceId(), false))
        {
            queuePair.complete(request, NvmeStatus.INVALID_NAMESPACE | NvmeStatus.DO_NOT_RETRY);
        }
        else
        {
            final Getter getter = FeatureId.SELECT_CURRENT == select ? feature.getter() : feature.initial();
            request.result(getter.get(controller, entry), 0);
            queuePair.complete(request, NvmeStatus.SUCCESS);
        }
    }

    void set(final QueuePair queuePair, final Request request)
    {
        final Controller controller = Controller.of(queuePair);
        final SubmissionQueueEntry entry = request.entry();
        final Feature feature = find(entry.cdw10() & 0xFF, controller);
        final int status = checkSet(controller, feature, entry);
        if (NvmeStatus.SUCCESS != status)
        {
            queuePair.complete(request, status);
            return;
        }
        if (FeatureId.TIMESTAMP == feature.id())
        {
            if (RequestPayload.NONE == request.payload())
            {
                final int pointer = request.dataPointer().checkFromHost(TIMESTAMP_BYTES, TIMESTAMP_BYTES);
                if (NvmeStatus.SUCCESS != pointer)
                {
                    queuePair.complete(request, pointer);
                    return;
                }
            }
            if (!queuePair.resources().payloads().receive(request, TIMESTAMP_BYTES))
            {
                return;
            }
        }
        queuePair.complete(request, feature.setter().set(controller, request));
    }

    private static int checkSet(final Controller controller, final Feature feature, final SubmissionQueueEntry entry)
    {
        if (null == feature)
        {
            return INVALID_FIELD;
        }
        final int nsid = entry.namespaceId();
        final int refusal = anaRefusal(controller, nsid);
        // After a persistent loss nothing can be set, else only what belongs to the namespace or is for all of them.
        if (0 != refusal && (feature.perNamespace() || Namespace.NSID_ALL == nsid ||
            AnaState.PERSISTENT_LOSS.status() == refusal))
        {
            return refusal;
        }
        if (0 != (entry.cdw10() & FeatureId.SAVE))
        {
            return NvmeStatus.FEATURE_NOT_SAVEABLE | NvmeStatus.DO_NOT_RETRY;
        }
        if (null == feature.setter())
        {
            return NvmeStatus.FEATURE_NOT_CHANGEABLE | NvmeStatus.DO_NOT_RETRY;
        }
        if (feature.perNamespace())
        {
            return isNamespace(controller, nsid, true) ?
                NvmeStatus.SUCCESS : NvmeStatus.INVALID_NAMESPACE | NvmeStatus.DO_NOT_RETRY;
        }
        return 0 == nsid || Namespace.NSID_ALL == nsid ?
            NvmeStatus.SUCCESS : NvmeStatus.FEATURE_NOT_NAMESPACE_SPECIFIC | NvmeStatus.DO_NOT_RETRY;
    }

    private void getData(final QueuePair queuePair, final Request request, final Feature feature, final int select)
    {
        final SubmissionQueueEntry entry = request.entry();
        final boolean isHostId = FeatureId.HOST_IDENTIFIER == feature.id();
        final int status = isHostId && 0 == (entry.cdw11() & HOST_ID_128) ?
            NvmeStatus.HOST_ID_INCONSISTENT_FORMAT | NvmeStatus.DO_NOT_RETRY :
            request.dataPointer().checkToHost(feature.dataBytes());
        if (NvmeStatus.SUCCESS != status)
        {
            queuePair.complete(request, status);
            return;
        }
        if (!queuePair.resources().payloads().acquire(request, feature.dataBytes()))
        {
            return;
        }
        final long address = request.bufferAddress();
        if (isHostId)
        {
            final byte[] hostId = Controller.of(queuePair).hostId();
            for (int i = 0; i < HOST_ID_BYTES; i++)
            {
                NativeMemory.putByte(address + i, hostId[i]);
            }
        }
        else
        {
            final FeatureValues values = Controller.of(queuePair).features();
            final boolean isCurrent = FeatureId.SELECT_CURRENT == select;
            final long epochMs = isCurrent ?
                values.timestampMs(queuePair.resources().reactor()) & TIMESTAMP_MASK : 0;
            NativeMemory.putLong(address,
                epochMs | (isCurrent && values.isTimestampSet() ? TIMESTAMP_SET_BY_HOST : 0));
        }
        queuePair.completeWithData(request, feature.dataBytes());
    }

    private Feature find(final int featureId, final Controller controller)
    {
        final Feature feature = features[featureId];
        final Subsystem subsystem = controller.subsystem();
        if (null == feature || subsystem.isDiscovery() && !feature.onDiscovery() ||
            FeatureId.VOLATILE_WRITE_CACHE == featureId && !subsystem.hasVolatileCache())
        {
            return null;
        }
        return feature;
    }

    private void add(final Feature feature)
    {
        features[feature.id()] = feature;
    }

    private void addDword(final int featureId, final Setter setter)
    {
        add(new Feature(featureId, false, false, 0,
            (controller, entry) -> controller.features().dword(featureId), Features::zero, setter));
    }

    private static boolean isNamespace(final Controller controller, final int nsid, final boolean mayBeAll)
    {
        return mayBeAll && Namespace.NSID_ALL == nsid || null != controller.subsystem().namespace(nsid);
    }

    /**
     * {@return status that a command for a namespace, or for all, ends with when its features are unavailable (section
     * 8.1.4); else 0}
     */
    private static int anaRefusal(final Controller controller, final int nsid)
    {
        final AnaPath path = controller.anaPath();
        if (Namespace.NSID_ALL == nsid)
        {
            return controller.subsystem().namespaces().stream().mapToInt((each) -> path.refusal(each.anaGroup()))
                .filter((refusal) -> 0 != refusal).findFirst().orElse(0);
        }
        final Namespace namespace = controller.subsystem().namespace(nsid);
        return null == namespace ? 0 : path.refusal(namespace.anaGroup());
    }

    private static int zero(final Controller controller, final SubmissionQueueEntry entry)
    {
        return 0;
    }

    private static int setArbitration(final Controller controller, final Request request)
    {
        controller.features().dword(FeatureId.ARBITRATION, request.entry().cdw11() & ARBITRATION_MASK);
        return NvmeStatus.SUCCESS;
    }

    private static int setPowerManagement(final Controller controller, final Request request)
    {
        final int value = request.entry().cdw11();
        // There is one power state, number 0.
        if (0 != (value & POWER_STATE_MASK))
        {
            return INVALID_FIELD;
        }
        controller.features().dword(FeatureId.POWER_MANAGEMENT, value & WORKLOAD_MASK);
        return NvmeStatus.SUCCESS;
    }

    private static boolean isUnder(final int dword11)
    {
        return 0 != (dword11 >>> 20 & 3);
    }

    private static int sensor(final int dword11)
    {
        return dword11 >>> 16 & 0xF;
    }

    private static int temperature(final Controller controller, final SubmissionQueueEntry entry)
    {
        return SENSOR_COMPOSITE == sensor(entry.cdw11()) ?
            controller.features().temperature(isUnder(entry.cdw11())) : 0;
    }

    private static int setTemperature(final Controller controller, final Request request)
    {
        final int value = request.entry().cdw11();
        final int sensor = sensor(value);
        if (SENSOR_COMPOSITE != sensor && SENSOR_ALL != sensor || (value >>> 20 & 3) > 1)
        {
            return INVALID_FIELD;
        }
        controller.features().temperature(isUnder(value), value & 0xFFFF);
        return NvmeStatus.SUCCESS;
    }

    private static int setErrorRecovery(final Controller controller, final Request request)
    {
        final int value = request.entry().cdw11();
        if (0 != (value & DEALLOCATED_ERROR))
        {
            return INVALID_FIELD;
        }
        controller.features().errorRecovery(request.entry().namespaceId(), value & TIMED_RECOVERY_MASK);
        return NvmeStatus.SUCCESS;
    }

    private static int setWriteCache(final Controller controller, final Request request)
    {
        final boolean isEnabled = 0 != (request.entry().cdw11() & 1);
        controller.features().writeCacheEnabled(isEnabled);
        controller.writeThrough(!isEnabled);
        return NvmeStatus.SUCCESS;
    }

    private static int queues(final int count)
    {
        return count - 1 << 16 | count - 1;
    }

    private static int setQueues(final Controller controller, final Request request)
    {
        final int submission = request.entry().cdw11() & 0xFFFF;
        final int completion = request.entry().cdw11() >>> 16;
        if (0xFFFF == submission || 0xFFFF == completion)
        {
            return INVALID_FIELD;
        }
        if (controller.ioQueueCount() > 0)
        {
            return NvmeStatus.COMMAND_SEQUENCE_ERROR | NvmeStatus.DO_NOT_RETRY;
        }
        final int granted = Math.min(Math.min(submission, completion) + 1,
            controller.target().config().queuePairsMax());
        controller.ioQueuesGranted(granted);
        request.result(queues(granted), 0);
        return NvmeStatus.SUCCESS;
    }

    private static int vector(final Controller controller, final SubmissionQueueEntry entry)
    {
        return entry.cdw11() & VECTOR_MASK | VECTOR_NOT_COALESCED;
    }

    private static int setWriteAtomicity(final Controller controller, final Request request)
    {
        controller.features().dword(FeatureId.WRITE_ATOMICITY, request.entry().cdw11() & 1);
        return NvmeStatus.SUCCESS;
    }

    private static int eventsOf(final Controller controller, final SubmissionQueueEntry entry)
    {
        return Controller.noticesOf(controller.subsystem());
    }

    private static int setEvents(final Controller controller, final Request request)
    {
        controller.asyncEvents().enabled(request.entry().cdw11() &
            (eventsOf(controller, request.entry()) | SMART_WARNINGS_MASK));
        return NvmeStatus.SUCCESS;
    }

    private static int setTimestamp(final Controller controller, final Request request)
    {
        controller.features().timestamp(NativeMemory.getLong(request.bufferAddress()) & TIMESTAMP_MASK,
            ((QueuePair)request.owner()).resources().reactor().nowNs());
        return NvmeStatus.SUCCESS;
    }

    private static int setKeepAlive(final Controller controller, final Request request)
    {
        final int timeoutMs = request.entry().cdw11();
        if (0 == timeoutMs && !controller.subsystem().isDiscovery())
        {
            return NvmeStatus.KEEP_ALIVE_INVALID | NvmeStatus.DO_NOT_RETRY;
        }
        controller.keepAlive().timeoutMs(timeoutMs);
        return NvmeStatus.SUCCESS;
    }
}
