package io.millrace.lab.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.logbuffer.FrameDescriptor;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Role;
import io.millrace.control.message.DeviceSpec;
import io.millrace.lab.TargetProcess;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Somebody without a key who sends to the UDP port of control: a client over IPC commands on, a host's verified I/O
 * goes on, and the control directory stays small.
 */
final class ControlAttackTest
{
    private static final String NQN = TargetProcess.NQN;
    private static final boolean IS_LONG = "long".equals(System.getProperty("millrace.attack"));
    private static final int ROUNDS = IS_LONG ? 200 : 1;
    private static final int FRAGMENT_BYTES = 1376;
    private static final int FRAME_BYTES = 1408;
    private static final long BYSTANDER_LBA = 8192;
    private static final long PROGRESS_MS = 30_000;
    private static final long COMMAND_MS = 3_000;
    private static final int COMMANDS_MAX = 4;
    /** Until a line that is sure to come; the thread that takes frames of UDP may get no turn for long. */
    private static final long LINE_MS = 60_000;
    private static final long DIRECTORY_MAX_BYTES = 160L << 20;

    private Path directory;
    private int controlPort;
    private TargetProcess target;
    private Bystander bystander;
    private ControlClient client;

    @BeforeEach
    void start() throws IOException
    {
        directory = Files.createTempDirectory(Path.of("/dev/shm"), "control-attack");
        try (DatagramSocket any = new DatagramSocket(0, InetAddress.getByName("127.0.0.1")))
        {
            controlPort = any.getLocalPort();
        }
        final Path keys = Files.writeString(
            directory.resolve("keys"), "admin admin a-secret-of-the-lab-32-bytes-xxx\n");
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-------"));
        target = TargetProcess.start("control-attack",
            "control: {directory: '" + directory.resolve("plane") + "', channel: 'aeron:udp?endpoint=127.0.0.1:" +
                controlPort + "', secrets: '" + keys + "'}\nstatus: {file: none}\n",
            List.of("{name: mem, type: memory, size: 64MiB}"), "mem");
        bystander = new Bystander(target.port(), NQN, BYSTANDER_LBA);
        client = ControlClient.connect(new ControlClientContext()
            .aeronDirectoryName(directory.resolve("plane").toString()).role(Role.ADMIN).clientName("bystander")
            .connectTimeoutNs(TimeUnit.SECONDS.toNanos(20)));
    }

    @AfterEach
    void stop() throws IOException
    {
        if (null != client)
        {
            client.close();
        }
        if (null != bystander)
        {
            bystander.close();
        }
        if (null != target)
        {
            target.close();
        }
        try (Stream<Path> files = Files.walk(directory))
        {
            for (final Path each : files.sorted((a, b) -> b.compareTo(a)).toList())
            {
                Files.delete(each);
            }
        }
    }

    /** A message that never ends ran the assembler out of memory. */
    @Test
    void endlessMessage() throws Exception
    {
        try (ControlFrames frames = new ControlFrames("127.0.0.2", controlPort))
        {
            frames.setup(7, ControlFrames.TERM_BYTES);
            Thread.sleep(200);
            long position = 0;
            for (int i = 0; i < 20_000 * ROUNDS; i++)
            {
                final int rest = (int)(ControlFrames.TERM_BYTES - (position & ControlFrames.TERM_BYTES - 1));
                final int length = rest < 2 * FRAME_BYTES ? rest - (FRAME_BYTES - FRAGMENT_BYTES) : FRAGMENT_BYTES;
                frames.data(7, position, 0 == i ? FrameDescriptor.BEGIN_FRAG_FLAG : (byte)0, length);
                position += length + FRAME_BYTES - FRAGMENT_BYTES;
                pause(i, 32);
            }
            expectUnharmed();
        }
    }

    /** Terms of 1 GiB filled the file system of the directory. */
    @Test
    void longTerms() throws Exception
    {
        try (ControlFrames frames = new ControlFrames("127.0.0.3", controlPort))
        {
            for (int i = 0; i < 200 * ROUNDS; i++)
            {
                frames.setup(i, 1 << 30);
                pause(i, 32);
            }
            expectUnharmed();
            expectOneLine();
        }
    }

    /** Each announcement took an image and counters. */
    @Test
    void manySenders() throws Exception
    {
        for (int host = 4; host < 10; host++)
        {
            try (ControlFrames frames = new ControlFrames("127.0.0." + host, controlPort))
            {
                for (int i = 0; i < 2_000 * ROUNDS; i++)
                {
                    frames.setup(host << 24 | i, ControlFrames.TERM_BYTES);
                    pause(i, 32);
                }
            }
            expectUnharmed();
        }
    }

    private static void pause(final int index, final int every) throws InterruptedException
    {
        if (0 == index % every)
        {
            Thread.sleep(1);
        }
    }

    /** Once a minute, however much it is. Frames over UDP and commands over IPC are taken by different threads. */
    private void expectOneLine() throws IOException, InterruptedException
    {
        final long startNs = System.nanoTime();
        while (0 == dropLines() && System.nanoTime() - startNs < TimeUnit.MILLISECONDS.toNanos(LINE_MS))
        {
            Thread.sleep(10);
        }
        assertEquals(1, dropLines());
    }

    private long dropLines() throws IOException
    {
        return Files.readAllLines(target.log()).stream()
            .filter((line) -> line.contains("UDP frames dropped")).count();
    }

    private void expectUnharmed() throws IOException, InterruptedException
    {
        assertTrue(target.isAlive(), "the target has ended:\n" + Files.readString(target.log()));
        long leastMs = Long.MAX_VALUE;
        // A slow machine may take longer for some.
        for (int i = 0; i < COMMANDS_MAX && leastMs >= COMMAND_MS; i++)
        {
            final long startNs = System.nanoTime();
            client.createDevice(DeviceSpec.memory("more", 1 << 20, 4096));
            client.deleteDevice("more");
            leastMs = Math.min(leastMs, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs));
        }
        assertTrue(leastMs < COMMAND_MS, "commands over IPC took " + leastMs + " ms at best");
        bystander.expectProgress(PROGRESS_MS);
        long bytes = 0;
        try (Stream<Path> files = Files.walk(directory))
        {
            for (final Path each : files.filter(Files::isRegularFile).toList())
            {
                bytes += Files.size(each);
            }
        }
        assertTrue(bytes < DIRECTORY_MAX_BYTES, bytes + " bytes in the control directory");
    }
}
