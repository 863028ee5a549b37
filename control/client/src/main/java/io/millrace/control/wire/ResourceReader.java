package io.millrace.control.wire;

import io.millrace.control.codec.AnaRecordDecoder;
import io.millrace.control.codec.ArrayRecordDecoder;
import io.millrace.control.codec.AuditRecordDecoder;
import io.millrace.control.codec.Bool;
import io.millrace.control.codec.ControllerRecordDecoder;
import io.millrace.control.codec.CounterRecordDecoder;
import io.millrace.control.codec.DataPlaneRecordDecoder;
import io.millrace.control.codec.DeviceErrorRecordDecoder;
import io.millrace.control.codec.DeviceRecordDecoder;
import io.millrace.control.codec.DriftRecordDecoder;
import io.millrace.control.codec.HostRecordDecoder;
import io.millrace.control.codec.LatencyRecordDecoder;
import io.millrace.control.codec.LeadershipRecordDecoder;
import io.millrace.control.codec.ListenerRecordDecoder;
import io.millrace.control.codec.ManagedRecordDecoder;
import io.millrace.control.codec.NamespaceRecordDecoder;
import io.millrace.control.codec.PlanStepRecordDecoder;
import io.millrace.control.codec.QosRecordDecoder;
import io.millrace.control.codec.QueuePairRecordDecoder;
import io.millrace.control.codec.ReactorRecordDecoder;
import io.millrace.control.codec.ScrubState;
import io.millrace.control.codec.SubsystemRecordDecoder;
import io.millrace.control.codec.VersionRecordDecoder;
import io.millrace.control.message.AnaInfo;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.AuditInfo;
import io.millrace.control.message.ControllerInfo;
import io.millrace.control.message.CounterInfo;
import io.millrace.control.message.DataPlaneInfo;
import io.millrace.control.message.DeviceErrorInfo;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.DriftInfo;
import io.millrace.control.message.HostInfo;
import io.millrace.control.message.LatencyBucket;
import io.millrace.control.message.LatencyInfo;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.ListenerInfo;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.PlanStepInfo;
import io.millrace.control.message.QosInfo;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.QueuePairInfo;
import io.millrace.control.message.ReactorInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.message.ScrubInfo;
import io.millrace.control.message.StatePosition;
import io.millrace.control.message.SubsystemInfo;
import io.millrace.control.message.VersionInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Decodes resources that were found sound. Belongs to one thread; keeps nothing between calls but whose the last was.
 */
final class ResourceReader
{
    private static final Pattern OFFSET = Pattern.compile("[0-9]{1,18}");

    private final MessageCheck check = new MessageCheck();
    private final DataPlaneRecordDecoder dataPlane = check.add(new DataPlaneRecordDecoder(), "TTT");
    private final ReactorRecordDecoder reactor = check.add(new ReactorRecordDecoder(), "T");
    private final DeviceRecordDecoder device = check.add(new DeviceRecordDecoder(), "(KV)(T)TTTT");
    private final SubsystemRecordDecoder subsystem = check.add(new SubsystemRecordDecoder(), "TTT");
    private final NamespaceRecordDecoder namespace = check.add(new NamespaceRecordDecoder(), "TT");
    private final HostRecordDecoder host = check.add(new HostRecordDecoder(), "TT");
    private final ListenerRecordDecoder listener = check.add(new ListenerRecordDecoder(), "T");
    private final ControllerRecordDecoder controller = check.add(new ControllerRecordDecoder(), "TTT");
    private final VersionRecordDecoder version = check.add(new VersionRecordDecoder(), "TTT");
    private final AuditRecordDecoder audit = check.add(new AuditRecordDecoder(), "TTTT");
    private final LatencyRecordDecoder latency =
        check.add(new LatencyRecordDecoder(), "()T", LatencyRecordDecoder.BucketsDecoder.sbeBlockLength());
    private final AnaRecordDecoder ana = check.add(new AnaRecordDecoder(), "TT");
    private final QosRecordDecoder qos = check.add(new QosRecordDecoder(), "TT");
    private final QueuePairRecordDecoder queuePair = check.add(new QueuePairRecordDecoder(), "TTT");
    private final ManagedRecordDecoder managed = check.add(new ManagedRecordDecoder(), "TTTT");
    private final PlanStepRecordDecoder planStep = check.add(new PlanStepRecordDecoder(), "T");
    private final CounterRecordDecoder counter = check.add(new CounterRecordDecoder(), "TTTT");
    private final DeviceErrorRecordDecoder deviceError = check.add(new DeviceErrorRecordDecoder(), "TTTT");
    private final ArrayRecordDecoder array =
        check.add(new ArrayRecordDecoder(), "(T)TTTTTT", ArrayRecordDecoder.MembersDecoder.sbeBlockLength());
    private final LeadershipRecordDecoder leadership = check.add(new LeadershipRecordDecoder(), "TT");
    private final DriftRecordDecoder drift = check.add(new DriftRecordDecoder(), "TTT");
    private long correlationId;

