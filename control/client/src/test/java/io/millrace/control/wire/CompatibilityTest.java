package io.millrace.control.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Change;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.DeviceType;
import io.millrace.control.codec.FaultAction;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.PeerType;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.State;
import io.millrace.control.codec0.AddNamespaceDecoder;
import io.millrace.control.codec0.AddNamespaceEncoder;
import io.millrace.control.codec0.CreateDeviceDecoder;
import io.millrace.control.codec0.CreateDeviceEncoder;
import io.millrace.control.codec0.DataPlaneRecordDecoder;
import io.millrace.control.codec0.DataPlaneRecordEncoder;
import io.millrace.control.codec0.DeviceRecordEncoder;
import io.millrace.control.codec0.EventDecoder;
import io.millrace.control.codec0.MessageHeaderDecoder;
import io.millrace.control.codec0.MessageHeaderEncoder;
import io.millrace.control.codec0.NamespaceRecordDecoder;
import io.millrace.control.codec0.NamespaceRecordEncoder;
import io.millrace.control.codec0.OpenSessionEncoder;
import io.millrace.control.codec0.ReactorRecordEncoder;
import io.millrace.control.codec0.SetFaultRulesDecoder;
import io.millrace.control.codec0.SetFaultRulesEncoder;
import io.millrace.control.message.BlockOperation;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.DataPlaneInfo;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSettings;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.FaultRuleSpec;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.Property;
import io.millrace.control.message.ReactorInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SessionInfo;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Peers of earlier versions of the schema and of one to come. */
class CompatibilityTest
{
    private static final int AT = MessagePublication.MESSAGE_OFFSET;
    private static final CommandHeader IDS = new CommandHeader(1, 2, new CommandId(3, 4), 5);
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[4096]);
    private final MessageHeaderEncoder header0 = new MessageHeaderEncoder();
    private final Recorder recorder = new Recorder();
    private final RequestAdapter requests = new RequestAdapter(recorder);
    private final ResponseAdapter responses = new ResponseAdapter(recorder);
    private final RequestWriter requestWriter = new RequestWriter();
    private final ResponseWriter responseWriter = new ResponseWriter();

    private Command commandOf(final int encodedLength)
    {
        // Exact, so that a read behind the end would throw.
        final byte[] bytes = new byte[MessageHeaderEncoder.ENCODED_LENGTH + encodedLength];
        buffer.getBytes(0, bytes);
        assertTrue(requests.onMessage(new UnsafeBuffer(bytes), 0, bytes.length));
        return recorder.command();
    }

    private Resource resourceOf(final int encodedLength)
    {
        final byte[] bytes = new byte[MessageHeaderEncoder.ENCODED_LENGTH + encodedLength];
        buffer.getBytes(0, bytes);
        assertTrue(responses.onMessage(new UnsafeBuffer(bytes), 0, bytes.length));
        return recorder.resource();
    }

    @Test
    void shouldTakeDefaultsForWhatAnOldClientDoesNotSend()
    {
        final CreateDeviceEncoder device = new CreateDeviceEncoder().wrapAndApplyHeader(buffer, 0, header0);
        device.command().sessionId(1).correlationId(2).commandIdHigh(3).commandIdLow(4).term(5);
        device.deviceType(io.millrace.control.codec0.DeviceType.FAULT)
            .sizeBytes(4096).blockSizeBytes(512).queueDepth(8)
            .readOnly(io.millrace.control.codec0.Bool.TRUE).preallocate(io.millrace.control.codec0.Bool.FALSE)
            .name("f0").target("mem0");
        assertEquals(
            new Command.CreateDevice(
                new DeviceSpec("f0", DeviceType.FAULT, 4096, 512, 8, true, false, 0, "mem0")),
            commandOf(device.encodedLength()));
        assertEquals(IDS, recorder.header());

        final SetFaultRulesEncoder rules = new SetFaultRulesEncoder().wrapAndApplyHeader(buffer, 0, header0);
        rules.command().sessionId(1).correlationId(2).commandIdHigh(3).commandIdLow(4).term(5);
        final SetFaultRulesEncoder.RulesEncoder rule = rules.rulesCount(2);
        for (int i = 1; i <= 2; i++)
        {
            rule.next().action(io.millrace.control.codec0.FaultAction.DELAY)
                .firstBlock(i).blocks(2).probability(0.5).limit(3).delayNs(4).status(0)
                .operations().clear().write(true);
        }
        rules.name("f0");
        assertEquals(
            new Command.SetFaultRules("f0", List.of(
                new FaultRuleSpec(FaultAction.DELAY, EnumSet.of(BlockOperation.WRITE), 1, 2, 0.5, 3, 4, 0, 0),
                new FaultRuleSpec(FaultAction.DELAY, EnumSet.of(BlockOperation.WRITE), 2, 2, 0.5, 3, 4, 0, 0))),
            commandOf(rules.encodedLength()));

        final AddNamespaceEncoder namespace = new AddNamespaceEncoder().wrapAndApplyHeader(buffer, 0, header0);
        namespace.command().sessionId(1).correlationId(2).commandIdHigh(3).commandIdLow(4).term(5);
        namespace.nsid(6).uuid().high(7).low(8);
        namespace.nqn("n").device("d");
        assertEquals(
            new Command.AddNamespace(new NamespaceSpec("n", 6, new UUID(7, 8), "d", NamespaceSpec.ANA_GROUP_DEFAULT)),
            commandOf(namespace.encodedLength()));

        final OpenSessionEncoder open = new OpenSessionEncoder().wrapAndApplyHeader(buffer, 0, header0);
        open.correlationId(9).responseStreamId(7).role(io.millrace.control.codec0.Role.OPERATOR)
            .responseChannel("aeron:ipc").clientName("old").keyName("");
        commandOf(open.encodedLength());
        assertEquals(Role.OPERATOR, recorder.role());
        assertEquals("aeron:ipc 7 old  ", recorder.text());
    }

    @Test
    void shouldSayUnknownForWhatAnOldDataPlaneDoesNotSend()
    {
        final DataPlaneRecordEncoder plane = new DataPlaneRecordEncoder().wrapAndApplyHeader(buffer, 0, header0);
        plane.dataPlaneId().high(1).low(2);
        plane.correlationId(9).state(io.millrace.control.codec0.State.DRAINING).upNs(3).memoryBytes(4).controllers(5)
            .name("n").version("v");
        assertEquals(
            new DataPlaneInfo(new UUID(1, 2), State.DRAINING, 3, 4, 5, Resource.UNKNOWN, Resource.UNKNOWN,
                Resource.UNKNOWN, "n", "v", ""),
            resourceOf(plane.encodedLength()));

        final ReactorRecordEncoder reactor = new ReactorRecordEncoder().wrapAndApplyHeader(buffer, 0, header0);
        reactor.correlationId(9).index(1).cpu(2).busyNs(3).idleNs(4).cycles(5).longestCycleNs(6).connections(7)
            .requests(8).poolBytes(9).poolUsedBytes(10).name("r");
        assertEquals(
            new ReactorInfo(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, Resource.UNKNOWN, Resource.UNKNOWN, Resource.UNKNOWN,
                Resource.UNKNOWN, "r"),
            resourceOf(reactor.encodedLength()));

        final DeviceRecordEncoder device = new DeviceRecordEncoder().wrapAndApplyHeader(buffer, 0, header0);
        device.correlationId(9).deviceType(io.millrace.control.codec0.DeviceType.FILE).sizeBytes(1).blockSizeBytes(2)
            .queueDepth(3).readOnly(io.millrace.control.codec0.Bool.FALSE)
            .preallocate(io.millrace.control.codec0.Bool.TRUE).seed(4).name("d").target("t");
        assertEquals(
            new DeviceInfo("d", DeviceType.FILE, 1, 2, 3, false, true, 4, Resource.UNKNOWN, "t",
                DeviceSettings.UNKNOWN),
            resourceOf(device.encodedLength()));

        final NamespaceRecordEncoder namespace = new NamespaceRecordEncoder().wrapAndApplyHeader(buffer, 0, header0);
        namespace.correlationId(9).nsid(1).sizeBytes(2).blockSizeBytes(3).reads(4).readBytes(5).writes(6)
            .writtenBytes(7).uuid().high(8).low(9);
        namespace.nqn("n").device("d");
        assertEquals(
            new NamespaceInfo("n", 1, new UUID(8, 9), 2, 3, 4, 5, 6, 7, Resource.UNKNOWN, Resource.UNKNOWN, "d",
                Resource.UNKNOWN),
            resourceOf(namespace.encodedLength()));
    }

    @Test
    void shouldBeReadByAnOldDataPlane()
    {
        requestWriter.command(IDS, new Command.CreateDevice(
            new DeviceSpec("f0", DeviceType.FAULT, 4096, 512, 8, true, false, 77, "mem0")));
        final CreateDeviceDecoder device =
            new CreateDeviceDecoder().wrapAndApplyHeader(requestWriter.buffer(), AT, new MessageHeaderDecoder());
        assertEquals(2, device.command().correlationId());
        assertEquals(8, device.queueDepth());
        assertEquals("f0", device.name());
        assertEquals("mem0", device.target());

        requestWriter.command(IDS, new Command.SetFaultRules("f0", List.of(
            new FaultRuleSpec(FaultAction.ERROR, Set.of(), 1, 2, 1, 3, 0, 5, 6),
            new FaultRuleSpec(FaultAction.HANG, Set.of(), 7, 8, 1, 9, 0, 5, 6))));
        final SetFaultRulesDecoder rules =
            new SetFaultRulesDecoder().wrapAndApplyHeader(requestWriter.buffer(), AT, new MessageHeaderDecoder());
        final SetFaultRulesDecoder.RulesDecoder rule = rules.rules();
        assertEquals(io.millrace.control.codec0.FaultAction.ERROR, rule.next().action());
        assertEquals(io.millrace.control.codec0.FaultAction.SBE_UNKNOWN, rule.next().action());
        assertEquals(7, rule.firstBlock());
        assertEquals("f0", rules.name());
    }

    @Test
    void shouldAddANamespaceToAnOldDataPlane()
    {
        requestWriter.command(IDS, new Command.AddNamespace(new NamespaceSpec("n", 6, new UUID(7, 8), "d", 9)));
        final AddNamespaceDecoder namespace =
            new AddNamespaceDecoder().wrapAndApplyHeader(requestWriter.buffer(), AT, new MessageHeaderDecoder());
        assertEquals(6, namespace.nsid());
        assertEquals(8, namespace.uuid().low());
        assertEquals("n", namespace.nqn());
        assertEquals("d", namespace.device());
    }

    @Test
    void shouldBeReadByAnOldClient()
    {
        responseWriter.resource(9, new DataPlaneInfo(new UUID(1, 2), State.PAUSED, 3, 4, 5, 6, 7, 8, "n", "v", "m"));
        final DataPlaneRecordDecoder plane =
            new DataPlaneRecordDecoder().wrapAndApplyHeader(responseWriter.buffer(), AT, new MessageHeaderDecoder());
        assertEquals(5, plane.controllers());
        assertEquals("n", plane.name());
        assertEquals("v", plane.version());

        responseWriter.resource(9, new NamespaceInfo("n", 1, new UUID(0, 1), 2, 3, 4, 5, 6, 7, 8, 9, "d", 10));
        final NamespaceRecordDecoder namespace =
            new NamespaceRecordDecoder().wrapAndApplyHeader(responseWriter.buffer(), AT, new MessageHeaderDecoder());
        assertEquals(7, namespace.writtenBytes());
        assertEquals("n", namespace.nqn());
        assertEquals("d", namespace.device());

        responseWriter.event(new ControlEvent(1, 2, Kind.CONTROLLER, Change.REFUSED, "c", "t"));
        final EventDecoder event =
            new EventDecoder().wrapAndApplyHeader(responseWriter.buffer(), AT, new MessageHeaderDecoder());
        assertEquals(io.millrace.control.codec0.Kind.SBE_UNKNOWN, event.kind());
        assertEquals(io.millrace.control.codec0.Change.SBE_UNKNOWN, event.change());
        assertEquals("c", event.name());
    }

    @Test
    void shouldTakeAPeerOfVersion1AsOneThatKnowsVersion1()
    {
        final io.millrace.control.codec1.SessionOpenedEncoder opened =
            new io.millrace.control.codec1.SessionOpenedEncoder().wrapAndApplyHeader(
                buffer, 0, new io.millrace.control.codec1.MessageHeaderEncoder());
        opened.correlationId(9).sessionId(8).role(io.millrace.control.codec1.Role.READ).timeoutMs(7).term(6)
            .commandsMax(5).dataPlaneId().high(1).low(2);
        opened.dataPlaneName("old").putProof(new byte[32], 0, 32);
        final byte[] bytes = new byte[MessageHeaderEncoder.ENCODED_LENGTH + opened.encodedLength()];
        buffer.getBytes(0, bytes);
        assertTrue(responses.onMessage(new UnsafeBuffer(bytes), 0, bytes.length));
        assertEquals(new SessionInfo(8, Role.READ, 7, 6, new UUID(1, 2), 5, "old", PeerInfo.ofVersion(1)),
            recorder.session());
        final PeerInfo peer = recorder.session().peer();
        assertTrue(peer.kinds().containsAll(List.of(Kind.DEVICE, Kind.ANA, Kind.MANAGED)));
        assertTrue(peer.properties().contains(Property.NAMESPACE_ANA_GROUP));
        assertEquals(Set.of(), PeerInfo.ofVersion(0).properties());
    }

    /** Incarnations of devices, and that files are not made anew, came with version 3. */
    @Test
    void shouldUnderstandAPeerOfVersion2()
    {
        final io.millrace.control.codec2.DeviceRecordEncoder device =
            new io.millrace.control.codec2.DeviceRecordEncoder().wrapAndApplyHeader(
                buffer, 0, new io.millrace.control.codec2.MessageHeaderEncoder());
        device.correlationId(9).deviceType(io.millrace.control.codec2.DeviceType.MEMORY).sizeBytes(1).blockSizeBytes(2)
            .queueDepth(0).readOnly(io.millrace.control.codec2.Bool.FALSE)
            .preallocate(io.millrace.control.codec2.Bool.FALSE).seed(0).users(3)
            .polling(io.millrace.control.codec2.Polling.AUTO).timeoutNs(0)
            .interrupts(io.millrace.control.codec2.Bool.FALSE).unsafeNoIommu(io.millrace.control.codec2.Bool.FALSE)
            .name("d").target("").putFaultRules(new byte[0], 0, 0);
        assertEquals(new DeviceInfo("d", DeviceType.MEMORY, 1, 2, 0, false, false, 0, 3, "", DeviceSettings.DEFAULT),
            resourceOf(device.encodedLength()));

        final io.millrace.control.codec2.CreateDeviceEncoder create =
            new io.millrace.control.codec2.CreateDeviceEncoder().wrapAndApplyHeader(
                buffer, 0, new io.millrace.control.codec2.MessageHeaderEncoder());
        create.command().sessionId(1).correlationId(2).commandIdHigh(3).commandIdLow(4).term(5);
        create.deviceType(io.millrace.control.codec2.DeviceType.MEMORY).sizeBytes(1).blockSizeBytes(2).queueDepth(0)
            .readOnly(io.millrace.control.codec2.Bool.FALSE).preallocate(io.millrace.control.codec2.Bool.FALSE).seed(0)
            .polling(io.millrace.control.codec2.Polling.AUTO).timeoutNs(0)
            .interrupts(io.millrace.control.codec2.Bool.FALSE).unsafeNoIommu(io.millrace.control.codec2.Bool.FALSE)
            .name("d").target("").putFaultRules(new byte[0], 0, 0);
        assertEquals(new Command.CreateDevice(DeviceSpec.memory("d", 1, 2)), commandOf(create.encodedLength()));
        assertTrue(PeerInfo.ofVersion(2).properties().contains(Property.DEVICE_SETTINGS));
        assertEquals(Set.of(Property.DEVICE_INCARNATION, Property.DEVICE_EXISTING_ONLY),
            without(PeerInfo.ofVersion(2)));
    }

    private static Set<Property> without(final PeerInfo peer)
    {
        final Set<Property> left = EnumSet.allOf(Property.class);
        left.removeAll(peer.properties());
        return left;
    }

    @Test
    void shouldBeReadByAPeerOfVersion2()
    {
        final UUID incarnation = new UUID(77, 78);
        responseWriter.resource(9, new DeviceInfo(
            "d", DeviceType.MEMORY, 1, 2, 0, false, false, 0, 3, "t", DeviceSettings.DEFAULT, incarnation));
        final io.millrace.control.codec2.DeviceRecordDecoder device =
            new io.millrace.control.codec2.DeviceRecordDecoder().wrapAndApplyHeader(
                responseWriter.buffer(), AT, new io.millrace.control.codec2.MessageHeaderDecoder());
        assertEquals(3, device.users());
        assertEquals("d", device.name());
        assertEquals("t", device.target());

        final Command command = new Command.CreateDevice(DeviceSpec.memory("d", 1, 2).with(incarnation));
        requestWriter.command(IDS, command);
        assertNull(PeerInfo.ofVersion(2).missingFeature(command));
        final io.millrace.control.codec2.CreateDeviceDecoder create =
            new io.millrace.control.codec2.CreateDeviceDecoder().wrapAndApplyHeader(
                requestWriter.buffer(), AT, new io.millrace.control.codec2.MessageHeaderDecoder());
        assertEquals(1, create.sizeBytes());
        assertEquals("d", create.name());
        // It would make the file: it is not asked.
        assertEquals("property device.existing-only",
            PeerInfo.ofVersion(2).missingFeature(new Command.CreateDevice(DeviceSpec.file("d", "/d", 1), true)));
        assertNull(PeerInfo.ofVersion(3).missingFeature(new Command.CreateDevice(DeviceSpec.file("d", "/d", 1), true)));
    }

    @Test
    void shouldTellWhatThePeerKnows()
    {
        final PeerInfo peer = new PeerInfo(2, PeerType.MANAGER, Set.of(Kind.DEVICE, Kind.VERSION),
            Set.of(DeviceType.MEMORY, DeviceType.NVME), Set.of(Property.DEVICE_SEED), "1.2.3");
        final SessionInfo session = new SessionInfo(8, Role.READ, 7, 6, new UUID(1, 2), 5, "new", peer);
        final int length = responseWriter.sessionOpened(9, session, new byte[32]);
        assertTrue(responses.onMessage(responseWriter.buffer(), AT, length));
        assertEquals(session, recorder.session());

        final io.millrace.control.codec1.SessionOpenedDecoder old =
            new io.millrace.control.codec1.SessionOpenedDecoder().wrapAndApplyHeader(
                responseWriter.buffer(), AT, new io.millrace.control.codec1.MessageHeaderDecoder());
        assertEquals(8, old.sessionId());
        assertEquals("new", old.dataPlaneName());
        assertEquals(32, old.proofLength());
    }

    @Test
    void shouldTakeAnOpeningOfVersion1()
    {
        final io.millrace.control.codec1.OpenSessionEncoder open =
            new io.millrace.control.codec1.OpenSessionEncoder().wrapAndApplyHeader(
                buffer, 0, new io.millrace.control.codec1.MessageHeaderEncoder());
        open.correlationId(9).responseStreamId(7).role(io.millrace.control.codec1.Role.OPERATOR)
            .responseChannel("aeron:ipc").clientName("old").keyName("k").dataPlane("dp");
        commandOf(open.encodedLength());
        assertEquals("aeron:ipc 7 old k dp", recorder.text());

        final io.millrace.control.codec1.ChallengeEncoder challenge =
            new io.millrace.control.codec1.ChallengeEncoder().wrapAndApplyHeader(
                buffer, 0, new io.millrace.control.codec1.MessageHeaderEncoder());
        challenge.correlationId(9).sessionId(8).putNonce(new byte[32], 0, 32);
        final byte[] bytes = new byte[MessageHeaderEncoder.ENCODED_LENGTH + challenge.encodedLength()];
        buffer.getBytes(0, bytes);
        assertTrue(responses.onMessage(new UnsafeBuffer(bytes), 0, bytes.length));
    }

    @Test
    void shouldSayWhatAPeerLacks()
    {
        final PeerInfo old = PeerInfo.ofVersion(0);
        assertEquals("device type NVME", old.missingFeature(new Command.CreateDevice(
            new DeviceSpec("n", DeviceType.NVME, 0, 0, 0, false, false, 0, "t"))));
        assertEquals("property device.seed", old.missingFeature(new Command.CreateDevice(
            new DeviceSpec("f", DeviceType.FAULT, 0, 0, 0, false, false, 7, "t"))));
        assertEquals("property namespace.ana-group", old.missingFeature(
            new Command.AddNamespace(new NamespaceSpec("n", 6, new UUID(7, 8), "d", 9))));
        assertEquals("resources of kind ANA", old.missingFeature(new Command.List(Kind.ANA, "")));
        assertEquals("property fault-rule.hang", old.missingFeature(new Command.SetFaultRules("f", List.of(
            new FaultRuleSpec(FaultAction.HANG, Set.of(), 7, 8, 1, 9, 0, 5, 0)))));
        assertNull(old.missingFeature(new Command.List(Kind.DEVICE, "")));
        assertNull(old.missingFeature(new Command.AddNamespace(
            new NamespaceSpec("n", 6, new UUID(7, 8), "d", NamespaceSpec.ANA_GROUP_DEFAULT))));
        assertNull(PeerInfo.ofVersion(1).missingFeature(new Command.List(Kind.ANA, "")));
    }

    @Test
    void shouldSkipWhatALaterVersionAppended()
    {
        // As version 4 would send it: a longer block, an enum value not heard of.
        final int length = requestWriter.command(IDS, new Command.SetState(State.PAUSED));
        final byte[] bytes = new byte[length + 16];
        requestWriter.buffer().getBytes(AT, bytes, 0, length);
        final MutableDirectBuffer later = new UnsafeBuffer(bytes);
        MessageBytes.header(later, length - MessageHeaderEncoder.ENCODED_LENGTH + 16, 24, 4);
        assertTrue(requests.onMessage(later, 0, bytes.length));
        assertEquals(new Command.SetState(State.PAUSED), recorder.command());
        later.putByte(length - 1, (byte)99);
        assertTrue(requests.onMessage(later, 0, bytes.length));
        assertEquals(new Command.SetState(State.SBE_UNKNOWN), recorder.command());

        final int answer = responseWriter.answer(1, 2, Code.OK, 3, "");
        responseWriter.buffer().putShort(AT + 8 + 16, (short)999);
        assertTrue(responses.onMessage(responseWriter.buffer(), AT, answer));
        assertEquals(Code.SBE_UNKNOWN, recorder.code());
    }
}
