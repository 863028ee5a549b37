package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;

/**
 * A target turned by hand with one admin connection, and sessions of one more connection each. A session that is closed
 * must have given everything back, whatever was sent on it.
 */
final class ReceiverHarness implements AutoCloseable
{
    static final int BLOCK = 512;
    /** The command that waits for data at {@link Stage#EXPECTING_DATA}. */
    static final int EXPECTED_COMMAND = 1;
    static final int EXPECTED_BYTES = 8 * BLOCK;

    /** How far a session's connection gets before it is handed out. */
    enum Stage
    {
        /** Nothing has been said. */
        OPENED,
        /** ICReq was answered. */
        INITIALIZED,
        /** An I/O queue. */
        CONNECTED,
        /** An R2T for 4 KiB has come. */
        EXPECTING_DATA
    }

    private final ManualTarget target = new ManualTarget(
        MemoryDevice.create("mem0", 1L << 20, BLOCK), TcpTransportConfig.defaults(), 2L << 20);
    private final TestHost admin;

    ReceiverHarness() throws IOException
    {
        admin = TestHost.open(target.address());
        admin.manual(target, target.accept());
        admin.initialize(Digests.NONE, 0);
        admin.connectAdmin(TargetFixture.NQN);
    }

    Session open(final Stage stage, final Digests digests) throws IOException
    {
        final Session session = new Session();
        if (stage.ordinal() >= Stage.INITIALIZED.ordinal())
        {
            session.host.initialize(digests, 0);
        }
        if (stage.ordinal() >= Stage.CONNECTED.ordinal())
        {
            session.host.connectIo(TargetFixture.NQN, admin.controllerId(), 1, 64);
        }
        if (stage.ordinal() >= Stage.EXPECTING_DATA.ordinal())
        {
            session.host.sendCapsule(WireCommand.write(EXPECTED_COMMAND, 0, 8, EXPECTED_BYTES), WirePdu.NOTHING);
            session.transferTag = session.host.expect(PduType.READY_TO_TRANSFER).transferTag();
        }
        return session;
    }

    private void assertNothingIsLeft()
    {
        assertEquals(1, target.group().assignedCount().get());
        assertEquals(1, target.group().senderBlocks().usedCount());
        assertEquals(0, target.group().receiveBuffer().smallBlocks().usedCount());
        assertEquals(0, target.group().receiveBuffer().largeBlocks().usedCount());
        assertEquals(1, target.group().pollGroup().queuePairs());
        assertEquals(0, target.group().pollGroup().requestsInUse());
        assertEquals(0, target.pool().usedBytes());
        assertEquals(0, target.pool().waiting());
    }

    @Override
    public void close()
    {
        admin.close();
        target.close();
    }

    /** One connection. */
    final class Session implements AutoCloseable
    {
        private final TestHost host;
        private final TcpConnection connection;
        private int transferTag;

        private Session() throws IOException
        {
            host = TestHost.open(target.address());
            connection = target.accept();
            host.manual(target, connection);
        }

        TestHost host()
        {
            return host;
        }

        int controllerId()
        {
            return admin.controllerId();
        }

        int transferTag()
        {
            return transferTag;
        }

        ConnectionState state()
        {
            return connection.state();
        }

        /**
         * Sends bytes in pieces, and lets the target act on each before the next, until it closes.
         *
         * @param bytes to send.
         * @param cuts  lengths of the pieces, over and over.
         */
        void deliver(final byte[] bytes, final List<Integer> cuts) throws IOException
        {
            int from = 0;
            for (int i = 0; from < bytes.length && ConnectionState.CLOSED != connection.state(); i++)
            {
                final int to = (int)Math.min(bytes.length, (long)from + cuts.get(i % cuts.size()));
                target.deliver(host, connection, bytes, from, to);
                from = to;
            }
            target.turn();
        }

        /**
         * Ends the stream and takes what the target has answered.
         *
         * @return every answer, up to the end of the stream.
         */
        List<WirePdu> finish() throws IOException
        {
            if (ConnectionState.CLOSED != connection.state())
            {
                host.socket().shutdownOutput();
            }
            TargetFixture.await("the target to close", () ->
            {
                connection.receive();
                target.turn();
                return ConnectionState.CLOSED == connection.state();
            });
            final List<WirePdu> answers = new ArrayList<>();
            try
            {
                while (true)
                {
                    answers.add(host.receive());
                }
            }
            catch (final EOFException | SocketException e)
            {
                return answers;
            }
        }

        /**
         * Closes both ends and checks that nothing is left of it.
         */
        @Override
        public void close() throws IOException
        {
            // A reset leaves no TIME_WAIT behind, or the ports of this machine would run out.
            host.socket().setSoLinger(true, 0);
            host.close();
            connection.close("end of the test");
            target.turn();
            assertNothingIsLeft();
        }
    }
}