    /** Of the messages that are read here; more can be added. Decoders are wrapped by it. */
    MessageCheck check()
    {
        return check;
    }

    /** Null when the template is that of no resource. */
    Resource read(final int templateId)
    {
        return switch (templateId)
        {
            case DataPlaneRecordDecoder.TEMPLATE_ID -> dataPlane();
            case ReactorRecordDecoder.TEMPLATE_ID -> reactor();
            case DeviceRecordDecoder.TEMPLATE_ID -> device();
            case SubsystemRecordDecoder.TEMPLATE_ID -> subsystem();
            case NamespaceRecordDecoder.TEMPLATE_ID -> namespace();
            case HostRecordDecoder.TEMPLATE_ID -> host();
            case ListenerRecordDecoder.TEMPLATE_ID -> listener();
            case ControllerRecordDecoder.TEMPLATE_ID -> controller();
            case VersionRecordDecoder.TEMPLATE_ID -> version();
            case AuditRecordDecoder.TEMPLATE_ID -> audit();
            case AnaRecordDecoder.TEMPLATE_ID -> ana();
            case QosRecordDecoder.TEMPLATE_ID -> qos();
            case QueuePairRecordDecoder.TEMPLATE_ID -> queuePair();
            case LatencyRecordDecoder.TEMPLATE_ID -> latency();
            case ManagedRecordDecoder.TEMPLATE_ID -> managed();
            case PlanStepRecordDecoder.TEMPLATE_ID -> planStep();
            case LeadershipRecordDecoder.TEMPLATE_ID -> leadership();
            case DriftRecordDecoder.TEMPLATE_ID -> drift();
            case CounterRecordDecoder.TEMPLATE_ID -> counter();
            case ArrayRecordDecoder.TEMPLATE_ID -> array();
            case DeviceErrorRecordDecoder.TEMPLATE_ID -> deviceError();
            default -> null;
        };
    }

    /** Of the List that the last resource is for. */
    long correlationId()
    {
        return correlationId;
    }

    private Resource dataPlane()
    {
        correlationId = dataPlane.correlationId();
        final String name = dataPlane.name();
        final String version = dataPlane.version();
        final String memoryNote = dataPlane.memoryNote();
        return new DataPlaneInfo(
            new UUID(dataPlane.dataPlaneId().high(), dataPlane.dataPlaneId().low()), dataPlane.state(),
            dataPlane.upNs(), dataPlane.memoryBytes(), dataPlane.controllers(),
            known(dataPlane.processId(), DataPlaneRecordDecoder.processIdNullValue()),
            known(dataPlane.dmaBytes(), DataPlaneRecordDecoder.dmaBytesNullValue()),
            known(dataPlane.hugepageBytes(), DataPlaneRecordDecoder.hugepageBytesNullValue()),
            name, version, memoryNote);
    }

    private Resource queuePair()
    {
        correlationId = queuePair.correlationId();
        final String nqn = queuePair.nqn();
        final String hostNqn = queuePair.hostNqn();
        return new QueuePairInfo(nqn, hostNqn, queuePair.controllerId(), queuePair.queueId(), queuePair.reactor(),
            queuePair.depth(), queuePair.outstandingCommands(), queuePair.address(), label(queuePair.localAddress()),
            label(queuePair.rdmaDevice()), known(queuePair.rdmaPort(), QueuePairRecordDecoder.rdmaPortNullValue()),
            known(queuePair.gidIndex(), QueuePairRecordDecoder.gidIndexNullValue()));
    }

    private Resource reactor()
    {
        correlationId = reactor.correlationId();
        final String name = reactor.name();
        return new ReactorInfo(
            reactor.index(), reactor.cpu(), reactor.busyNs(), reactor.idleNs(), reactor.cycles(),
            reactor.longestCycleNs(), reactor.connections(), reactor.requests(), reactor.poolBytes(),
            reactor.poolUsedBytes(), known(reactor.poolWaiting(), ReactorRecordDecoder.poolWaitingNullValue()),
            known(reactor.poolPeakBytes(), ReactorRecordDecoder.poolPeakBytesNullValue()),
            known(reactor.poolWaits(), ReactorRecordDecoder.poolWaitsNullValue()),
            known(reactor.poolQuarantinedBytes(), ReactorRecordDecoder.poolQuarantinedBytesNullValue()), name);
    }

