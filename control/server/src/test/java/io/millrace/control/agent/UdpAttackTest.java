package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.ChannelUri;
import io.aeron.CommonContext;
import io.aeron.logbuffer.FrameDescriptor;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Role;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.SessionRequest;
import io.millrace.control.session.KeyAgreementPair;
import io.millrace.control.wire.MessagePublication;
import io.millrace.control.wire.RequestWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Frames of somebody who has no key: what there is stays bounded, and others notice nothing. */
class UdpAttackTest
{
    private static final int TERM = 64 * 1024;
    private static final long MIB = 1L << 20;
    private static final int ATTEMPTS_MAX = 5;
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(60);

    @TempDir
    private Path directory;

    private static int port(final AgentFixture fixture)
    {
        final String endpoint =
            ChannelUri.parse(fixture.settings().channel()).get(CommonContext.ENDPOINT_PARAM_NAME);
        return Integer.parseInt(endpoint.substring(endpoint.lastIndexOf(':') + 1));
    }

    private static void pause(final long ms)
    {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ms));
    }

    /** Gives the agent some time to process what was sent, of which the kernel may have dropped any part. */
    private static void pauseUnless(final BooleanSupplier condition)
    {
        for (int i = 0; i < 100 && !condition.getAsBoolean(); i++)
        {
            pause(10);
        }
    }

    private static long images(final AgentFixture fixture) throws IOException
    {
        try (Stream<Path> files = Files.list(fixture.settings().directory().resolve("images")))
        {
            return files.count();
        }
    }

    private static long publications(final AgentFixture fixture) throws IOException
    {
        try (Stream<Path> files = Files.list(fixture.settings().directory().resolve("publications")))
        {
            return files.count();
        }
    }

    private static long allocatedBytes(final Path path)
    {
        try (Stream<Path> files = Files.walk(path))
        {
            return files.filter(Files::isRegularFile).mapToLong((file) ->
            {
                try
                {
                    return Files.size(file);
                }
                catch (final IOException e)
                {
                    throw new UncheckedIOException(e);
                }
            }).sum();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** Somebody over IPC and somebody with a key over UDP, who go on; and the thread that serves them is the same. */
    private static void assertUnharmed(final AgentFixture fixture, final ControlClient... clients)
    {
        for (int i = 0; i < clients.length; i++)
        {
            clients[i].createDevice(DeviceSpec.memory("mem" + i, MIB, 4096));
            clients[i].deleteDevice("mem" + i);
            assertTrue(clients[i].isConnected());
        }
        assertTrue(fixture.errors().stream().allMatch((line) -> line.contains("UDP frames dropped")),
            () -> fixture.errors().toString());
    }

    /** What sends the frame of a number. */
    @FunctionalInterface
    private interface Sending
    {
        void send(int number) throws IOException;
    }

    /**
     * Sends frames until so many more were dropped by the agent, in the end those again that the kernel has dropped,
     * as it does where the driver is not let run.
     */
    private static void repeat(final AgentFixture fixture, final int dropped, final Sending sending) throws IOException
    {
        final long wanted = fixture.agent().droppedCount() + dropped;
        final long endNs = System.nanoTime() + WAIT_NS;
        for (int i = 0; fixture.agent().droppedCount() < wanted; i++)
        {
            sending.send(i);
            if (99 == i % 100 || i >= dropped)
            {
                pause(10);
            }
            assertTrue(System.nanoTime() - endNs < 0,
                () -> fixture.agent().droppedCount() + " dropped instead of " + wanted);
        }
    }

    /** Sends a set-up, which the kernel may drop, unless the driver has made its image. */
    private static boolean isThereImage(
        final AgentFixture fixture, final RawSender sender, final int session, final long before)
    {
        try
        {
            if (images(fixture) > before)
            {
                return true;
            }
            sender.setup(session, TERM);
            pause(50);
            return false;
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** 8 MiB of one message, of which everybody could have sent without end. */
    private static void sendEndlessMessage(final RawSender attacker, final int session, final long pauseMs)
        throws IOException
    {
        final UnsafeBuffer payload = new UnsafeBuffer(new byte[1376]);
        long position = 0;
        for (int i = 0; i < 6_000; i++)
        {
            if (TERM - (position & TERM - 1) < 1408)
            {
                attacker.data(session, position, (byte)0, payload, (int)(TERM - (position & TERM - 1)) - 32);
                position = (position | TERM - 1) + 1;
                continue;
            }
            attacker.data(
                session, position, 0 == i ? FrameDescriptor.BEGIN_FRAG_FLAG : (byte)0, payload, 1376);
            position += 1408;
            if (0 == i % 16)
            {
                pause(pauseMs);
            }
        }
    }

    @Test
    void shouldBoundAnEndlessMessage() throws IOException
    {
        try (AgentFixture fixture = AgentFixture.udp(directory);
            RawSender attacker = new RawSender("127.0.0.1", port(fixture)))
        {
            final ControlClient local = fixture.connect(fixture.context());
            final ControlClient remote = fixture.connect(fixture.udpContext());
            final long before = fixture.agent().droppedCount();
            // It repeats nothing, so what comes behind a frame that the kernel drops is not heard: once more, slower.
            for (int attempt = 0; attempt < ATTEMPTS_MAX && fixture.agent().droppedCount() == before; attempt++)
            {
                final long images = images(fixture);
                final int session = 7 + attempt;
                AgentFixture.until(local, () -> isThereImage(fixture, attacker, session, images));
                sendEndlessMessage(attacker, session, 2 << attempt);
                pauseUnless(() -> fixture.agent().droppedCount() > before);
                assertTrue(fixture.agent().heldBytes() < MIB, () -> fixture.agent().heldBytes() + " bytes");
            }
            AgentFixture.until(local, () -> fixture.agent().droppedCount() > before);
            assertTrue(fixture.agent().heldBytes() < MIB, () -> fixture.agent().heldBytes() + " bytes");
            assertUnharmed(fixture, local, remote);
        }
    }

    @Test
    void shouldNotMapTheTermsOfOthers() throws IOException
    {
        try (AgentFixture fixture = AgentFixture.udp(directory);
            RawSender attacker = new RawSender("127.0.0.1", port(fixture)))
        {
            final ControlClient local = fixture.connect(fixture.context());
            final ControlClient remote = fixture.connect(fixture.udpContext());
            final long before = allocatedBytes(fixture.settings().directory());
            repeat(fixture, 16, (i) -> attacker.setup(100 + i % 16, 1 << 30));
            assertTrue(allocatedBytes(fixture.settings().directory()) - before < MIB);
            assertUnharmed(fixture, local, remote);
        }
    }

    /** The driver would fail over and over at what was made for it, with a line of the log each time. */
    @Test
    void shouldNotMakeAnythingForAnUnsoundSetup() throws IOException
    {
        try (AgentFixture fixture = AgentFixture.udp(directory);
            RawSender attacker = new RawSender("127.0.0.7", port(fixture)))
        {
            final ControlClient local = fixture.connect(fixture.context());
            final ControlClient remote = fixture.connect(fixture.udpContext());
            final long images = images(fixture);
            repeat(fixture, 32, (i) ->
            {
                switch (i % 4)
                {
                    case 0 -> attacker.setup(100 + i, TERM, TERM - 1, 1408);
                    case 1 -> attacker.setup(100 + i, TERM, TERM, 1408);
                    case 2 -> attacker.setup(100 + i, TERM, 0, 1401);
                    default -> attacker.setup(100 + i, TERM + 32, 0, 1408);
                }
            });
            assertEquals(images, images(fixture));
            assertUnharmed(fixture, local, remote);
        }
    }

    @Test
    void shouldBoundSendersThatProveNothing() throws IOException
    {
        try (AgentFixture fixture = AgentFixture.udp(directory);
            RawSender attacker = new RawSender("127.0.0.7", port(fixture));
            RawSender another = new RawSender("127.0.0.8", port(fixture)))
        {
            final ControlClient local = fixture.connect(fixture.context());
            final ControlClient remote = fixture.connect(fixture.udpContext());
            // On a busy machine the client may have tried twice, and so have two.
            final long own = images(fixture);
            repeat(fixture, 3_000, (i) -> (0 == i % 2 ? attacker : another).setup(1_000 + i, TERM));
            final long images = images(fixture);
            assertTrue(images <= own + 64, images + " images, " + own + " of the client");
            assertUnharmed(fixture, local, remote, fixture.connect(fixture.context()));
            // Who has a key still comes in, from another address.
            fixture.connect(fixture.udpContext()).devices("");
        }
    }

    @Test
    void shouldBoundSessionsThatProveNothing() throws IOException
    {
        try (AgentFixture fixture = AgentFixture.udp(directory);
            RawSender attacker = new RawSender("127.0.0.7", port(fixture)))
        {
            final ControlClient local = fixture.connect(fixture.context());
            final ControlClient remote = fixture.connect(fixture.udpContext());
            final int sessions = fixture.agent().sessionCount();
            final RequestWriter writer = new RequestWriter();
            // It repeats nothing, so what comes behind a frame that the kernel drops is not heard: then once more.
            for (int attempt = 0; attempt < ATTEMPTS_MAX && fixture.agent().droppedCount() < 500; attempt++)
            {
                final int session = 7 + attempt;
                final long images = images(fixture);
                AgentFixture.until(local, () -> isThereImage(fixture, attacker, session, images));
                long position = 0;
                for (int i = 0; i < 1_000; i++)
                {
                    final int length = writer.openSession(i, new SessionRequest(Role.ADMIN,
                        "aeron:udp?endpoint=127.0.0.7:" + (20_000 + i), 5, "attacker", "admin", "",
                        new byte[KeyAgreementPair.PUBLIC_KEY_LENGTH]));
                    final byte[] message = new byte[BitUtil.align(length, 32)];
                    writer.buffer().getBytes(MessagePublication.MESSAGE_OFFSET, message, 0, length);
                    if (TERM - (position & TERM - 1) < 1408)
                    {
                        final int rest = (int)(TERM - (position & TERM - 1)) - 32;
                        attacker.data(session, position, FrameDescriptor.UNFRAGMENTED,
                            new UnsafeBuffer(new byte[rest]), rest);
                        position = (position | TERM - 1) + 1;
                    }
                    attacker.data(session, position, FrameDescriptor.UNFRAGMENTED,
                        new UnsafeBuffer(message), message.length);
                    position += 32 + message.length;
                    if (0 == i % 20)
                    {
                        pause(5 << attempt);
                    }
                }
                pauseUnless(() -> fixture.agent().droppedCount() >= 500);
            }
            AgentFixture.until(local, () -> fixture.agent().droppedCount() >= 500);
            assertTrue(fixture.agent().sessionCount() <= sessions + 8, fixture.agent().sessionCount() + " sessions");
            assertTrue(publications(fixture) <= 250, publications(fixture) + " publications");
            assertUnharmed(fixture, local, remote, fixture.connect(fixture.udpContext()));
            assertEquals(sessions + 1, openSessions(fixture));
        }
    }

    /** After those that proved nothing are gone. */
    private static int openSessions(final AgentFixture fixture)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        int count = fixture.agent().sessionCount();
        while (count > 3 && System.nanoTime() - deadlineNs < 0)
        {
            pause(50);
            count = fixture.agent().sessionCount();
        }
        return count;
    }
}
