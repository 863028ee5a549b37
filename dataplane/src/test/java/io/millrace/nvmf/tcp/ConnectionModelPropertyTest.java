package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * PDUs that are right each for itself, in any order: what the target does is what a model of a connection says
 * (NVMe/TCP Transport 1.0, sections 3.3 and 3.5).
 */
class ConnectionModelPropertyTest
{
    private static final int BYTES = ReceiverHarness.EXPECTED_BYTES;
    private static final int BLOCKS = BYTES / ReceiverHarness.BLOCK;
    private static ReceiverHarness harness;

    /** What a host may send. */
    enum Action
    {
        /** ICReq. */
        INITIALIZE,
        /** Connect to an I/O queue. */
        CONNECT,
        /** A read. */
        READ,
        /** A write with its data in the capsule. */
        WRITE_IN_CAPSULE,
        /** A write whose data the target asks for. */
        WRITE,
        /** All data of the write that has waited longest, or of one that does not exist. */
        DATA,
        /** H2CTermReq. */
        TERMINATE
    }

    /** What the model knows of a connection. */
    private enum Model
    {
        /** Nothing has been said. */
        OPENED,
        /** ICReq was answered. */
        INITIALIZED,
        /** Connect succeeded. */
        CONNECTED
    }

    @BeforeContainer
    static void start() throws IOException
    {
        harness = new ReceiverHarness();
    }

    @AfterContainer
    static void stop()
    {
        harness.close();
    }

    @Property(tries = 300)
    void shouldDoWhatTheModelSays(
        @ForAll("actions") final List<Action> actions, @ForAll("digests") final Digests digests) throws IOException
    {
        try (ReceiverHarness.Session session = harness.open(ReceiverHarness.Stage.OPENED, digests))
        {
            final Run run = new Run(session, digests);
            for (final Action action : actions)
            {
                if (!run.step(action))
                {
                    break;
                }
            }
        }
    }

    @Provide
    Arbitrary<List<Action>> actions()
    {
        final Arbitrary<Action> any = Arbitraries.of(Action.values());
        final Arbitrary<List<Action>> random = any.list().ofMaxSize(8);
        // Few random orders get far, so most begin as a host does that knows what it wants.
        final Arbitrary<List<Action>> usual = Arbitraries.frequencyOf(
            Tuple.of(6, Arbitraries.of(
                Action.READ, Action.WRITE_IN_CAPSULE, Action.WRITE, Action.WRITE, Action.DATA, Action.CONNECT)),
            Tuple.of(1, any)).list().ofMaxSize(16);
        return Arbitraries.oneOf(random, usual.map((rest) ->
        {
            final List<Action> whole = new ArrayList<>(List.of(Action.INITIALIZE, Action.CONNECT));
            whole.addAll(rest);
            return whole;
        }));
    }

    @Provide
    Arbitrary<Digests> digests()
    {
        return Arbitraries.of(Digests.values());
    }

    /** One connection and its model. */
    private static final class Run
    {
        private final ReceiverHarness.Session session;
        private final TestHost host;
        private final Digests asked;
        private final ArrayDeque<WirePdu> grants = new ArrayDeque<>();
        private Model model = Model.OPENED;
        private int commandId;

        private Run(final ReceiverHarness.Session session, final Digests asked)
        {
            this.session = session;
            this.asked = asked;
            host = session.host();
        }

        /**
         * Sends one PDU and checks what comes of it.
         *
         * @return whether the connection goes on.
         */
        private boolean step(final Action action) throws IOException
        {
            commandId++;
            return switch (action)
            {
                case INITIALIZE -> initialize();
                case TERMINATE -> terminate();
                case DATA -> data();
                case CONNECT, READ, WRITE_IN_CAPSULE, WRITE -> capsule(action);
            };
        }