    private Resource device()
    {
        correlationId = device.correlationId();
        final long sizeBytes = device.sizeBytes();
        final int blockSizeBytes = device.blockSizeBytes();
        final UUID incarnation = CommandReader.uuid(device.incarnation());
        final Map<String, String> properties = new TreeMap<>();
        for (final DeviceRecordDecoder.PropertiesDecoder each : device.properties())
        {
            properties.put(each.key(), each.value());
        }
        final List<String> members = new ArrayList<>();
        for (final DeviceRecordDecoder.MembersDecoder each : device.members())
        {
            members.add(each.member());
        }
        final String name = device.name();
        final String type = device.deviceType();
        final String reason = device.reason();
        return new DeviceInfo(new DeviceSpec(name, type, properties, incarnation), sizeBytes, blockSizeBytes,
            device.users(), members, device.state(), device.health(), reason, device.operation(),
            device.progressPerMille());
    }

    private Resource subsystem()
    {
        correlationId = subsystem.correlationId();
        final String nqn = subsystem.nqn();
        final String serial = subsystem.serial();
        final String model = subsystem.model();
        return new SubsystemInfo(
            nqn, Bool.TRUE == subsystem.allowAnyHost(), subsystem.namespaces(), subsystem.controllers(), serial,
            model);
    }

    private Resource namespace()
    {
        correlationId = namespace.correlationId();
        final String nqn = namespace.nqn();
        final String device = namespace.device();
        return new NamespaceInfo(
            nqn, namespace.nsid(), new UUID(namespace.uuid().high(), namespace.uuid().low()), namespace.sizeBytes(),
            namespace.blockSizeBytes(), namespace.reads(), namespace.readBytes(), namespace.writes(),
            namespace.writtenBytes(), known(namespace.others(), NamespaceRecordDecoder.othersNullValue()),
            known(namespace.errors(), NamespaceRecordDecoder.errorsNullValue()), device,
            known(namespace.anaGroup(), NamespaceRecordDecoder.anaGroupNullValue()));
    }

    private Resource host()
    {
        correlationId = host.correlationId();
        final String nqn = host.nqn();
        final String hostNqn = host.hostNqn();
        return new HostInfo(
            nqn, hostNqn);
    }

    private Resource listener()
    {
        correlationId = listener.correlationId();
        final String address = listener.address();
        return new ListenerInfo(
            listener.transport(), address, listener.port(), Bool.TRUE == listener.discoveryOnly(),
            Bool.FALSE != listener.listening(), CommandReader.provider(listener.provider()));
    }

    private Resource controller()
    {
        correlationId = controller.correlationId();
        final String nqn = controller.nqn();
        final String hostNqn = controller.hostNqn();
        final String state = controller.state();
        return new ControllerInfo(
            nqn, controller.controllerId(), hostNqn, controller.ioQueues(), controller.keepAliveMs(), state);
    }

    private Resource version()
    {
        correlationId = version.correlationId();
        return new VersionInfo(
            version.version(), version.epochNs(), version.devices(), version.subsystems(), version.namespaces(),
            version.hosts(), version.listeners(), version.dataPlane(), version.author(), version.comment());
    }

    private Resource audit()
    {
        correlationId = audit.correlationId();
        return new AuditInfo(
            audit.sequence(), audit.epochNs(), audit.version(), audit.role(), audit.code(), audit.dataPlane(),
            audit.client(), audit.text(), audit.answer());
    }

    private Resource ana()
    {
        correlationId = ana.correlationId();
        final String nqn = ana.nqn();
        final String address = ana.address();
        return new AnaInfo(
            nqn, ana.transport(), address, ana.port(), ana.group(), ana.state(), ana.changes(), ana.namespaces());
    }

    private Resource managed()
    {
        correlationId = managed.correlationId();
        return new ManagedInfo(
            managed.name(), Bool.TRUE == managed.connected(), managed.health(), managed.seenEpochNs(), managed.term(),
            managed.desiredVersion(), managed.appliedVersion(), managed.driftSteps(), managed.address(),
            managed.refusal(), managed.text());
    }

    private Resource leadership()
    {
        correlationId = leadership.correlationId();
        return new LeadershipInfo(
            leadership.term(), new UUID(leadership.managerId().high(), leadership.managerId().low()),
            leadership.sinceEpochNs(),
            new StatePosition(new UUID(leadership.lineage().high(), leadership.lineage().low()),
            leadership.versionTerm(), leadership.version()), leadership.directChanges(),
            leadership.directChangesSeen(), leadership.managerName(), leadership.managerAddress());
    }

    private Resource drift()
    {
        correlationId = drift.correlationId();
        return new DriftInfo(
            Bool.TRUE == drift.withheld(), Bool.TRUE == drift.destructive(), drift.dataPlane(), drift.step(),
            drift.reason());
    }

