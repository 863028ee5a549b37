package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.FreePorts;
import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.ReconcileMode;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.RandomStates;
import io.millrace.control.state.StateEditor;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A manager against a model of what should be, while its data plane goes and comes and others meddle. */
class ManagerStateTest
{
    private static final int ROUNDS = 60;

    @TempDir
    private Path directory;

    private static void meddle(final TestPlane plane, final Random random, final RandomStates states)
    {
        try (ControlClient beside = ControlClient.connect(plane.directContext()))
        {
            for (int i = random.nextInt(5); i >= 0; i--)
            {
                beside.await(beside.submit(random.nextBoolean() ? states.command() :
                    new Command.CreateDevice(DeviceSpec.memory("foreign" + random.nextInt(3), 1 << 20, 4096))));
            }
        }
    }

    @Test
    void shouldBeWhatWasAnsweredWhateverHappensMeanwhile() throws IOException
    {
        final long seed = TestSeeds.seed();
        final Random random = TestSeeds.random();
        // Volumes of files are left out: one that somebody grew stays as large.
        final RandomStates states = new RandomStates(random,
            List.of(directory.resolve("f0").toString(), directory.resolve("f1").toString()),
            List.of(FreePorts.tcp(), FreePorts.tcp()), false, true);
        final StateEditor model = DesiredState.EMPTY.edit();
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            for (int round = 0; round < ROUNDS; round++)
            {
                final List<Call> calls = new ArrayList<>();
                for (int i = random.nextInt(10); i >= 0; i--)
                {
                    calls.add(client.submit(states.command()));
                }
                client.await(calls);
                for (final Call call : calls)
                {
                    apply(model, call, "seed " + seed + ", round " + round);
                }
                switch (random.nextInt(8))
                {
                    case 0 -> plane.restart();
                    case 1 -> meddle(plane, random, states);
                    case 2 ->
                    {
                        fixture.stop();
                        fixture.start();
                        client = fixture.connect();
                    }
                    default ->
                    {
                    }
                }
            }
            final ControlClient last = client;
            final DesiredState expected = model.state();
            final long deadlineNs = System.nanoTime() + ManagerFixture.WAIT_NS;
            assertEquals(expected.devices().size(), client.manager().versions("").getLast().devices(), "seed " + seed);
            while (!isSo(client, expected))
            {
                // What others put there is not taken away by itself.
                reconcile(client);
                assertTrue(System.nanoTime() - deadlineNs < 0, () -> "seed " + seed + ": " +
                    last.manager().managed(""));
            }
        }
    }

    private static void reconcile(final ControlClient client)
    {
        try
        {
            client.manager().reconcile(ReconcileMode.ALLOW_DESTROY);
        }
        catch (final ControlException _)
        {
            // The data plane was started again at last, and is not there yet.
        }
    }

    private static boolean isSo(final ControlClient client, final DesiredState expected)
    {
        try
        {
            return expected.equals(ManagerFixture.actual(client));
        }
        catch (final ControlException _)
        {
            // The data plane was started again at last, and is not there yet.
            return false;
        }
    }

    private static void apply(final StateEditor model, final Call call, final String hint)
    {
        if (Code.OK != call.code())
        {
            return;
        }
        try
        {
            model.apply(call.command());
        }
        catch (final ControlException e)
        {
            throw new AssertionError(hint + ": answered OK, and cannot be: " + call.command(), e);
        }
    }
}
