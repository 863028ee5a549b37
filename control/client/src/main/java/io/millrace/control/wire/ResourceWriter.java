package io.millrace.control.wire;

import io.millrace.control.codec.AnaRecordEncoder;
import io.millrace.control.codec.ArrayRecordEncoder;
import io.millrace.control.codec.AuditRecordEncoder;
import io.millrace.control.codec.Bool;
import io.millrace.control.codec.ControllerRecordEncoder;
import io.millrace.control.codec.CounterRecordEncoder;
import io.millrace.control.codec.DataPlaneRecordEncoder;
import io.millrace.control.codec.DeviceErrorRecordEncoder;
import io.millrace.control.codec.DeviceRecordEncoder;
import io.millrace.control.codec.DriftRecordEncoder;
import io.millrace.control.codec.HostRecordEncoder;
import io.millrace.control.codec.LatencyRecordEncoder;
import io.millrace.control.codec.LeadershipRecordEncoder;
import io.millrace.control.codec.ListenerRecordEncoder;
import io.millrace.control.codec.ManagedRecordEncoder;
import io.millrace.control.codec.MessageHeaderEncoder;
import io.millrace.control.codec.NamespaceRecordEncoder;
import io.millrace.control.codec.PlanStepRecordEncoder;
import io.millrace.control.codec.QosRecordEncoder;
import io.millrace.control.codec.QueuePairRecordEncoder;
import io.millrace.control.codec.ReactorRecordEncoder;
import io.millrace.control.codec.ScrubMode;
import io.millrace.control.codec.ScrubState;
import io.millrace.control.codec.SubsystemRecordEncoder;
import io.millrace.control.codec.VersionRecordEncoder;
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
import io.millrace.control.message.SubsystemInfo;
import io.millrace.control.message.VersionInfo;
import java.util.stream.Collectors;
import org.agrona.MutableDirectBuffer;

/**
 * Encodes resources. Belongs to one thread; keeps nothing between calls.
 */
final class ResourceWriter
{
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final DataPlaneRecordEncoder dataPlane = new DataPlaneRecordEncoder();
    private final ReactorRecordEncoder reactor = new ReactorRecordEncoder();
    private final DeviceRecordEncoder device = new DeviceRecordEncoder();
    private final SubsystemRecordEncoder subsystem = new SubsystemRecordEncoder();
    private final NamespaceRecordEncoder namespace = new NamespaceRecordEncoder();
    private final HostRecordEncoder host = new HostRecordEncoder();
    private final ListenerRecordEncoder listener = new ListenerRecordEncoder();
    private final ControllerRecordEncoder controller = new ControllerRecordEncoder();
    private final VersionRecordEncoder version = new VersionRecordEncoder();
    private final AuditRecordEncoder audit = new AuditRecordEncoder();
    private final LatencyRecordEncoder latency = new LatencyRecordEncoder();
    private final AnaRecordEncoder ana = new AnaRecordEncoder();
    private final QosRecordEncoder qos = new QosRecordEncoder();
    private final QueuePairRecordEncoder queuePair = new QueuePairRecordEncoder();
    private final ManagedRecordEncoder managed = new ManagedRecordEncoder();
    private final PlanStepRecordEncoder planStep = new PlanStepRecordEncoder();
    private final CounterRecordEncoder counter = new CounterRecordEncoder();
    private final DeviceErrorRecordEncoder deviceError = new DeviceErrorRecordEncoder();
    private final ArrayRecordEncoder array = new ArrayRecordEncoder();
    private final LeadershipRecordEncoder leadership = new LeadershipRecordEncoder();
    private final DriftRecordEncoder drift = new DriftRecordEncoder();

    /** Writes the record with its header at the offset; answers its length in bytes. */
    int write(final MutableDirectBuffer buffer, final int offset, final long correlationId, final Resource value)
    {
        return MessageHeaderEncoder.ENCODED_LENGTH + switch (value)
        {
            case DataPlaneInfo info -> dataPlane(buffer, offset, correlationId, info);
            case ReactorInfo info -> reactor(buffer, offset, correlationId, info);
            case DeviceInfo info -> device(buffer, offset, correlationId, info);
            case SubsystemInfo info -> subsystem(buffer, offset, correlationId, info);
            case NamespaceInfo info -> namespace(buffer, offset, correlationId, info);
            case HostInfo info -> host(buffer, offset, correlationId, info);
            case ListenerInfo info -> listener(buffer, offset, correlationId, info);
            case ControllerInfo info -> controller(buffer, offset, correlationId, info);
            case VersionInfo info -> version(buffer, offset, correlationId, info);
            case AuditInfo info -> audit(buffer, offset, correlationId, info);
            case AnaInfo info -> ana(buffer, offset, correlationId, info);
            case QosInfo info -> qos(buffer, offset, correlationId, info);
            case QueuePairInfo info -> queuePair(buffer, offset, correlationId, info);
            case LatencyInfo info -> latency(buffer, offset, correlationId, info);
            case ManagedInfo info -> managed(buffer, offset, correlationId, info);
            case PlanStepInfo info -> planStep(buffer, offset, correlationId, info);
            case LeadershipInfo info -> leadership(buffer, offset, correlationId, info);
            case DriftInfo info -> drift(buffer, offset, correlationId, info);
            case CounterInfo info -> counter(buffer, offset, correlationId, info);
            case ArrayInfo info -> array(buffer, offset, correlationId, info);
            case DeviceErrorInfo info -> deviceError(buffer, offset, correlationId, info);
        };
    }

