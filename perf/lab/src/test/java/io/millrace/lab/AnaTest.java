package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.DataPlane;
import io.millrace.nvme.AnaState;
import io.millrace.nvmf.ana.AnaSnapshot;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.serve.config.ConfigReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The kernel's native multipath over two listeners of a running target in this JVM, whose ANA states change under a
 * load that verifies itself.
 */
@LabTest
final class AnaTest
{
    private static final int SECONDS = 20;
    private static final String CONFIG = """
        reactors: [{name: r0}, {name: r1}]
        devices:
          - {name: first, type: memory, size: 16MiB, block-size: 4096}
          - {name: second, type: memory, size: 8MiB, block-size: 4096}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:lab
            allow-any-host: true
            namespaces: [{nsid: 1, device: first}, {nsid: 2, device: second, ana-group: 128}]
        listeners:
          - {transport: tcp, address: 127.0.0.1, port: 0}
          - {transport: tcp, address: 127.0.0.1, port: 0}
        discovery: false
        limits: {ana-transition-time: 5s}
        """;
    private static final Pattern GROUP =
        Pattern.compile("\"grpid\":(\\d+),\"nnsids\":(\\d+),\"chgcnt\":(\\d+),\"state\":\"([a-z-]+)\"");

    private DataPlane dataPlane;

    private void set(final TransportAddress listener, final int group, final AnaState state) throws Exception
    {
        dataPlane.anaStates().set(TargetProcess.NQN, listener, group, state).get(SECONDS, TimeUnit.SECONDS);
    }

    private static String word(final AnaState state)
    {
        return state.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The groups that were set for a listener: id, namespaces, state. */
    private List<String> set(final TransportAddress listener)
    {
        return dataPlane.anaStates().list(TargetProcess.NQN).stream()
            .filter((each) -> null != each.listener() && each.namespaces() > 0 &&
                String.valueOf(listener.port()).equals(each.listener().serviceId()))
            .map(AnaTest::describe).toList();
    }

    private static String describe(final AnaSnapshot snapshot)
    {
        return snapshot.group() + " " + snapshot.namespaces() + " " + word(snapshot.state());
    }

    /** What nvme-cli said of a listener's path when it was asked for the n-th time. */
    private static String log(final LabResult result, final TransportAddress listener, final int index)
    {
        return result.lines("LOG").stream()
            .filter((line) -> line.startsWith(listener.port() + " ")).toList().get(index);
    }

    /** The same groups as nvme-cli reads them from the log page. */
    private static List<String> read(final LabResult result, final TransportAddress listener, final int index)
    {
        final Matcher matcher = GROUP.matcher(log(result, listener, index));
        final List<String> groups = new ArrayList<>();
        while (matcher.find())
        {
            groups.add(matcher.group(1) + " " + matcher.group(2) + " " + matcher.group(4));
        }
        return groups;
    }

    @Test
    void shouldMoveVerifiedIoFromPathToPath() throws Exception
    {
        try (DataPlane running = DataPlane.start(ConfigReader.read("lab.yaml", CONFIG).config()))
        {
            dataPlane = running;
            final TransportAddress first = running.addresses().get(0);
            final TransportAddress second = running.addresses().get(1);
            set(second, 1, AnaState.INACCESSIBLE);
            set(first, 128, AnaState.INACCESSIBLE);
            set(second, 128, AnaState.NON_OPTIMIZED);
            final List<List<String>> begin = List.of(set(first), set(second));
            final LabResult result;
            try (LabMachine machine =
                Lab.named("ana").start(480, "ana.sh", first.port(), second.port(), TargetProcess.NQN))
            {
                machine.awaitLine("connected");
                change(machine, first, second);
                result = machine.await();
            }
            result.assertPassed();
            assertEquals(List.of(), result.lines("WARNING"), result::description);
            assertEquals(begin, List.of(read(result, first, 0), read(result, second, 0)), result::description);
            assertEquals(List.of("1 1 optimized", "128 1 inaccessible"), set(first));
            assertEquals(
                List.of(set(first), set(second)), List.of(read(result, first, 1), read(result, second, 1)),
                result::description);
            assertTrue(result.output().contains("live optimized"), result::description);
            // The page counts since the controller began, which had missed one change.
            final long changes = running.anaStates().list(TargetProcess.NQN).stream()
                .filter((each) -> 1 == each.group() && null != each.listener() &&
                    String.valueOf(second.port()).equals(each.listener().serviceId()))
                .mapToLong(AnaSnapshot::changes).sum();
            assertTrue(changes > 8, changes + " changes");
            assertTrue(log(result, second, 1).contains("\"chgcnt\":" + (changes - 1) + ",\"ngrps\":2"),
                result::description);
        }
    }

    private void change(final LabMachine machine, final TransportAddress first, final TransportAddress second)
        throws Exception
    {
        for (int round = 1; round <= 5; round++)
        {
            machine.awaitLine("round " + round);
            final TransportAddress from = 1 == round % 2 ? first : second;
            final TransportAddress to = 1 == round % 2 ? second : first;
            // With both accessible for a moment, and with none.
            final boolean isOpenFirst = round > 2;
            set(isOpenFirst ? to : from, 1, isOpenFirst ? AnaState.OPTIMIZED : AnaState.INACCESSIBLE);
            set(isOpenFirst ? from : to, 1, isOpenFirst ? AnaState.INACCESSIBLE : AnaState.OPTIMIZED);
        }
        machine.awaitLine("round 6");
        set(null, 1, AnaState.INACCESSIBLE);
        machine.awaitLine("I/O waits");
        set(first, 1, AnaState.NON_OPTIMIZED);
        machine.awaitLine("I/O goes on");
        set(second, 1, AnaState.OPTIMIZED);
        machine.awaitLine("the optimized path is preferred");
        set(second, 1, AnaState.CHANGE);
        machine.awaitLine("the transition has ended");
        set(second, 1, AnaState.OPTIMIZED);
        set(first, 1, AnaState.PERSISTENT_LOSS);
        machine.awaitLine("access is lost");
        set(first, 1, AnaState.OPTIMIZED);
        machine.awaitLine("access is back with another controller");
    }
}