    private Resource latency()
    {
        correlationId = latency.correlationId();
        final List<LatencyBucket> buckets = new ArrayList<>();
        for (final LatencyRecordDecoder.BucketsDecoder bucket : latency.buckets())
        {
            buckets.add(new LatencyBucket(bucket.fromNs(), bucket.belowNs(), bucket.commands()));
        }
        final String name = latency.name();
        return new LatencyInfo(name, latency.nsid(), latency.ioKind(), latency.count(), latency.lengthBytes(),
            latency.errors(), latency.sumNs(), latency.longestNs(), buckets);
    }

    private Resource qos()
    {
        correlationId = qos.correlationId();
        final String nqn = qos.nqn();
        return new QosInfo(new QosSpec(nqn, qos.nsid(), qos.hostNqn(), qos.readIops(), qos.writeIops(), qos.iops(),
            qos.readBytesPerSecond(), qos.writeBytesPerSecond(), qos.bytesPerSecond(), qos.burstMs()),
            qos.throttledReads(), qos.throttledWrites(), qos.waiting(), qos.waitNs());
    }

    private Resource planStep()
    {
        correlationId = planStep.correlationId();
        return new PlanStepInfo(planStep.effect(), Bool.TRUE == planStep.destructive(), planStep.sentence());
    }

    private Resource deviceError()
    {
        correlationId = deviceError.correlationId();
        return new DeviceErrorInfo(deviceError.device(), deviceError.operation(), deviceError.status(),
            deviceError.cause(), deviceError.errno(), deviceError.count(), deviceError.firstEpochNs(),
            deviceError.lastEpochNs(), deviceError.firstLba(), deviceError.lastLba());
    }

    private Resource array()
    {
        correlationId = array.correlationId();
        final List<ArrayInfo.Member> members = new ArrayList<>();
        for (final ArrayRecordDecoder.MembersDecoder each : array.members())
        {
            members.add(new ArrayInfo.Member(each.slot(), each.device(), CommandReader.uuid(each.memberId()),
                each.state(), each.rebuiltBytes(), each.correctedErrors(), each.lostBlocks(),
                each.wrongBlocks(), each.invalidChecksumPages()));
        }
        final String name = array.name();
        final String level = array.level();
        final String reason = array.reason();
        final String operation = array.operation();
        return new ArrayInfo(name, CommandReader.uuid(array.arrayId()), level, array.parityStrips(), array.sizeBytes(),
            array.memberBytes(), array.stripBytes(), array.health(), reason, operation, array.progressPerMille(),
            array.leftMs(), members, array.dirtyBytes(), array.resyncBytes(), scrub(array.scrubOffsets()),
            array.scrubbedEpochMs(), array.hedgedReads(), array.hedgesWon(), new ArrayInfo.Writes(
            array.wholeStripeWrites(), array.reconstructWrites(), array.readModifyWrites(), array.gatheredWrites()),
            array.roomBytes(), array.journalDevice(), array.journalState(), Bool.TRUE == array.checksums(),
            Math.max(ArrayInfo.NO_SLOT, array.qSlot()), Bool.TRUE == array.knownMismatches());
    }

    private ScrubInfo scrub(final String texts)
    {
        if (ScrubState.NULL_VAL == array.scrubState())
        {
            return null;
        }
        final List<Long> offsets = new ArrayList<>();
        for (final String each : texts.split(" "))
        {
            // What is no number a later version may explain.
            if (OFFSET.matcher(each).matches())
            {
                offsets.add(Long.parseLong(each));
            }
        }
        return new ScrubInfo(array.scrubMode(), array.scrubState(), array.scrubBeganEpochMs(),
            array.scrubEndedEpochMs(), array.scrubCheckedBytes(), array.scrubSkippedBytes(), array.scrubMismatches(),
            array.scrubRepaired(), array.scrubCorrectedErrors(), array.scrubUnreadable(),
            array.scrubWrongBlocks(), offsets);
    }

    private Resource counter()
    {
        correlationId = counter.correlationId();
        return new CounterInfo(
            counter.group(), counter.reactor(), counter.subject(), counter.counter(), counter.value());
    }

    private static long known(final long value, final long nullValue)
    {
        return nullValue == value ? Resource.UNKNOWN : value;
    }

    /** Only texts with a length of their own were checked. */
    private static String label(final String text)
    {
        return text.chars().allMatch((each) -> each >= ' ' && each <= '~') ? text : "";
    }

    private static int known(final int value, final int nullValue)
    {
        return nullValue == value ? Resource.UNKNOWN : value;
    }
}
