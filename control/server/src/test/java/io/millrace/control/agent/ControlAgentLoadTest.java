package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.seed.TestSeeds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many commands, clients that send garbage or read nothing, and the time of a round trip. */
class ControlAgentLoadTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final long MIB = 1L << 20;
    private static final int MANY = 10_000;

    @TempDir
    private Path directory;

    @Test
    void shouldFreeDevicesBeforeTheyAreUsedOtherwiseWhenPipelined()
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            final ControlClient client = fixture.connect(fixture.context());
            client.createSubsystem(new SubsystemSpec(NQN, true));
            final List<Call> calls = new ArrayList<>();
            for (int i = 0; i < 200; i++)
            {
                final String name = "null" + i;
                calls.add(client.submit(new Command.CreateDevice(DeviceSpec.discard(name, MIB, 4096))));
                calls.add(client.submit(new Command.AddNamespace(new NamespaceSpec(NQN, 1, name))));
                calls.add(client.submit(new Command.RemoveNamespace(NQN, 1)));
                calls.add(client.submit(new Command.AddNamespace(new NamespaceSpec(NQN, 1, name))));
                calls.add(client.submit(new Command.RemoveNamespace(NQN, 1)));
                calls.add(client.submit(new Command.CreateDevice(DeviceSpec.fault("bad", name, 7))));
                calls.add(client.submit(new Command.DeleteDevice("bad")));
                calls.add(client.submit(new Command.DeleteDevice(name)));
            }
            client.await(calls);
            calls.forEach((call) -> assertEquals(Code.OK, call.code(), () -> call.command() + ": " + call.text()));
            assertEquals(List.of(), client.devices(""));
        }
    }

    @Test
    void shouldGoOnWhenGarbageComes()
    {
        final long seed = TestSeeds.seed();
        final Random random = TestSeeds.random();
        try (AgentFixture fixture = AgentFixture.ipc(directory);
            Aeron aeron = Aeron.connect(new Aeron.Context()
                .aeronDirectoryName(fixture.settings().directory().toString()));
            ExclusivePublication publication = aeron.addExclusivePublication("aeron:ipc", 4420))
        {
            final ControlClient client = fixture.connect(fixture.context());
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[512]);
            final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            for (int sent = 0; sent < 5_000; )
            {
                random.nextBytes(buffer.byteArray());
                if (0 != (sent & 1))
                {
                    // Block length, template, schema, version of this schema; the rest stays random.
                    buffer.putShort(0, (short)random.nextInt(80));
                    buffer.putShort(2, (short)random.nextInt(140));
                    buffer.putShort(4, (short)4420);
                    buffer.putShort(6, (short)1);
                }
                if (publication.offer(buffer, 0, random.nextInt(buffer.capacity())) > 0)
                {
                    sent++;
                }
                assertTrue(System.nanoTime() - deadlineNs < 0, "seed " + seed);
            }
            AgentFixture.until(client, () -> fixture.agent().droppedCount() >= 4_900);
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            assertEquals(1, client.devices("").size(), "seed " + seed);
            assertEquals(List.of(), fixture.errors(), "seed " + seed);
        }
    }

    @Test
    void shouldApplyAndListTenThousandNamespacesWhenPipelined()
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            final ControlClient client = fixture.connect(fixture.context());
            client.createSubsystem(new SubsystemSpec(NQN, true));
            final long beginNs = System.nanoTime();
            final List<Call> calls = new ArrayList<>(2 * MANY);
            for (int i = 1; i <= MANY; i++)
            {
                calls.add(client.submit(new Command.CreateDevice(DeviceSpec.discard("null" + i, MIB, 4096))));
                calls.add(client.submit(new Command.AddNamespace(new NamespaceSpec(NQN, i, "null" + i))));
            }
            client.await(calls);
            final long appliedNs = System.nanoTime();
            for (final Call call : calls)
            {
                assertEquals(Code.OK, call.code());
            }
            final List<NamespaceInfo> listed = client.namespaces(NQN);
            final long listedNs = System.nanoTime();
            assertEquals(MANY, listed.size());
            assertEquals(MANY, listed.getLast().nsid());
            System.out.printf("%d namespaces with their devices: applied in %.2f s, listed in %.0f ms%n", MANY,
                (appliedNs - beginNs) / 1e9, (listedNs - appliedNs) / 1e6);
            assertTrue(appliedNs - beginNs < TimeUnit.SECONDS.toNanos(30));
        }
    }

    @Test
    void shouldAnswerSoonWhenAskedOneAfterTheOther()
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            measureRoundTrips("backing off", fixture.connect(fixture.context()));
        }
    }

    @Test
    void shouldAnswerSoonWhenBothSidesSpin()
    {
        try (AgentFixture fixture = AgentFixture.spinning(directory))
        {
            measureRoundTrips("spinning",
                fixture.connect(fixture.context().idleStrategy(BusySpinIdleStrategy.INSTANCE)));
        }
    }

    private static void measureRoundTrips(final String idle, final ControlClient client)
    {
        final long[] roundTripsNs = new long[20_000];
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        int count = 0;
        while (count < roundTripsNs.length && (count < 200 || System.nanoTime() - deadlineNs < 0))
        {
            final long beginNs = System.nanoTime();
            client.listeners();
            roundTripsNs[count++] = System.nanoTime() - beginNs;
        }
        // The first ones are interpreted.
        Arrays.sort(roundTripsNs, count / 2, count);
        System.out.printf("%d round trips over IPC, %s: median %.1f us, 99th percentile %.1f us%n", count, idle,
            roundTripsNs[count * 3 / 4] / 1e3, roundTripsNs[count * 199 / 200] / 1e3);
        assertTrue(roundTripsNs[count * 3 / 4] < TimeUnit.MILLISECONDS.toNanos(50));
    }

    @Test
    void shouldServeOthersWhenOneClientReadsNothing()
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            final ControlClient slow = fixture.connect(fixture.context().livenessTimeoutNs(
                TimeUnit.SECONDS.toNanos(60)));
            final ControlClient client = fixture.connect(fixture.context());
            client.createSubsystem(new SubsystemSpec(NQN, true));
            for (int i = 1; i <= 2_000; i++)
            {
                client.submit(new Command.CreateDevice(DeviceSpec.discard("null" + i, MIB, 4096)));
            }
            for (int i = 0; i < 20; i++)
            {
                slow.submit(new Command.List(Kind.DEVICE, ""));
            }
            // Its commands leave with one poll; then it reads nothing.
            slow.poll();
            assertEquals(2_000, client.devices("").size());
            assertEquals(2, fixture.agent().sessionCount());
            AgentFixture.until(client, () -> 1 == fixture.agent().sessionCount());
            assertEquals(2_000, client.devices("").size());
            assertTrue(client.isConnected());
            AgentFixture.until(slow, () -> !slow.isConnected());
        }
    }
}
