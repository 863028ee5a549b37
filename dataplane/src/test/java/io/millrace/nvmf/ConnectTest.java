package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ConnectCommand;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.FabricsType;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvmf.config.ControllerIds;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.config.SubsystemConfig;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.transport.TransportAddress;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectTest
{
    private static final int ANY = ConnectData.CONTROLLER_ID_DYNAMIC;
    private static final String OTHER_HOST = "nqn.2026-11.io.example:other";

    private TestTarget target = new TestTarget(2);

    @AfterEach
    void close()
    {
        target.close();
    }

    @Test
    void shouldMakeAControllerForAnAdminQueue()
    {
        final TestHost host = target.connection();
        assertFalse(host.queuePair().connected());
        final Completion connected = host.connect(TestTarget.NQN, 0, ANY);
        assertEquals(NvmeStatus.SUCCESS, connected.status());
        assertEquals(host.queuePair().association().id(), connected.result0());
        assertTrue(host.queuePair().connected());
        assertEquals(0, host.queuePair().id());
        assertEquals(32, host.queuePair().depth());
        assertEquals(1, target.subsystem().controllers().count());
        assertTrue(target.log().contains("connected " + connected.result0() + " from " + TestHost.REMOTE));
    }

    @Test
    void shouldSayInTheAnswerThatFlowControlIsOff()
    {
        final TestHost host = target.connection();
        assertEquals(0xFFFF, host.connect(TestTarget.NQN, 0, ANY).sqHead());
        host.enable();
        assertEquals(0, host.enable().sqHead());
    }

    @Test
    void shouldTellTheSubmissionQueueHeadWhenFlowControlIsOn()
    {
        final TestHost host = target.connection();
        assertEquals(1, host.connect(TestTarget.NQN, 0, ANY, (command, data) -> command.attributes(0).queueSize(2))
            .sqHead());
        assertEquals(2, host.enable().sqHead());
        assertEquals(0, host.enable().sqHead());
        assertEquals(1, host.enable().sqHead());
    }

    @Test
    void shouldTakeConnectDataThatComesByTransfer()
    {
        final TestHost host = target.connection();
        final Completion connected = host.execute((entry) -> entry.opcode(AdminOpcode.FABRICS)
            .namespaceId(FabricsType.CONNECT).cdw11(31), new byte[ConnectData.SIZE_BYTES], false);
        // All its names are empty; that it was looked at shows that it came.
        assertEquals(NvmeStatus.CONNECT_INVALID_PARAMETERS, connected.code());
        assertEquals(ConnectCommand.REFUSED_DATA | ConnectData.SUBSYSTEM_NQN_POSITION, connected.result0());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1023, 1025, 4096})
    void shouldRefuseConnectDataOfAnotherLength(final int length)
    {
        final TestHost host = target.connection();
        assertEquals(NvmeStatus.DATA_SGL_LENGTH_INVALID, host.execute((entry) ->
            entry.opcode(AdminOpcode.FABRICS).namespaceId(FabricsType.CONNECT).cdw11(31),
            new byte[length], false).code());
    }

    private void shouldRefuse(final int position, final TestHost.ConnectChange change)
    {
        final TestHost host = target.connection();
        final Completion refused = host.connect(TestTarget.NQN, 0, ANY, change);
        assertEquals(NvmeStatus.CONNECT_INVALID_PARAMETERS | NvmeStatus.DO_NOT_RETRY, refused.status());
        assertEquals(position, refused.result0());
        assertFalse(host.queuePair().connected());
        assertEquals(0, target.subsystem().controllers().count());
        assertTrue(target.log().getLast().startsWith("refused " + TestHost.REMOTE + ": "), target.log().toString());
    }

    @Test
    void shouldPointAtWhatIsWrong()
    {
        shouldRefuse(ConnectCommand.QUEUE_SIZE_POSITION, (command, data) -> command.queueSize(0));
        shouldRefuse(ConnectCommand.QUEUE_SIZE_POSITION, (command, data) -> command.queueSize(1024));
        shouldRefuse(ConnectCommand.QUEUE_SIZE_POSITION, (command, data) -> command.queueSize(0xFFFF));
        shouldRefuse(ConnectCommand.REFUSED_DATA | ConnectData.SUBSYSTEM_NQN_POSITION,
            (command, data) -> data.subsystemNqn("nqn.2026-11.io.millrace:none"));
        shouldRefuse(ConnectCommand.REFUSED_DATA | ConnectData.SUBSYSTEM_NQN_POSITION,
            (command, data) -> data.subsystemNqn("x".repeat(256)));
        shouldRefuse(ConnectCommand.REFUSED_DATA | ConnectData.HOST_NQN_POSITION,
            (command, data) -> data.hostNqn("nqn.2026-11.io.example:" + "x".repeat(201)));
        shouldRefuse(ConnectCommand.REFUSED_DATA | ConnectData.HOST_NQN_POSITION,
            (command, data) -> data.hostNqn("x".repeat(256)));
        shouldRefuse(ConnectCommand.REFUSED_DATA | ConnectData.CONTROLLER_ID_POSITION,
            (command, data) -> data.controllerId(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "host", "nqn.2026-11.io.example:host"})
    void shouldLetHostsNameThemselvesAsTheyLike(final String hostNqn)
    {
        assertEquals(NvmeStatus.SUCCESS, target.connection().connect(TestTarget.NQN, 0, ANY,
            (command, data) -> data.hostNqn(hostNqn)).status());
    }

    @Test
    void shouldKeepStrangersFromWritingLinesIntoALog()
    {
        final TestHost host = target.connection();
        host.connect("nqn.2026-11.io.millrace:none", 0, ANY, (command, data) -> data.hostNqn("a\nb\u001b"));
        host.connect(TestTarget.NQN, 0, ANY, (command, data) -> data.hostNqn("a\nb\u001b"));
        assertTrue(host.queuePair().describe().contains("a?b?"), host.queuePair().describe());
    }

    @Test
    void shouldRefuseOtherRecordFormats()
    {
        final Completion refused = target.connection().connect(TestTarget.NQN, 0, ANY,
            (command, data) -> command.recordFormat(1));
        assertEquals(NvmeStatus.CONNECT_INCOMPATIBLE_FORMAT, refused.code());
    }

    @Test
    void shouldLetAHostTryAgainOnTheSameConnection()
    {
        final TestHost host = target.connection();
        host.connect("nqn.2026-11.io.millrace:none", 0, ANY);
        assertEquals(NvmeStatus.SUCCESS, host.connect(TestTarget.NQN, 0, ANY).status());
    }

    @Test
    void shouldRefuseASecondConnect()
    {
        final TestHost admin = target.admin();
        assertEquals(NvmeStatus.COMMAND_SEQUENCE_ERROR, admin.connect(TestTarget.NQN, 0, ANY).code());
        final TestHost io = target.io(admin, 1);
        assertEquals(NvmeStatus.COMMAND_SEQUENCE_ERROR, io.connect(TestTarget.NQN, 0, ANY).code());
        assertEquals(NvmeStatus.COMMAND_SEQUENCE_ERROR,
            io.connect(TestTarget.NQN, 2, admin.queuePair().association().id()).code());
    }

    @Test
    void shouldRefuseCommandsBeforeConnect()
    {
        final TestHost host = target.connection();
        for (int opcode = 0; opcode < 0x80; opcode++)
        {
            final int commandOpcode = opcode;
            final Completion refused = host.execute((entry) -> entry.opcode(commandOpcode));
            assertEquals(NvmeStatus.COMMAND_SEQUENCE_ERROR, refused.code(), "opcode " + opcode);
            assertFalse(refused.isRetryable());
        }
    }

    @Test
    void shouldRefuseAdminCommandsBeforeTheControllerIsEnabled()
    {
        final TestHost host = target.connection();
        host.connect(TestTarget.NQN, 0, ANY);
        assertEquals(NvmeStatus.COMMAND_SEQUENCE_ERROR,
            host.execute((entry) -> entry.opcode(AdminOpcode.IDENTIFY).cdw10(IdentifyCns.CONTROLLER).sglLength(4096))
                .code());
        assertEquals(NvmeStatus.COMMAND_SEQUENCE_ERROR,
            host.execute((entry) -> entry.opcode(AdminOpcode.KEEP_ALIVE)).code());
    }

    @Test
    void shouldRefuseIoQueuesBeforeTheControllerIsEnabled()
    {
        final TestHost admin = target.connection();
        final int id = admin.connect(TestTarget.NQN, 0, ANY).result0();
        assertEquals(NvmeStatus.COMMAND_SEQUENCE_ERROR, target.connection().connect(TestTarget.NQN, 1, id).code());
    }

    @Test
    void shouldRefuseIoQueuesThatDoNotFitTheirController()
    {
        final TestHost admin = target.admin();
        final int id = admin.queuePair().association().id();
        final Completion unknown = target.connection().connect(TestTarget.NQN, 1, id + 1);
        assertEquals(NvmeStatus.CONNECT_INVALID_PARAMETERS, unknown.code());
        assertEquals(ConnectCommand.REFUSED_DATA | ConnectData.CONTROLLER_ID_POSITION, unknown.result0());
        final Completion any = target.connection().connect(TestTarget.NQN, 1, ANY);
        assertEquals(ConnectCommand.REFUSED_DATA | ConnectData.CONTROLLER_ID_POSITION, any.result0());
        final Completion otherHost = target.connection().connect(TestTarget.NQN, 1, id,
            (command, data) -> data.hostNqn(OTHER_HOST));
        assertEquals(ConnectCommand.REFUSED_DATA | ConnectData.HOST_NQN_POSITION, otherHost.result0());
        final Completion otherId = target.connection().connect(TestTarget.NQN, 1, id,
            (command, data) -> data.setHostId(new byte[16]));
        assertEquals(ConnectCommand.REFUSED_DATA, otherId.result0());
        for (final int queueId : new int[]{129, 0xFFFF})
        {
            final Completion beyond = target.connection().connect(TestTarget.NQN, queueId, id);
            assertEquals(NvmeStatus.CONNECT_INVALID_PARAMETERS, beyond.code());
            assertEquals(ConnectCommand.QUEUE_ID_POSITION, beyond.result0());
        }
        final Completion discovery = target.connection().connect(Nqn.DISCOVERY, 1, id);
        assertEquals(NvmeStatus.CONNECT_INVALID_PARAMETERS, discovery.code());
    }

    @Test
    void shouldRefuseAQueueIdThatIsInUseAndTakeItWhenItIsFreeAgain()
    {
        final TestHost admin = target.admin();
        final TestHost first = target.io(admin, 3);
        final int id = admin.queuePair().association().id();
        assertEquals(NvmeStatus.COMMAND_SEQUENCE_ERROR, target.connection().connect(TestTarget.NQN, 3, id).code());
        first.close();
        assertEquals(NvmeStatus.SUCCESS, target.connection().connect(TestTarget.NQN, 3, id).status());
    }

    @Test
    void shouldTakeAllQueuesOnSeveralReactors()
    {
        final TestHost admin = target.admin();
        for (int queueId = 1; queueId <= 128; queueId++)
        {
            final TestHost io = target.io(admin, queueId, queueId & 1);
            assertEquals(queueId, io.execute((entry) -> entry.opcode(IoOpcode.FLUSH).namespaceId(1)).sqId());
        }
        assertEquals(128, Controller.of(admin.queuePair()).ioQueueCount());
    }

    @Test
    void shouldGiveEveryControllerAnotherId()
    {
        final Set<Integer> ids = new HashSet<>();
        for (int i = 0; i < 20; i++)
        {
            final TestHost admin = target.admin();
            assertTrue(ids.add(admin.queuePair().association().id()));
            if (0 == (i & 1))
            {
                admin.close();
            }
        }
        assertEquals(10, target.subsystem().controllers().count());
    }

    @Test
    void shouldRefuseHostsThatAreNotAllowed()
    {
        target.close();
        target = new TestTarget(1, MemoryDevice.create("mem0", 1 << 20, 512),
            new SubsystemConfig(TestTarget.NQN, false, Set.of(TestHost.HOST_NQN), "S1", "M1"));
        final Completion refused = target.connection().connect(TestTarget.NQN, 0, ANY,
            (command, data) -> data.hostNqn(OTHER_HOST));
        assertEquals(NvmeStatus.CONNECT_INVALID_HOST | NvmeStatus.DO_NOT_RETRY, refused.status());
        assertEquals(NvmeStatus.SUCCESS, target.connection().connect(TestTarget.NQN, 0, ANY).status());
    }

    @Test
    void shouldSayBusyWhenNoControllerIsFree()
    {
        final Target small = new Target(new TargetConfig(1, 16, 4096, 1));
        final Subsystem subsystem = new Subsystem(SubsystemConfig.open(TestTarget.NQN));
        small.addSubsystem(subsystem);
        try (TestReactor reactor = new TestReactor("small", small))
        {
            final TestHost first = reactor.connect(TestTarget.LOCAL);
            assertEquals(NvmeStatus.SUCCESS, first.connect(TestTarget.NQN, 0, ANY,
                (command, data) -> command.queueSize(15)).status());
            final Completion busy = reactor.connect(TestTarget.LOCAL).connect(TestTarget.NQN, 0, ANY,
                (command, data) -> command.queueSize(15));
            assertEquals(NvmeStatus.CONNECT_CONTROLLER_BUSY, busy.status());
            first.close();
            assertEquals(NvmeStatus.SUCCESS, reactor.connect(TestTarget.LOCAL).connect(TestTarget.NQN, 0, ANY,
                (command, data) -> command.queueSize(15)).status());
        }
    }

    @Test
    void shouldGiveControllerIdsOfItsRangeRoundAndRoundAndSayBusyWhenNoneIsLeft()
    {
        final Target ranged = new Target(new TargetConfig(1, 16, 4096, 100, 10, new ControllerIds(4000, 4002)));
        ranged.addSubsystem(new Subsystem(SubsystemConfig.open(TestTarget.NQN)));
        try (TestReactor reactor = new TestReactor("ranged", ranged))
        {
            final TestHost[] hosts = new TestHost[3];
            for (int i = 0; i < hosts.length; i++)
            {
                hosts[i] = reactor.connect(TestTarget.LOCAL);
                assertEquals(4000 + i, connectSmall(hosts[i]).result0());
            }
            assertEquals(NvmeStatus.CONNECT_CONTROLLER_BUSY,
                connectSmall(reactor.connect(TestTarget.LOCAL)).status());
            hosts[1].close();
            assertEquals(4001, connectSmall(reactor.connect(TestTarget.LOCAL)).result0());
            hosts[0].close();
            // Another range from now on: what is there keeps its id and is in nobody's way.
            ranged.controllerIds(new ControllerIds(7, 8));
            assertEquals(7, connectSmall(reactor.connect(TestTarget.LOCAL)).result0());
            assertEquals(8, connectSmall(reactor.connect(TestTarget.LOCAL)).result0());
            assertEquals(NvmeStatus.CONNECT_CONTROLLER_BUSY,
                connectSmall(reactor.connect(TestTarget.LOCAL)).status());
        }
    }

    private static Completion connectSmall(final TestHost host)
    {
        return host.connect(TestTarget.NQN, 0, ANY, (command, data) -> command.queueSize(15));
    }

    @Test
    void shouldRefuseSubsystemsOnAnAddressOfDiscoveryOnly()
    {
        final TransportAddress discovery = TransportAddress.tcp("127.0.0.1", 8009);
        target.target().addDiscoveryListener(discovery);
        final TestHost host = target.reactor(0).connect(discovery);
        assertEquals(NvmeStatus.CONNECT_INVALID_PARAMETERS, host.connect(TestTarget.NQN, 0, ANY).code());
        assertEquals(NvmeStatus.SUCCESS, host.connect(Nqn.DISCOVERY, 0, ANY).status());
    }

    @Test
    void shouldDisconnectAnIoQueueThatAsksForIt()
    {
        final TestHost admin = target.admin();
        final TestHost io = target.io(admin, 1);
        final Completion answer = io.execute((entry) ->
            entry.opcode(AdminOpcode.FABRICS).namespaceId(FabricsType.DISCONNECT));
        assertEquals(NvmeStatus.SUCCESS, answer.status());
        TestTarget.await("disconnect", () -> null != io.disconnectReason());
        TestTarget.await("queue is gone", () -> 0 == Controller.of(admin.queuePair()).ioQueueCount());
        assertEquals(NvmeStatus.INVALID_QUEUE_TYPE, admin.execute((entry) ->
            entry.opcode(AdminOpcode.FABRICS).namespaceId(FabricsType.DISCONNECT)).code());
        assertNull(admin.disconnectReason());
    }

    @Test
    void shouldRefuseFabricsCommandsOfOtherTypes()
    {
        final TestHost admin = target.admin();
        final TestHost io = target.io(admin, 1);
        for (final int type : new int[]{0x02, 0x03, 0x05, 0x06, 0x09, 0xC0, 0xFF})
        {
            assertEquals(NvmeStatus.INVALID_OPCODE,
                admin.execute((entry) -> entry.opcode(AdminOpcode.FABRICS).namespaceId(type)).code());
        }
        for (final int type : new int[]{FabricsType.PROPERTY_GET, FabricsType.PROPERTY_SET})
        {
            assertEquals(NvmeStatus.INVALID_OPCODE,
                io.execute((entry) -> entry.opcode(AdminOpcode.FABRICS).namespaceId(type)).code());
        }
    }

    @Test
    void shouldDisconnectIoQueuesWhenTheirAdminQueueGoes()
    {
        final TestHost admin = target.admin();
        final TestHost near = target.io(admin, 1, 0);
        final TestHost far = target.io(admin, 2, 1);
        admin.close();
        TestTarget.await("disconnect", () -> null != near.disconnectReason() && null != far.disconnectReason());
        assertEquals(0, target.subsystem().controllers().count());
        assertNotEquals(ControllerState.READY, Controller.of(admin.queuePair()).state());
    }
}
