package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.nvmf.tcp.pdu.ReadyToTransfer;
import io.millrace.seed.TestSeeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Streams that are right leave their connection open and answer each command once, however they are cut and whichever
 * digests they carry. With bytes changed they are survived, and no change gets past the digests.
 */
class PduReceiverPropertyTest
{
    private static final int COMMANDS_MAX = 16;
    private static final int BLOCKS_MAX = 6;
    private static ReceiverHarness harness;

    /** Kinds of command. */
    enum Kind
    {
        /** Answered with data. */
        READ,
        /** With its data in the capsule. */
        WRITE_IN_CAPSULE,
        /** Asked for its data. */
        WRITE,
        /** Without data. */
        FLUSH
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

    @Property(tries = 120)
    void shouldAnswerEachCommandOnceWhenTheStreamIsRight(
        @ForAll("kinds") final List<Kind> kinds,
        @ForAll("digests") final Digests digests,
        @ForAll("cuts") final List<Integer> cuts,
        @ForAll final long seed) throws IOException
    {
        final Random random = TestSeeds.fixed(seed);
        try (ReceiverHarness.Session session = harness.open(ReceiverHarness.Stage.CONNECTED, digests))
        {
            session.deliver(capsules(kinds, digests, random), cuts);
            final int[] answers = new int[kinds.size()];
            final List<WirePdu> grants = new ArrayList<>();
            for (int i = 0; i < kinds.size(); i++)
            {
                final WirePdu pdu = session.host().receive();
                if (PduType.READY_TO_TRANSFER == pdu.type())
                {
                    assertEquals(Kind.WRITE, kinds.get(pdu.commandId()));
                    grants.add(pdu);
                }
                else
                {
                    onAnswer(kinds, pdu, answers);
                }
            }
            Collections.shuffle(grants, random);
            final ByteArrayOutputStream data = new ByteArrayOutputStream();
            for (final WirePdu grant : grants)
            {
                data.write(h2cData(grant, digests, random));
            }
            session.deliver(data.toByteArray(), cuts);
            assertEquals(ConnectionState.READY, session.state());
            for (final WirePdu pdu : session.finish())
            {
                onAnswer(kinds, pdu, answers);
            }
            for (int i = 0; i < answers.length; i++)
            {
                assertEquals(1, answers[i], "answers to command " + i + " of " + kinds);
            }
        }
    }

    @Property(tries = 200)
    void shouldNoticeWhenBytesOfCapsulesAreChanged(
        @ForAll("kinds") final List<Kind> kinds,
        @ForAll("digests") final Digests digests,
        @ForAll("cuts") final List<Integer> cuts,
        @ForAll @IntRange(min = 1, max = 3) final int changes,
        @ForAll final long seed) throws IOException
    {
        final Random random = TestSeeds.fixed(seed);
        try (ReceiverHarness.Session session = harness.open(ReceiverHarness.Stage.CONNECTED, digests))
        {
            final byte[] stream = capsules(kinds, digests, random);
            change(stream, changes, random);
            session.deliver(stream, cuts);
            final List<WirePdu> answers = session.finish();
            if (Digests.HEADER_AND_DATA == digests)
            {
                assertTrue(answers.size() < kinds.size() || answers.stream().anyMatch(this::isFailure),
                    () -> "nobody noticed: " + answers);
            }
        }
    }

    @Property(tries = 120)
    void shouldNoticeWhenBytesOfHostDataAreChanged(
        @ForAll("digests") final Digests digests,
        @ForAll("cuts") final List<Integer> cuts,
        @ForAll @IntRange(min = 1, max = 3) final int changes,
        @ForAll final long seed) throws IOException
    {
        final Random random = TestSeeds.fixed(seed);
        try (ReceiverHarness.Session session = harness.open(ReceiverHarness.Stage.EXPECTING_DATA, digests))
        {
            final byte[] stream = WirePdu.h2cData(digests, ReceiverHarness.EXPECTED_COMMAND, session.transferTag(),
                TcpIoTest.random(ReceiverHarness.EXPECTED_BYTES, seed), 0, ReceiverHarness.EXPECTED_BYTES, true);
            change(stream, changes, random);
            session.deliver(stream, cuts);
            final List<WirePdu> answers = session.finish();
            if (Digests.HEADER_AND_DATA == digests)
            {
                assertTrue(answers.isEmpty() || answers.stream().anyMatch(this::isFailure),
                    () -> "nobody noticed: " + answers);
            }
        }
    }

