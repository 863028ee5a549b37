package io.millrace.control.state;

import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.SubsystemSpec;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.UUID;

/** Random commands over few names, so that they meet often. */
public final class RandomStates
{
    private static final int BLOCK = 4096;
    private static final List<String> NQNS = List.of("nqn.2026-11.io.millrace:a", "nqn.2026-11.io.millrace:b",
        "nqn.2026-11.io.millrace:\u00fc", "nqn.2014-08.org.nvmexpress:uuid:7a2b8c1e-0000-4000-8000-00000000000a");
    private static final List<String> HOSTS = List.of("nqn.2026-11.io.host:x", "nqn.2026-11.io.host:y",
        "nqn.2014-08.org.nvmexpress:uuid:11111111-2222-3333-4444-555555555555");
    private static final List<String> WRONG_NQNS = List.of("", "nqn", "nqn.2014-08.org.nvmexpress.discovery",
        "nqn.2026-13.io.millrace:a", "nqn.2014-08.org.nvmexpress:uuid:1");
    private static final UUID NO_UUID = new UUID(0, 0);

    private static final List<String> ODD_NQNS = List.of("nqn.2026-11.io.millrace:\u2028 a", "nqn.2026-11.io.a:'\"\\",
        "nqn.2026-11.io.a:\ud83d\ude00", "nqn.2026-11.io.a:\u0085\ufeff", "nqn.2026-11.io.a:}: #",
        "nqn.2026-11.io.a");

    private final Random random;
    private final List<String> paths;
    private final List<Integer> ports;
    private final boolean isAloof;
    private final boolean mayBeWrong;

    /**
     * @param paths          of files, which may be there; always given the size that they have.
     * @param ports          to listen on.
     * @param isAloof        what no data plane is asked for: names that hardly are any, preallocation that changes,
     *                       arrays of devices that are too small.
     * @param mayBeWrong     values out of bounds, too.
     */
    public RandomStates(
        final Random random,
        final List<String> paths,
        final List<Integer> ports,
        final boolean isAloof,
        final boolean mayBeWrong)
    {
        this.isAloof = isAloof;
        this.random = random;
        this.paths = paths;
        this.ports = ports;
        this.mayBeWrong = mayBeWrong;
    }

    /** A state that so many random commands led to. */
    public DesiredState state(final int commands)
    {
        final StateEditor editor = DesiredState.EMPTY.edit();
        for (int i = 0; i < commands; i++)
        {
            try
            {
                editor.apply(creation());
            }
            catch (final ControlException _)
            {
                // Another one then.
            }
        }
        return editor.state();
    }

    public Command command()
    {
        return switch (random.nextInt(23))
        {
            case 9 -> new Command.SetQos(0 == random.nextInt(2) ?
                QosSpec.noneOfNamespace(nqn(), 1 + random.nextInt(3)) : QosSpec.noneOfHost(nqn(), host()));
            case 0 -> new Command.DeleteDevice(device());
            case 10 -> new Command.ModifyDevice(device(), Map.of("rules", rules()));
            case 1 -> new Command.ResizeDevice(memoryDevice(), size());
            case 2 -> new Command.DeleteSubsystem(nqn());
            case 3, 4, 5 -> new Command.RemoveNamespace(nqn(), nsid());
            case 6 -> new Command.DenyHost(nqn(), host());
            case 7 -> new Command.SetAllowAnyHost(nqn(), random.nextBoolean());
            case 8 -> new Command.RemoveListener(Transport.TCP, address(), port());
            default -> creation();
        };
    }

    public Command creation()
    {
        return switch (random.nextInt(14))
        {
            case 10, 11 -> anaState();
            case 12, 13 -> new Command.SetQos(limits());
            case 0, 1, 2 -> new Command.CreateDevice(deviceSpec());
            case 3 -> new Command.CreateSubsystem(new SubsystemSpec(nqn(), random.nextBoolean(),
                one(List.of("", "", "SER1")), one(List.of("", "", "Other model", "x".repeat(wrong() ? 41 : 40)))));
            case 4, 5, 6, 7 -> new Command.AddNamespace(
                new NamespaceSpec(nqn(), nsid(), 0 == random.nextInt(4) ? uuid() : NO_UUID, device(),
                    wrong() ? 129 : one(List.of(1, 1, 2, 128))));
            case 8 -> new Command.AllowHost(nqn(), host());
            default -> new Command.AddListener(
                new ListenerSpec(Transport.TCP, address(), port(), 0 == random.nextInt(3)));
        };
    }

    /** Of ANA states alone: data planes of tests have no RDMA device to listen on. */
    private Transport transport()
    {
        return one(List.of(Transport.TCP, Transport.TCP, Transport.RDMA));
    }

    private Command anaState()
    {
        final boolean isAll = 0 == random.nextInt(4);
        return new Command.SetAnaState(nqn(), isAll ? Transport.TCP : transport(), isAll ? "" : address(),
            isAll ? 0 : wrong() ? 0 : port(),
            wrong() ? one(List.of(-1, 129)) : one(List.of(0, 1, 2, 3, 128)), one(List.of(AnaState.OPTIMIZED,
            AnaState.NON_OPTIMIZED, AnaState.INACCESSIBLE, AnaState.PERSISTENT_LOSS, AnaState.CHANGE)));
    }

