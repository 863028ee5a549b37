package io.millrace.bench;

import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Control commands at a fixed rate, to measure their effect on the data path: a null device is created, served as a
 * namespace of a subsystem that no host uses, removed and deleted, repeatedly. {@code perf/compare/control} runs it.
 * One thread.
 */
public final class ControlLoad
{
    private static final String NQN = "nqn.2026-11.io.millrace:control-load";
    private static final int BLOCK_BYTES = 4096;
    private static final long DEVICE_BYTES = 1L << 30;
    private static final long ROUND_TRIP_NS_MAX = TimeUnit.SECONDS.toNanos(60);
    private static final int NAMESPACES = 64;
    private static final int REFUSALS_PRINTED = 10;

    private final ControlClient client;
    private final Histogram roundTrips = new Histogram(ROUND_TRIP_NS_MAX, 3);
    private long sent;
    private long answered;
    private long refused;

    private ControlLoad(final ControlClient client)
    {
        this.client = client;
    }

    /**
     * Runs it.
     *
     * @param args directory of the data plane or manager, name of the data plane, commands a second, seconds.
     */
    public static void main(final String[] args)
    {
        if (4 != args.length)
        {
            System.err.println("usage: ControlLoad DIRECTORY DATA-PLANE COMMANDS-A-SECOND SECONDS");
            System.exit(2);
        }
        final ControlClientContext ctx = new ControlClientContext()
            .aeronDirectoryName(args[0])
            .dataPlaneName(args[1])
            .clientName("control-load")
            .role(Role.ADMIN);
        try (ControlClient client = ControlClient.connect(ctx))
        {
            new ControlLoad(client).run(Integer.parseInt(args[2]), Integer.parseInt(args[3]));
        }
    }

    private void run(final int commandsASecond, final int seconds)
    {
        client.execute(new Command.CreateSubsystem(new SubsystemSpec(NQN, false, "", "")));
        final long intervalNs = TimeUnit.SECONDS.toNanos(1) / commandsASecond;
        final long startNs = System.nanoTime();
        final long endNs = startNs + TimeUnit.SECONDS.toNanos(seconds);
        // Whole rounds of four, so that no resources are left.
        for (long dueNs = startNs; dueNs - endNs < 0 || 0 != sent % 4; dueNs += intervalNs)
        {
            while (System.nanoTime() - dueNs < 0)
            {
                client.poll();
                LockSupport.parkNanos(Math.min(intervalNs, 200_000));
            }
            submit(next());
        }
        while (answered < sent)
        {
            client.poll();
        }
        client.execute(new Command.DeleteSubsystem(NQN)).orThrow();
        System.out.printf("%d commands, %d refused, %.0f a second, round trip p50 %.0f us, p99 %.0f us%n",
            answered, refused, answered * 1e9 / (System.nanoTime() - startNs),
            roundTrips.getValueAtPercentile(50) / 1e3, roundTrips.getValueAtPercentile(99) / 1e3);
    }

    private Command next()
    {
        final int round = (int)(sent / 4);
        final int nsid = 1 + round % NAMESPACES;
        final String device = "load" + nsid;
        return switch ((int)(sent % 4))
        {
            case 0 -> new Command.CreateDevice(DeviceSpec.discard(device, DEVICE_BYTES, BLOCK_BYTES));
            case 1 -> new Command.AddNamespace(new NamespaceSpec(NQN, nsid, new UUID(0, 0), device));
            case 2 -> new Command.RemoveNamespace(NQN, nsid);
            default -> new Command.DeleteDevice(device);
        };
    }

    private void submit(final Command command)
    {
        final long beganNs = System.nanoTime();
        sent++;
        client.submit(command).onDone((call) -> onDone(call, beganNs));
    }

    private void onDone(final Call call, final long beganNs)
    {
        answered++;
        roundTrips.recordValue(Math.min(ROUND_TRIP_NS_MAX, System.nanoTime() - beganNs));
        if (Code.OK != call.code())
        {
            refused++;
            if (refused <= REFUSALS_PRINTED)
            {
                System.err.println("refused: " + call.command() + ": " + call.text());
            }
        }
    }
}
