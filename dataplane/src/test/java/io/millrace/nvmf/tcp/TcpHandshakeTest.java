package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.ICPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.nvmf.transport.TransportAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpHandshakeTest
{
    private TargetFixture target;

    @BeforeEach
    void start()
    {
        target = new TargetFixture();
    }

    @AfterEach
    void stop()
    {
        target.close();
    }

    @Test
    void shouldGrantEveryCombinationOfDigests() throws IOException
    {
        for (final Digests digests : Digests.values())
        {
            try (TestHost host = TestHost.open(target.address()))
            {
                final WirePdu response = host.initialize(digests, 0);
                assertEquals(digests, host.digests());
                assertEquals(128, response.header().length);
                assertEquals(131072, WirePdu.getInt(response.header(), ICPdu.MAXIMUM_OFFSET));
                assertEquals(0, response.header()[ICPdu.DATA_ALIGNMENT_OFFSET]);
            }
        }
    }

    @Test
    void shouldTakeAnInitializeRequestByteByByte() throws IOException
    {
        try (TestHost host = TestHost.open(target.address()))
        {
            for (final byte b : WirePdu.initializeRequest(0, Digests.NONE, 0))
            {
                host.send(new byte[]{b});
            }
            host.expect(PduType.IC_RESP);
        }
    }

    @Test
    void shouldRefuseInitializeRequestsThatAreWrong() throws IOException
    {
        expectRefusal(CommonHeader.HEADER_LENGTH_OFFSET, 127, FatalErrorStatus.INVALID_HEADER_FIELD,
            CommonHeader.HEADER_LENGTH_OFFSET, 8);
        expectRefusal(CommonHeader.PDU_LENGTH_OFFSET, 129, FatalErrorStatus.INVALID_HEADER_FIELD,
            CommonHeader.PDU_LENGTH_OFFSET, 8);
        expectRefusal(ICPdu.FORMAT_VERSION_OFFSET, 1, FatalErrorStatus.UNSUPPORTED_PARAMETER,
            ICPdu.FORMAT_VERSION_OFFSET, 128);
        expectRefusal(ICPdu.DATA_ALIGNMENT_OFFSET, 32, FatalErrorStatus.INVALID_HEADER_FIELD,
            ICPdu.DATA_ALIGNMENT_OFFSET, 128);
    }

    private void expectRefusal(
        final int offset,
        final int value,
        final FatalErrorStatus status,
        final int information,
        final int copied) throws IOException
    {
        try (TestHost host = TestHost.open(target.address()))
        {
            final byte[] bytes = WirePdu.initializeRequest(0, Digests.NONE, 0);
            bytes[offset] = (byte)value;
            host.send(bytes);
            final WirePdu termination = host.expect(PduType.C2H_TERM_REQ);
            assertEquals(status, termination.fatalStatus(), termination.toString());
            assertEquals(information, termination.fatalInformation(), termination.toString());
            assertArrayEquals(Arrays.copyOf(bytes, copied), termination.data());
            host.expectEnd();
        }
    }

    @Test
    void shouldRefuseASecondInitializeRequest() throws IOException
    {
        try (TestHost host = TestHost.open(target.address()))
        {
            host.initialize(Digests.NONE, 0);
            host.send(WirePdu.initializeRequest(0, Digests.NONE, 0));
            host.expectTermination(FatalErrorStatus.SEQUENCE_ERROR, 0);
        }
    }

    @Test
    void shouldRefuseOtherPdusBeforeTheInitializeRequest() throws IOException
    {
        try (TestHost host = TestHost.open(target.address()))
        {
            host.send(WirePdu.capsule(Digests.NONE, WireCommand.connect(1, 0, 32), WirePdu.NOTHING));
            host.expectTermination(FatalErrorStatus.SEQUENCE_ERROR, 0);
        }
        try (TestHost host = TestHost.open(target.address()))
        {
            host.send(WirePdu.h2cData(Digests.NONE, 1, 1, new byte[8], 0, 8, true));
            host.expectTermination(FatalErrorStatus.SEQUENCE_ERROR, 0);
        }
    }

    @Test
    void shouldRefuseUnknownTypesAndThoseOfTheOtherDirection() throws IOException
    {
        for (final int type : new int[]{1, 3, 5, 7, 8, 9, 10, 0x7F, 0xFF})
        {
            try (TestHost host = TestHost.open(target.address()))
            {
                host.send(new byte[]{(byte)type, 0, 24, 0, 24, 0, 0, 0});
                host.expectTermination(FatalErrorStatus.INVALID_HEADER_FIELD, CommonHeader.TYPE_OFFSET);
            }
        }
    }

    @Test
    void shouldCloseSilentlyWhenTheHostTerminates() throws IOException
    {
        try (TestHost host = TestHost.open(target.address()))
        {
            host.initialize(Digests.HEADER_AND_DATA, 0);
            host.send(WirePdu.terminationRequest(FatalErrorStatus.DATA_OUT_OF_RANGE));
            host.expectEnd();
        }
        try (TestHost host = TestHost.open(target.address()))
        {
            final byte[] tooLong = WirePdu.terminationRequest(FatalErrorStatus.DATA_OUT_OF_RANGE);
            WirePdu.putInt(tooLong, CommonHeader.PDU_LENGTH_OFFSET, 153);
            host.send(tooLong);
            host.expectEnd();
        }
        assertEquals(2, target.transport().counters().peerTerminations());
        TargetFixture.await("no connection left", () -> 0 == target.transport().connectionCount());
    }

    @Test
    void shouldForgetTheConnectionWhenTheHostGoesAway() throws IOException
    {
        for (int i = 0; i < 4; i++)
        {
            final TestHost host = TestHost.open(target.address());
            if (i > 1)
            {
                host.initialize(Digests.NONE, 0);
            }
            if (1 == (i & 1))
            {
                host.socket().setSoLinger(true, 0);
            }
            host.close();
        }
        TargetFixture.await("four accepted", () -> 4 == target.transport().counters().accepted());
        TargetFixture.await("no connection left", () -> 0 == target.transport().connectionCount());
    }

    @Test
    void shouldSayWhatIsWrongWhenThePortIsTaken()
    {
        final IllegalStateException e =
            assertThrows(IllegalStateException.class,
                () -> target.transport().listen(TransportAddress.tcp(target.address())));
        assertTrue(e.getMessage().startsWith("cannot listen on 127.0.0.1:" + target.address().getPort() +
            ": Address already in use"), e.getMessage());
        assertTrue(e.getMessage().endsWith("stop what listens there, or choose another port"), e.getMessage());
        assertEquals(Errno.EADDRINUSE, assertInstanceOf(NativeException.class, e.getCause()).errno());
    }

    @Test
    void shouldServeDiscoveryAloneWhereItListensForDiscovery() throws IOException
    {
        final InetSocketAddress address = target.transport().listenForDiscovery(
            TransportAddress.tcp("127.0.0.1", 0)).socketAddress();
        assertEquals(NvmeStatus.SUCCESS, connectStatus(address, Nqn.DISCOVERY));
        assertEquals(NvmeStatus.CONNECT_INVALID_PARAMETERS, connectStatus(address, TargetFixture.NQN));
        assertEquals(NvmeStatus.SUCCESS, connectStatus(target.address(), Nqn.DISCOVERY));
        assertEquals(NvmeStatus.SUCCESS, connectStatus(target.address(), TargetFixture.NQN));
    }

    /** Any host may have a discovery controller, so they must not take the places of queues. */
    @Test
    void shouldCountDiscoveryControllersApart() throws IOException
    {
        try (TestHost host = TestHost.open(target.address()))
        {
            host.initialize(Digests.NONE, 0);
            host.sendCapsule(WireCommand.connect(1, 0, 32),
                WireCommand.connectData(Nqn.DISCOVERY, TestHost.HOST_NQN, 0xFFFF));
            host.expectSuccess(1);
            assertEquals(1, target.transport().counters().discovery());
        }
        TargetFixture.await("its place back", () -> 0 == target.transport().counters().discovery());
    }

    private static int connectStatus(final InetSocketAddress address, final String nqn) throws IOException
    {
        try (TestHost host = TestHost.open(address))
        {
            host.initialize(Digests.NONE, 0);
            host.sendCapsule(
                WireCommand.connect(1, 0, 32), WireCommand.connectData(nqn, TestHost.HOST_NQN, 0xFFFF));
            return NvmeStatus.code(host.expect(PduType.CAPSULE_RESPONSE).status());
        }
    }
}