    private int dataPlane(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final DataPlaneInfo info)
    {
        dataPlane.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        dataPlane.dataPlaneId()
            .high(info.dataPlaneId().getMostSignificantBits())
            .low(info.dataPlaneId().getLeastSignificantBits());
        dataPlane.state(info.state());
        dataPlane.upNs(info.upNs());
        dataPlane.memoryBytes(info.memoryBytes());
        dataPlane.controllers(info.controllers());
        dataPlane.processId(Resource.UNKNOWN == info.processId() ?
            DataPlaneRecordEncoder.processIdNullValue() : info.processId());
        dataPlane.dmaBytes(Resource.UNKNOWN == info.dmaBytes() ?
            DataPlaneRecordEncoder.dmaBytesNullValue() : info.dmaBytes());
        dataPlane.hugepageBytes(Resource.UNKNOWN == info.hugepageBytes() ?
            DataPlaneRecordEncoder.hugepageBytesNullValue() : info.hugepageBytes());
        dataPlane.name(Text.fit(info.name()));
        dataPlane.version(Text.fit(info.version()));
        dataPlane.memoryNote(Text.fit(info.memoryNote()));
        return dataPlane.encodedLength();
    }

    private int qos(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final QosInfo info)
    {
        final QosSpec limits = info.limits();
        qos.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        qos.nsid(limits.nsid())
            .readIops(limits.readIops())
            .writeIops(limits.writeIops())
            .iops(limits.iops())
            .readBytesPerSecond(limits.readBytesPerSecond())
            .writeBytesPerSecond(limits.writeBytesPerSecond())
            .bytesPerSecond(limits.bytesPerSecond())
            .burstMs(limits.burstMs())
            .throttledReads(info.throttledReads())
            .throttledWrites(info.throttledWrites())
            .waiting(info.waiting())
            .waitNs(info.waitNs())
            .nqn(Text.fit(limits.nqn()))
            .hostNqn(Text.fit(limits.hostNqn()));
        return qos.encodedLength();
    }

    private int queuePair(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final QueuePairInfo info)
    {
        queuePair.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        queuePair.controllerId(info.controllerId())
            .queueId(info.queueId())
            .reactor(info.reactor())
            .depth(info.depth())
            .outstandingCommands(info.outstandingCommands())
            .rdmaPort(info.rdmaPort())
            .gidIndex(info.gidIndex())
            .localAddress(label(info.localAddress(), QueuePairRecordEncoder.localAddressLength()))
            .rdmaDevice(label(info.rdmaDevice(), QueuePairRecordEncoder.rdmaDeviceLength()))
            .nqn(Text.fit(info.nqn()))
            .hostNqn(Text.fit(info.hostNqn()))
            .address(Text.fit(info.address()));
        return queuePair.encodedLength();
    }

    private static String label(final String text, final int length)
    {
        return text.length() <= length ? text : text.substring(0, length);
    }

    private int reactor(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final ReactorInfo info)
    {
        reactor.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        reactor.index(info.index());
        reactor.cpu(info.cpu());
        reactor.busyNs(info.busyNs());
        reactor.idleNs(info.idleNs());
        reactor.cycles(info.cycles());
        reactor.longestCycleNs(info.longestCycleNs());
        reactor.connections(info.connections());
        reactor.requests(info.requests());
        reactor.poolBytes(info.poolBytes());
        reactor.poolUsedBytes(info.poolUsedBytes());
        reactor.poolWaiting(Resource.UNKNOWN == info.poolWaiting() ?
            ReactorRecordEncoder.poolWaitingNullValue() : info.poolWaiting());
        reactor.poolPeakBytes(Resource.UNKNOWN == info.poolPeakBytes() ?
            ReactorRecordEncoder.poolPeakBytesNullValue() : info.poolPeakBytes());
        reactor.poolWaits(Resource.UNKNOWN == info.poolWaits() ?
            ReactorRecordEncoder.poolWaitsNullValue() : info.poolWaits());
        reactor.poolQuarantinedBytes(Resource.UNKNOWN == info.poolQuarantinedBytes() ?
            ReactorRecordEncoder.poolQuarantinedBytesNullValue() : info.poolQuarantinedBytes());
        reactor.name(Text.fit(info.name()));
        return reactor.encodedLength();
    }