    @Provide
    Arbitrary<List<Kind>> kinds()
    {
        return Arbitraries.of(Kind.values()).list().ofMinSize(1).ofMaxSize(COMMANDS_MAX);
    }

    @Provide
    Arbitrary<Digests> digests()
    {
        return Arbitraries.of(Digests.values());
    }

    @Provide
    Arbitrary<List<Integer>> cuts()
    {
        return Arbitraries.oneOf(Arbitraries.integers().between(1, 100), Arbitraries.integers().between(1, 20_000))
            .list().ofMinSize(1).ofMaxSize(32);
    }

    private boolean isFailure(final WirePdu pdu)
    {
        return PduType.C2H_TERM_REQ == pdu.type() ||
            PduType.CAPSULE_RESPONSE == pdu.type() && NvmeStatus.SUCCESS != pdu.status();
    }

    private static void onAnswer(final List<Kind> kinds, final WirePdu pdu, final int[] answers)
    {
        final Kind kind = kinds.get(pdu.commandId());
        if (PduType.C2H_DATA == pdu.type())
        {
            assertEquals(Kind.READ, kind);
            assertTrue(pdu.has(CommonHeader.FLAG_SUCCESS));
        }
        else
        {
            assertEquals(PduType.CAPSULE_RESPONSE, pdu.type(), pdu.toString());
            assertEquals(NvmeStatus.SUCCESS, pdu.status(), pdu.toString());
        }
        answers[pdu.commandId()]++;
    }

    private static byte[] capsules(final List<Kind> kinds, final Digests digests, final Random random)
        throws IOException
    {
        final ByteArrayOutputStream stream = new ByteArrayOutputStream();
        for (int i = 0; i < kinds.size(); i++)
        {
            final int blocks = 1 + random.nextInt(BLOCKS_MAX);
            final int bytes = blocks * ReceiverHarness.BLOCK;
            final long lba = (long)i * BLOCKS_MAX;
            stream.write(switch (kinds.get(i))
            {
                case READ -> WirePdu.capsule(digests, WireCommand.read(i, lba, blocks, bytes), WirePdu.NOTHING);
                case WRITE -> WirePdu.capsule(digests, WireCommand.write(i, lba, blocks, bytes), WirePdu.NOTHING);
                case FLUSH -> WirePdu.capsule(digests, WireCommand.flush(i), WirePdu.NOTHING);
                case WRITE_IN_CAPSULE -> WirePdu.capsule(digests,
                    WireCommand.writeInCapsule(i, lba, blocks, bytes), TcpIoTest.random(bytes, i));
            });
        }
        return stream.toByteArray();
    }

    /**
     * {@return the data that a grant asks for, in one to four PDUs}
     */
    private static byte[] h2cData(final WirePdu grant, final Digests digests, final Random random) throws IOException
    {
        final int length = WirePdu.getInt(grant.header(), ReadyToTransfer.DATA_LENGTH_OFFSET);
        final byte[] data = TcpIoTest.random(length, grant.commandId());
        final ByteArrayOutputStream stream = new ByteArrayOutputStream();
        final int piece = length / (1 + random.nextInt(4)) + 3 & -4;
        for (int offset = 0; offset < length; offset += piece)
        {
            final int bytes = Math.min(piece, length - offset);
            stream.write(WirePdu.h2cData(digests, grant.commandId(), grant.transferTag(), data, offset, bytes,
                offset + bytes == length));
        }
        return stream.toByteArray();
    }

    private static void change(final byte[] stream, final int changes, final Random random)
    {
        for (int i = 0; i < changes; i++)
        {
            // Each in a third of its own, so that none undoes another.
            final int from = stream.length / 3 * i;
            stream[from + random.nextInt(stream.length / 3)] ^= (byte)(1 + random.nextInt(255));
        }
    }
}