        private boolean initialize() throws IOException
        {
            if (Model.OPENED == model)
            {
                host.initialize(asked, 0);
                assertEquals(asked, host.digests());
                model = Model.INITIALIZED;
                return true;
            }
            host.send(WirePdu.initializeRequest(0, asked, 0));
            return refused(FatalErrorStatus.SEQUENCE_ERROR, 0);
        }

        private boolean terminate() throws IOException
        {
            host.send(WirePdu.terminationRequest(FatalErrorStatus.INVALID_HEADER_FIELD));
            assertEquals(ConnectionState.CLOSED, session.state());
            assertTrue(session.finish().isEmpty());
            return false;
        }

        private boolean data() throws IOException
        {
            final WirePdu grant = grants.poll();
            final int id = null == grant ? 99 : grant.commandId();
            final int tag = null == grant ? 0x7FFF : grant.transferTag();
            host.send(WirePdu.h2cData(host.digests(), id, tag, TcpIoTest.random(BYTES, id), 0, BYTES, true));
            if (Model.OPENED == model)
            {
                return refused(FatalErrorStatus.SEQUENCE_ERROR, 0);
            }
            if (null == grant)
            {
                return refused(FatalErrorStatus.INVALID_HEADER_FIELD, DataPdu.TRANSFER_TAG_OFFSET);
            }
            answered(id, NvmeStatus.SUCCESS);
            return true;
        }

        private boolean capsule(final Action action) throws IOException
        {
            switch (action)
            {
                case CONNECT -> host.sendCapsule(WireCommand.connect(commandId, 1, 64), WireCommand.connectData(
                    TargetFixture.NQN, TestHost.HOST_NQN, session.controllerId()));
                case READ -> host.sendCapsule(WireCommand.read(commandId, 0, BLOCKS, BYTES), WirePdu.NOTHING);
                case WRITE -> host.sendCapsule(
                    WireCommand.write(commandId, (long)BLOCKS * commandId, BLOCKS, BYTES), WirePdu.NOTHING);
                default -> host.sendCapsule(
                    WireCommand.writeInCapsule(commandId, (long)BLOCKS * commandId, BLOCKS, BYTES), new byte[BYTES]);
            }
            if (Model.OPENED == model)
            {
                return refused(FatalErrorStatus.SEQUENCE_ERROR, 0);
            }
            if (Action.CONNECT == action)
            {
                answered(commandId, Model.INITIALIZED == model ? NvmeStatus.SUCCESS :
                    NvmeStatus.COMMAND_SEQUENCE_ERROR | NvmeStatus.DO_NOT_RETRY);
                model = Model.CONNECTED;
            }
            else if (Model.INITIALIZED == model)
            {
                answered(commandId, NvmeStatus.COMMAND_SEQUENCE_ERROR | NvmeStatus.DO_NOT_RETRY);
            }
            else if (Action.READ == action)
            {
                assertEquals(BYTES, host.receiveRead(commandId).length);
            }
            else if (Action.WRITE == action)
            {
                final WirePdu grant = host.expect(PduType.READY_TO_TRANSFER);
                assertEquals(commandId, grant.commandId());
                grants.add(grant);
            }
            else
            {
                answered(commandId, NvmeStatus.SUCCESS);
            }
            assertEquals(ConnectionState.READY, session.state());
            return true;
        }

        private void answered(final int id, final int status) throws IOException
        {
            final WirePdu response = host.expect(PduType.CAPSULE_RESPONSE);
            assertEquals(id, response.commandId());
            assertEquals(status, response.status(), response.toString());
        }

        private boolean refused(final FatalErrorStatus status, final int information) throws IOException
        {
            assertEquals(ConnectionState.DRAINING, session.state());
            final List<WirePdu> answers = session.finish();
            assertEquals(1, answers.size(), answers.toString());
            assertEquals(status, answers.getFirst().fatalStatus());
            assertEquals(information, answers.getFirst().fatalInformation());
            return false;
        }
    }
}
