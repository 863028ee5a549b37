package io.millrace.control.message;

import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.ArrayOperation;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.DeviceHealth;
import io.millrace.control.codec.DeviceState;
import io.millrace.control.codec.Effect;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.IoKind;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.ListenerProvider;
import io.millrace.control.codec.JournalDeviceState;
import io.millrace.control.codec.MemberState;
import io.millrace.control.codec.ReconcileMode;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.ScrubMode;
import io.millrace.control.codec.ScrubState;
import io.millrace.control.codec.State;
import io.millrace.control.codec.Transport;
import io.millrace.seed.TestSeeds;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;

/** Commands and resources of every kind with values of all ranges, made from a seed. */
public final class Samples
{
    private static final String LETTERS = "aZ9-.:/ äß€漢😀";
    private final Random random;

    /**
     * Makes samples.
     *
     * @param seed that decides all.
     */
    public Samples(final long seed)
    {
        random = TestSeeds.fixed(seed);
    }

    private String text()
    {
        final int[] points = LETTERS.codePoints().toArray();
        final StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(40); i > 0; i--)
        {
            text.appendCodePoint(points[random.nextInt(points.length)]);
        }
        return text.toString();
    }

    private int number()
    {
        return random.nextInt(Integer.MAX_VALUE);
    }

    private long big()
    {
        return random.nextLong(Long.MAX_VALUE);
    }

    private UUID uuid()
    {
        return new UUID(random.nextLong(), random.nextLong());
    }

    private ListenerProvider provider()
    {
        return random.nextBoolean() ? ListenerProvider.MILLRACE : ListenerProvider.SPDK;
    }

    private <T extends Enum<T>> T any(final T[] values)
    {
        // The last two are SBE_UNKNOWN and NULL_VAL.
        return values[random.nextInt(values.length - 2)];
    }

    private Map<String, String> properties()
    {
        final Map<String, String> properties = new TreeMap<>();
        for (int i = random.nextInt(20); i > 0; i--)
        {
            properties.put(text(), text());
        }
        return properties;
    }

    private DeviceSpec device()
    {
        return new DeviceSpec(text(), text(), properties(), uuid());
    }

    private ArrayInfo array(final ScrubInfo scrub)
    {
        final List<ArrayInfo.Member> members = random.ints(random.nextInt(65)).mapToObj((number) ->
            new ArrayInfo.Member(random.nextInt(65) - 1, "dev" + number, uuid(), any(MemberState.values()), big(),
                big(), big(), big(), big())).toList();
        return new ArrayInfo(text(), uuid(), text(), number(), big(), big(), number(), any(DeviceHealth.values()),
            text(), text(), random.nextInt(1002) - 1, big(), members, big(), big(), scrub, big(), big(), big(),
            new ArrayInfo.Writes(big(), big(), big(), big()), big(), text(), any(JournalDeviceState.values()),
            random.nextBoolean(), random.nextInt(65) - 1, random.nextBoolean());
    }

    private QosSpec qos()
    {
        return new QosSpec(text(), number(), text(), big(), big(), big(), big(), big(), big(), number());
    }

    /**
     * {@return one of each}
     */
    public List<Command> commands()
    {
        return List.of(
            new Command.CreateDevice(device(), random.nextBoolean()),
            new Command.DeleteDevice(text()),
            new Command.ResizeDevice(text(), big()),
            new Command.ModifyDevice(text(), properties()),
            new Command.CreateSubsystem(new SubsystemSpec(text(), random.nextBoolean(), text(), text())),
            new Command.DeleteSubsystem(text()),
            new Command.AddNamespace(new NamespaceSpec(text(), number(), uuid(), text(), number())),
            new Command.RemoveNamespace(text(), number()),
            new Command.AllowHost(text(), text()),
            new Command.DenyHost(text(), text()),
            new Command.SetAllowAnyHost(text(), random.nextBoolean()),
            new Command.AddListener(
                new ListenerSpec(any(Transport.values()), text(), number(), random.nextBoolean(), provider())),
            new Command.RemoveListener(any(Transport.values()), text(), number()),
            new Command.SetState(any(State.values())),
            new Command.Disconnect(text(), number()),
            new Command.RenameDevice(text(), text()),
            new Command.OperateArray(text(), any(ArrayOperation.values()), text()),
            new Command.SetAnaState(text(), any(Transport.values()), text(), number(), number(),
                any(AnaState.values())),
            new Command.SetQos(qos()),
            new Command.AssignControllerIds(number(), number()),
            new Command.List(any(Kind.values()), text(), random.nextInt(4) - 1, random.nextBoolean()),
            new Command.AddDocumentPart(big(), text()),
            new Command.ReplaceState(big(), big(), random.nextBoolean(), random.nextBoolean(), random.nextBoolean(),
                text(), text()),
            new Command.Subscribe(),
            new Command.BeginChange(text()),
            new Command.CommitChange(),
            new Command.AbandonChange(),
            new Command.Rollback(big()),
            new Command.ApplyVersion(new StatePosition(uuid(), big(), big()), random.nextBoolean(), big()),
            new Command.TakeTerm(big(), uuid(), text(), text()),
            new Command.Reconcile(any(ReconcileMode.values())));
    }

    /**
     * {@return one of each}
     */
    public List<Resource> resources()
    {
        return List.of(
            new DataPlaneInfo(uuid(), any(State.values()), big(), big(), number(), big(), big(), big(), text(),
                text(), text()),
            new ReactorInfo(number(), -1, big(), big(), big(), big(), number(), number(), big(), big(), number(),
                big(), big(), big(), text()),
            new DeviceInfo(device(), big(), number(), number(),
                random.ints(random.nextInt(65)).mapToObj((number) -> "dev" + number).toList(),
                any(DeviceState.values()), any(DeviceHealth.values()), text(),
                text(), random.nextInt(1002) - 1),
            new CounterInfo(text(), text(), text(), text(), big()),
            new DeviceErrorInfo(text(), text(), text(), text(), number(), big(), big(), big(), big(), big()),
            array(null),
            array(new ScrubInfo(any(ScrubMode.values()), any(ScrubState.values()), big(), big(), big(), big(), big(),
                big(), big(), big(), big(), random.longs(random.nextInt(17), 0, 1L << 53).boxed().toList())),
            new PlanStepInfo(any(Effect.values()), random.nextBoolean(), text()),
            new SubsystemInfo(text(), random.nextBoolean(), number(), number(), text(), text()),
            new NamespaceInfo(text(), number(), uuid(), big(), number(), big(), big(), big(), big(), big(), big(),
                text(), number()),
            new QueuePairInfo(text(), text(), number(), number(), number(), number(), number(), text(),
                "rdma://192.0.2.7:4420", random.nextBoolean() ? "rxe0" : "", number(), number()),
            new QosInfo(qos(), big(), big(), big(), big()),
            new HostInfo(text(), text()),
            new ListenerInfo(any(Transport.values()), text(), number(), random.nextBoolean(), random.nextBoolean(),
                provider()),
            new ControllerInfo(text(), number(), text(), number(), number(), text()),
            new VersionInfo(big(), big(), number(), number(), number(), number(), number(), text(), text(), text()),
            new AuditInfo(big(), big(), big(), any(Role.values()), any(Code.values()), text(), text(), text(), text()),
            new AnaInfo(text(), any(Transport.values()), text(), number(), number(), any(AnaState.values()), big(),
                number()),
            new LatencyInfo(text(), number(), any(IoKind.values()), big(), big(), big(), big(), big(),
                random.ints(random.nextInt(129)).mapToObj(_ -> new LatencyBucket(big(), big(), big())).toList()),
            new ManagedInfo(text(), random.nextBoolean(), any(Health.values()), big(), big(), big(), big(), number(),
                text(), text(), text()),
            new LeadershipInfo(big(), uuid(), big(), new StatePosition(uuid(), big(), big()), big(), big(), text(),
                text()),
            new DriftInfo(random.nextBoolean(), random.nextBoolean(), text(), text(), text()));
    }
}