    private QosSpec limits()
    {
        final boolean isHost = 0 == random.nextInt(3);
        final List<Long> rates = List.of(0L, 0L, 1L, 20_000L, wrong() ? -1L : 1_000_000_000L);
        final List<Long> bytes = List.of(0L, 0L, 4096L, 5000L, wrong() ? 1L : 1L << 37);
        return new QosSpec(nqn(), isHost && !wrong() ? 0 : nsid(), isHost ? host() : "", one(rates), one(rates),
            one(rates), one(bytes), one(bytes), one(bytes), wrong() ? 1 : one(List.of(0, 2, 10, 500, 10_000)));
    }

    private DeviceSpec deviceSpec()
    {
        final int blockSize = wrong() ? 1000 : one(List.of(0, 512, 4096, 4096));
        final int number = random.nextInt(4);
        return switch (random.nextInt(isAloof ? 7 : 6))
        {
            case 6 -> new DeviceSpec("array" + number, "raid", Map.of("level", one(List.of("0", "1", "10")),
                "members", device() + ' ' + device())).with("spares", one(List.of("", "", device())))
                .with("strip-size", one(List.of("", "4KiB", "1MiB")))
                .with("wipe-signatures", Boolean.toString(random.nextBoolean()));
            case 0 -> DeviceSpec.discard("vol" + number, size(), blockSize);
            case 1 -> DeviceSpec.fault("vol" + number, device(), random.nextInt(2))
                .with("rules", rules());
            case 2 -> DeviceSpec.file("file" + number,
                wrong() ? "here" : paths.get(random.nextInt(paths.size())), 8 * BLOCK)
                .with("block-size", 0 == blockSize ? "" : Integer.toString(blockSize))
                .with("queue-depth", wrong() ? "5000" : one(List.of("", "16")))
                .with("preallocate", Boolean.toString(isAloof && random.nextBoolean()))
                .with("polling", one(List.of("", "auto", "off")))
                // A data plane refuses one so small.
                .with("shared-spare", isAloof ? one(List.of("", "", "true")) : "");
            default -> DeviceSpec.memory(
                wrong() ? one(List.of(" ", "a\u200bb", "a".repeat(256))) : "vol" + number, size(), blockSize);
        };
    }

    /** Of writes to blocks behind any device, so that nothing that a test does meets them. */
    private String rules()
    {
        return random.ints(random.nextInt(3)).mapToObj((_) ->
        {
            final String effect = one(List.of("error", "delay", "torn-write", "lost-write", "hang", "power-loss"));
            return "effect=" + effect + one(List.of("", ",operations=read", ",operations=copy+write")) +
                ",first-block=" + one(List.of(1L << 40, Long.MAX_VALUE)) +
                one(List.of("", ",last-block=" + Long.MAX_VALUE)) +
                ",probability=" + (wrong() ? one(List.of("0", "1.5")) :
                    one(List.of("1", "0.5", "1.0E-5", "4.9E-324"))) +
                ",count=" + (wrong() ? -1 : one(List.of(0L, 9L, Long.MAX_VALUE))) +
                ("delay".equals(effect) ? ",delay=" + one(List.of("1ms", "5000001ns", "3600s")) :
                    wrong() ? ",delay=1s" : "") +
                (wrong() ? ",status=worse" : one(List.of("", ",status=media-error", ",status=aborted"))) +
                ",every=" + (wrong() ? -1 : one(List.of(1, 7, Integer.MAX_VALUE)));
        }).collect(Collectors.joining(" "));
    }

    private long size()
    {
        return wrong() ? one(List.of(0L, -4096L, 5L, 4097L)) : (1L + random.nextInt(4)) * 16 * BLOCK;
    }

    private String device()
    {
        return 0 == random.nextInt(4) ? "file" + random.nextInt(4) : memoryDevice();
    }

    private String memoryDevice()
    {
        return "vol" + random.nextInt(4);
    }

    private String nqn()
    {
        return one(wrong() ? WRONG_NQNS : isAloof && 0 == random.nextInt(3) ? ODD_NQNS : NQNS);
    }

    private String host()
    {
        return one(wrong() ? WRONG_NQNS : HOSTS);
    }

    private int nsid()
    {
        return wrong() ? one(List.of(0, -1, 16_385)) : 1 + random.nextInt(3);
    }

    private UUID uuid()
    {
        return new UUID(7, 1 + random.nextInt(2));
    }

    private String address()
    {
        return wrong() ? "localhost" : one(List.of("127.0.0.1", "127.0.0.2", "0.0.0.0", "::1",
            "0:0:0:0:0:0:0:1", "::ffff:127.0.0.3"));
    }

    private int port()
    {
        return wrong() ? 65_536 : one(ports);
    }

    private boolean wrong()
    {
        return mayBeWrong && 0 == random.nextInt(10);
    }

    private <T> T one(final List<T> values)
    {
        return values.get(random.nextInt(values.size()));
    }
}