    private int device(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final DeviceInfo info)
    {
        final DeviceSpec spec = info.spec();
        device.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        device.sizeBytes(info.sizeBytes())
            .blockSizeBytes(info.blockSizeBytes())
            .users(info.users())
            .state(info.state())
            .health(info.health())
            .progressPerMille(info.progressPerMille());
        device.incarnation().high(spec.incarnation().getMostSignificantBits())
            .low(spec.incarnation().getLeastSignificantBits());
        final DeviceRecordEncoder.PropertiesEncoder properties = device.propertiesCount(spec.properties().size());
        spec.properties().forEach((key, value) -> properties.next().key(key)
            .value(Text.fit(value, Text.VALUE_LENGTH_MAX_BYTES)));
        final DeviceRecordEncoder.MembersEncoder members = device.membersCount(info.members().size());
        info.members().forEach((each) ->
            members.next().member(Text.fit(each, Text.MEMBER_LENGTH_MAX_BYTES)));
        device.name(Text.fit(spec.name(), Text.NAME_LENGTH_MAX_BYTES))
            .deviceType(Text.fit(spec.type(), Text.NAME_LENGTH_MAX_BYTES))
            .reason(Text.fit(info.reason(), Text.SHORT_LENGTH_MAX_BYTES))
            .operation(Text.fit(info.operation(), Text.NAME_LENGTH_MAX_BYTES));
        return device.encodedLength();
    }

    private int subsystem(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final SubsystemInfo info)
    {
        subsystem.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        subsystem.allowAnyHost(info.allowAnyHost() ? Bool.TRUE : Bool.FALSE);
        subsystem.namespaces(info.namespaces());
        subsystem.controllers(info.controllers());
        subsystem.nqn(Text.fit(info.nqn()));
        subsystem.serial(Text.fit(info.serial()));
        subsystem.model(Text.fit(info.model()));
        return subsystem.encodedLength();
    }

    private int namespace(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final NamespaceInfo info)
    {
        namespace.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        namespace.nsid(info.nsid());
        namespace.uuid().high(info.uuid().getMostSignificantBits()).low(info.uuid().getLeastSignificantBits());
        namespace.sizeBytes(info.sizeBytes());
        namespace.blockSizeBytes(info.blockSizeBytes());
        namespace.reads(info.reads());
        namespace.readBytes(info.readBytes());
        namespace.writes(info.writes());
        namespace.writtenBytes(info.writtenBytes());
        namespace.others(Resource.UNKNOWN == info.others() ?
            NamespaceRecordEncoder.othersNullValue() : info.others());
        namespace.errors(Resource.UNKNOWN == info.errors() ?
            NamespaceRecordEncoder.errorsNullValue() : info.errors());
        namespace.anaGroup(Resource.UNKNOWN == info.anaGroup() ?
            NamespaceRecordEncoder.anaGroupNullValue() : info.anaGroup());
        namespace.nqn(Text.fit(info.nqn()));
        namespace.device(Text.fit(info.device()));
        return namespace.encodedLength();
    }

    private int host(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final HostInfo info)
    {
        host.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        host.nqn(Text.fit(info.nqn()));
        host.hostNqn(Text.fit(info.hostNqn()));
        return host.encodedLength();
    }

    private int listener(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final ListenerInfo info)
    {
        listener.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        listener.transport(info.transport());
        listener.port(info.port());
        listener.discoveryOnly(info.discoveryOnly() ? Bool.TRUE : Bool.FALSE);
        listener.listening(info.listening() ? Bool.TRUE : Bool.FALSE);
        listener.provider(info.provider());
        listener.address(Text.fit(info.address()));
        return listener.encodedLength();
    }

    private int controller(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final ControllerInfo info)
    {
        controller.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        controller.controllerId(info.controllerId());
        controller.ioQueues(info.ioQueues());
        controller.keepAliveMs(info.keepAliveMs());
        controller.nqn(Text.fit(info.nqn()));
        controller.hostNqn(Text.fit(info.hostNqn()));
        controller.state(Text.fit(info.state()));
        return controller.encodedLength();
    }

