package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.seed.TestSeeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TcpIoTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;

    private static final int CONNECT_ATTRIBUTES_OFFSET = 46;

    private TargetFixture target = new TargetFixture();

    @AfterEach
    void stop()
    {
        target.close();
    }

    @ParameterizedTest
    @EnumSource(Digests.class)
    void shouldReadWhatWasWrittenBothWays(final Digests digests) throws IOException
    {
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, digests);
            TestHost host = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 32, digests))
        {
            final byte[] small = random(2 * BLOCK, 1);
            final byte[] large = random(64 * BLOCK, 2);
            host.writeInCapsule(7, 5, 2, small);
            host.write(8, 100, 64, large);

            assertArrayEquals(small, host.read(9, 5, 2, small.length));
            assertArrayEquals(large, host.read(10, 100, 64, large.length));
        }
    }

    @Test
    void shouldSayOfASuccessfulReadInTheDataPdu() throws IOException
    {
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost host = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 32, Digests.NONE))
        {
            host.sendCapsule(WireCommand.read(1, 0, 1, BLOCK), WirePdu.NOTHING);
            final WirePdu data = host.expect(PduType.C2H_DATA);

            assertTrue(data.has(CommonHeader.FLAG_SUCCESS));
            assertTrue(data.has(CommonHeader.FLAG_LAST));
            // Nothing else is on its way: the answer to the next command comes next.
            host.sendCapsule(WireCommand.flush(2), WirePdu.NOTHING);
            host.expectSuccess(2);
        }
    }

    @Test
    void shouldTellAHostWithFlowControlTheHeadOftenEnough() throws IOException
    {
        final int depth = 16;
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost host = TestHost.open(target.address()))
        {
            host.initialize(Digests.NONE, 0);
            final byte[] connect = WireCommand.connect(1, 1, depth);
            connect[CONNECT_ATTRIBUTES_OFFSET] = 0;
            host.sendCapsule(connect, WireCommand.connectData(TargetFixture.NQN, TestHost.HOST_NQN,
                admin.controllerId()));
            assertEquals(1, host.expect(PduType.CAPSULE_RESPONSE).sqHead());
            int unreported = 0;
            int capsules = 0;
            for (int i = 0; i < 8 * depth; i++)
            {
                host.sendCapsule(WireCommand.read(1, 0, 1, BLOCK), WirePdu.NOTHING);
                unreported++;
                if (!host.expect(PduType.C2H_DATA).has(CommonHeader.FLAG_SUCCESS))
                {
                    final WirePdu response = host.expect(PduType.CAPSULE_RESPONSE);
                    assertEquals((i + 2) % depth, response.sqHead());
                    unreported = 0;
                    capsules++;
                }
                assertTrue(unreported < depth / 4, unreported + " commands, and the head was not told");
            }
            assertEquals(8 * 4, capsules);
        }
    }

    @ParameterizedTest
    @EnumSource(Digests.class)
    void shouldSendAResponseCapsuleWhenTheSuccessFlagIsOff(final Digests digests) throws IOException
    {
        target.close();
        final TcpTransportConfig config = TcpTransportConfig.defaults();
        target = new TargetFixture(1, new TcpTransportConfig(config.inCapsuleDataBytes(), config.maxH2cDataBytes(),
            config.receiveBufferBytes(), false, config.connectTimeoutNs(), config.connectionsMax(), 0, 0));
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, digests);
            TestHost host = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 32, digests))
        {
            host.sendCapsule(WireCommand.read(1, 0, 1, BLOCK), WirePdu.NOTHING);
            final WirePdu data = host.expect(PduType.C2H_DATA);

            assertFalse(data.has(CommonHeader.FLAG_SUCCESS));
            assertTrue(data.has(CommonHeader.FLAG_LAST));
            host.expectSuccess(1);
        }
    }

    @Test
    void shouldAnswerAFailedReadWithoutData() throws IOException
    {
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.HEADER_AND_DATA);
            TestHost host = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 32, Digests.HEADER_AND_DATA))
        {
            host.sendCapsule(WireCommand.read(1, 1L << 40, 1, BLOCK), WirePdu.NOTHING);
            final WirePdu response = host.expect(PduType.CAPSULE_RESPONSE);

            assertEquals(NvmeStatus.LBA_OUT_OF_RANGE, NvmeStatus.code(response.status()));
        }
    }

    @Test
    void shouldAlignDataAsTheHostAsks() throws IOException
    {
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE))
        {
            int queue = 1;
            for (final int alignment : new int[]{1, 2, 6, 15, 30, 31})
            {
                for (final Digests digests : Digests.values())
                {
                    try (TestHost host = TestHost.open(target.address()))
                    {
                        host.initialize(digests, alignment);
                        host.connectIo(TargetFixture.NQN, admin.controllerId(), queue++, 32);
                        final byte[] data = random(BLOCK, alignment);
                        host.writeInCapsule(1, 3, 1, data);
                        assertArrayEquals(data, host.read(2, 3, 1, BLOCK));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Digests.class)
    void shouldAnswerEveryCommandOfOneSegment(final Digests digests) throws IOException
    {
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, digests);
            TestHost host = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 128, digests))
        {
            final byte[] data = random(BLOCK, 3);
            final ByteArrayOutputStream segment = new ByteArrayOutputStream();
            for (int i = 0; i < 60; i++)
            {
                segment.write(WirePdu.capsule(digests, WireCommand.writeInCapsule(2 * i, i, 1, BLOCK), data));
                segment.write(WirePdu.capsule(digests, WireCommand.read(2 * i + 1, i, 1, BLOCK), WirePdu.NOTHING));
            }
            host.send(segment.toByteArray());
            for (int i = 0; i < 60; i++)
            {
                host.expectSuccess(2 * i);
                assertArrayEquals(data, host.receiveRead(2 * i + 1));
            }
        }
    }

    @Test
    void shouldTakeDataInManyPdusAndTransfersInAnyOrder() throws IOException
    {
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.HEADER_AND_DATA);
            TestHost host = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 32, Digests.HEADER_AND_DATA))
        {
            final int[] tags = new int[4];
            final byte[][] data = new byte[4][];
            for (int i = 0; i < 4; i++)
            {
                data[i] = random(16 * BLOCK, i);
                host.sendCapsule(WireCommand.write(i, 16L * i, 16, data[i].length), WirePdu.NOTHING);
            }
            for (int i = 0; i < 4; i++)
            {
                final WirePdu ready = host.expect(PduType.READY_TO_TRANSFER);
                tags[ready.commandId()] = ready.transferTag();
            }
            // Pieces of 5 KiB, the commands in turn, the last first.
            final int piece = 5 * 1024;
            for (int offset = 0; offset < 16 * BLOCK; offset += piece)
            {
                for (int i = 3; i >= 0; i--)
                {
                    final int length = Math.min(piece, data[i].length - offset);
                    host.send(WirePdu.h2cData(
                        host.digests(), i, tags[i], data[i], offset, length, offset + length == data[i].length));
                }
            }
            for (int i = 3; i >= 0; i--)
            {
                host.expectSuccess(i);
            }
            for (int i = 0; i < 4; i++)
            {
                assertArrayEquals(data[i], host.read(20 + i, 16L * i, 16, data[i].length));
            }
        }
    }

    @Test
    void shouldFailTheCommandAloneWhenADataDigestIsWrong() throws IOException
    {
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.DATA);
            TestHost host = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 32, Digests.DATA))
        {
            final byte[] old = random(2 * BLOCK, 4);
            host.writeInCapsule(1, 0, 2, old);

            final byte[] capsule = WirePdu.capsule(
                Digests.DATA, WireCommand.writeInCapsule(2, 0, 1, BLOCK), random(BLOCK, 5));
            capsule[capsule.length - 1] ^= 1;
            host.send(capsule);
            expectTransportError(host, 2);

            host.sendCapsule(WireCommand.write(3, 0, 2, 2 * BLOCK), WirePdu.NOTHING);
            final WirePdu ready = host.expect(PduType.READY_TO_TRANSFER);
            final byte[] data = random(2 * BLOCK, 6);
            final byte[] spoilt = WirePdu.h2cData(Digests.DATA, 3, ready.transferTag(), data, 0, BLOCK, false);
            spoilt[100] ^= 0x10;
            host.send(spoilt);
            host.send(WirePdu.h2cData(Digests.DATA, 3, ready.transferTag(), data, BLOCK, BLOCK, true));
            expectTransportError(host, 3);

            assertArrayEquals(old, host.read(4, 0, 2, 2 * BLOCK));
            assertEquals(2, target.transport().counters().dataDigestErrors());
        }
    }

    @Test
    void shouldSpreadConnectionsOverReactors() throws IOException
    {
        target.close();
        target = new TargetFixture(2, TcpTransportConfig.defaults());
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost first = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 32, Digests.NONE);
            TestHost second = TestHost.io(target.address(), TargetFixture.NQN, admin, 2, 32, Digests.NONE))
        {
            final byte[] data = random(BLOCK, 7);
            first.writeInCapsule(1, 9, 1, data);
            assertArrayEquals(data, second.read(1, 9, 1, BLOCK));
            assertEquals(3, target.transport().connectionCount());
        }
        TargetFixture.await("no connection left", () -> 0 == target.transport().connectionCount());
    }

    private static void expectTransportError(final TestHost host, final int commandId) throws IOException
    {
        final WirePdu response = host.expect(PduType.CAPSULE_RESPONSE);
        assertEquals(commandId, response.commandId());
        assertEquals(NvmeStatus.TRANSIENT_TRANSPORT_ERROR, response.status(), response.toString());
    }

    static byte[] random(final int length, final long seed)
    {
        final byte[] bytes = new byte[length];
        TestSeeds.fixed(seed).nextBytes(bytes);
        return bytes;
    }
}