    private int version(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final VersionInfo info)
    {
        version.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        version.version(info.version());
        version.epochNs(info.epochNs());
        version.devices(info.devices());
        version.subsystems(info.subsystems());
        version.namespaces(info.namespaces());
        version.hosts(info.hosts());
        version.listeners(info.listeners());
        version.dataPlane(Text.fit(info.dataPlane()));
        version.author(Text.fit(info.author()));
        version.comment(Text.fit(info.comment()));
        return version.encodedLength();
    }

    private int audit(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final AuditInfo info)
    {
        audit.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        audit.sequence(info.sequence());
        audit.epochNs(info.epochNs());
        audit.version(info.version());
        audit.role(info.role());
        audit.code(info.code());
        audit.dataPlane(Text.fit(info.dataPlane(), Text.SHORT_LENGTH_MAX_BYTES));
        audit.client(Text.fit(info.client(), Text.SHORT_LENGTH_MAX_BYTES));
        audit.text(Text.fit(info.command()));
        audit.answer(Text.fit(info.text()));
        return audit.encodedLength();
    }

    private int latency(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final LatencyInfo info)
    {
        latency.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        latency.nsid(info.nsid());
        latency.ioKind(info.ioKind());
        latency.count(info.count());
        latency.lengthBytes(info.lengthBytes());
        latency.errors(info.errors());
        latency.sumNs(info.sumNs());
        latency.longestNs(info.longestNs());
        final LatencyRecordEncoder.BucketsEncoder buckets = latency.bucketsCount(info.buckets().size());
        for (final LatencyBucket bucket : info.buckets())
        {
            buckets.next().fromNs(bucket.fromNs()).belowNs(bucket.belowNs()).commands(bucket.count());
        }
        latency.name(Text.fit(info.name()));
        return latency.encodedLength();
    }

    private int ana(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final AnaInfo info)
    {
        ana.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        ana.transport(info.transport());
        ana.port(info.port());
        ana.group(info.group());
        ana.state(info.state());
        ana.changes(info.changes());
        ana.namespaces(info.namespaces());
        ana.nqn(Text.fit(info.nqn()));
        ana.address(Text.fit(info.address()));
        return ana.encodedLength();
    }

    private int managed(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final ManagedInfo info)
    {
        managed.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        managed.connected(info.isConnected() ? Bool.TRUE : Bool.FALSE);
        managed.health(info.health());
        managed.seenEpochNs(info.seenEpochNs());
        managed.term(info.term());
        managed.desiredVersion(info.desiredVersion());
        managed.appliedVersion(info.appliedVersion());
        managed.driftSteps(info.driftSteps());
        managed.name(Text.fit(info.name(), Text.SHORT_LENGTH_MAX_BYTES));
        managed.address(Text.fit(info.address()));
        managed.refusal(Text.fit(info.refusal()));
        managed.text(Text.fit(info.text(), Text.SHORT_LENGTH_MAX_BYTES));
        return managed.encodedLength();
    }

    private int deviceError(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final DeviceErrorInfo info)
    {
        deviceError.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        deviceError.errno(info.errno())
            .count(info.count())
            .firstEpochNs(info.firstEpochNs())
            .lastEpochNs(info.lastEpochNs())
            .firstLba(info.firstLba())
            .lastLba(info.lastLba())
            .device(Text.fit(info.device()))
            .operation(Text.fit(info.operation()))
            .status(Text.fit(info.status()))
            .cause(Text.fit(info.cause()));
        return deviceError.encodedLength();
    }

    private int array(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final ArrayInfo info)
    {
        array.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        array.arrayId().high(info.arrayId().getMostSignificantBits()).low(info.arrayId().getLeastSignificantBits());
        array.health(info.health())
            .progressPerMille(info.progressPerMille())
            .leftMs(info.leftMs())
            .sizeBytes(info.sizeBytes())
            .memberBytes(info.memberBytes())
            .stripBytes(info.stripBytes())
            .parityStrips(info.parityStrips())
            .dirtyBytes(info.dirtyBytes())
            .resyncBytes(info.resyncBytes())
            .scrubbedEpochMs(info.scrubbedEpochMs())
            .hedgedReads(info.hedgedReads())
            .hedgesWon(info.hedgesWon())
            .wholeStripeWrites(info.writes().wholeStripes())
            .reconstructWrites(info.writes().reconstructs())
            .readModifyWrites(info.writes().readModifyWrites())
            .gatheredWrites(info.writes().gathered())
            .roomBytes(info.roomBytes())
            .journalState(info.journalState())
            .checksums(info.hasChecksums() ? Bool.TRUE : Bool.FALSE)
            .qSlot(info.qSlot())
            .knownMismatches(info.hasMismatches() ? Bool.TRUE : Bool.FALSE);
        scrub(info.scrub());
        final ArrayRecordEncoder.MembersEncoder members = array.membersCount(info.members().size());
        for (final ArrayInfo.Member each : info.members())
        {
            members.next().slot(each.slot()).state(each.state());
            members.memberId().high(each.memberId().getMostSignificantBits())
                .low(each.memberId().getLeastSignificantBits());
            members.rebuiltBytes(each.rebuiltBytes()).correctedErrors(each.correctedErrors())
                .lostBlocks(each.lostBlocks()).wrongBlocks(each.wrongBlocks())
                .invalidChecksumPages(each.invalidChecksumPages())
                .device(Text.fit(each.device(), Text.MEMBER_LENGTH_MAX_BYTES));
        }
        array.name(Text.fit(info.name(), Text.NAME_LENGTH_MAX_BYTES))
            .level(Text.fit(info.level(), Text.NAME_LENGTH_MAX_BYTES))
            .reason(Text.fit(info.reason(), Text.SHORT_LENGTH_MAX_BYTES))
            .operation(Text.fit(info.operation(), Text.NAME_LENGTH_MAX_BYTES))
            .scrubOffsets(null == info.scrub() ? "" :
                info.scrub().offsets().stream().map(String::valueOf).collect(Collectors.joining(" ")))
            .journalDevice(Text.fit(info.journalDevice(), Text.NAME_LENGTH_MAX_BYTES));
        return array.encodedLength();
    }

    private void scrub(final ScrubInfo info)
    {
        final boolean isMissing = null == info;
        array.scrubMode(isMissing ? ScrubMode.NULL_VAL : info.mode())
            .scrubState(isMissing ? ScrubState.NULL_VAL : info.state())
            .scrubBeganEpochMs(isMissing ? 0 : info.beganEpochMs())
            .scrubEndedEpochMs(isMissing ? 0 : info.endedEpochMs())
            .scrubCheckedBytes(isMissing ? 0 : info.checkedBytes())
            .scrubSkippedBytes(isMissing ? 0 : info.skippedBytes())
            .scrubMismatches(isMissing ? 0 : info.mismatches())
            .scrubRepaired(isMissing ? 0 : info.repaired())
            .scrubCorrectedErrors(isMissing ? 0 : info.correctedErrors())
            .scrubUnreadable(isMissing ? 0 : info.unreadable())
            .scrubWrongBlocks(isMissing ? 0 : info.wrongBlocks());
    }

    private int counter(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final CounterInfo info)
    {
        counter.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        counter.value(info.value())
            .group(Text.fit(info.group()))
            .reactor(Text.fit(info.reactor()))
            .subject(Text.fit(info.subject()))
            .counter(Text.fit(info.counter()));
        return counter.encodedLength();
    }

    private int planStep(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final PlanStepInfo info)
    {
        planStep.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        planStep.effect(info.effect())
            .destructive(info.destructive() ? Bool.TRUE : Bool.FALSE)
            .sentence(Text.fit(info.sentence()));
        return planStep.encodedLength();
    }

    private int leadership(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final LeadershipInfo info)
    {
        leadership.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        leadership.term(info.term());
        leadership.managerId()
            .high(info.managerId().getMostSignificantBits())
            .low(info.managerId().getLeastSignificantBits());
        leadership.sinceEpochNs(info.sinceEpochNs());
        leadership.lineage()
            .high(info.position().lineage().getMostSignificantBits())
            .low(info.position().lineage().getLeastSignificantBits());
        leadership.versionTerm(info.position().term());
        leadership.version(info.position().version());
        leadership.directChanges(info.directChanges());
        leadership.directChangesSeen(info.directChangesSeen());
        leadership.managerName(Text.fit(info.managerName()));
        leadership.managerAddress(Text.fit(info.managerAddress()));
        return leadership.encodedLength();
    }

    private int drift(
        final MutableDirectBuffer buffer, final int offset, final long correlationId, final DriftInfo info)
    {
        drift.wrapAndApplyHeader(buffer, offset, header).correlationId(correlationId);
        drift.withheld(info.isWithheld() ? Bool.TRUE : Bool.FALSE);
        drift.destructive(info.isDestructive() ? Bool.TRUE : Bool.FALSE);
        drift.dataPlane(Text.fit(info.dataPlane(), Text.SHORT_LENGTH_MAX_BYTES));
        drift.step(Text.fit(info.step()));
        drift.reason(Text.fit(info.reason()));
        return drift.encodedLength();
    }
}
