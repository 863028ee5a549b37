package io.millrace.control.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.FreePorts;
import io.millrace.control.agent.AgentFixture;
import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.Resource;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.agrona.CloseHelper;

/** States, plans and a real data plane agree on what can be done and on where it leads. */
class StatePlanPropertyTest
{
    private static Path directory;
    private static AgentFixture fixture;
    private static ControlClient client;
    private static List<String> paths;
    private static List<Integer> ports;

    @BeforeContainer
    static void start() throws IOException
    {
        directory = Files.createTempDirectory("millrace-plan");
        fixture = AgentFixture.ipc(directory);
        client = fixture.connect(fixture.context());
        paths = List.of(directory + "/one.img", directory + "/two.img");
        ports = List.of(FreePorts.tcp(), FreePorts.tcp());
    }

    @AfterContainer
    static void stop() throws IOException
    {
        CloseHelper.close(fixture);
        try (Stream<Path> files = Files.walk(directory))
        {
            files.sorted(Comparator.reverseOrder()).forEach((each) -> assertTrue(each.toFile().delete()));
        }
    }

    private static DesiredState actual()
    {
        final List<Resource> resources = new ArrayList<>(client.devices(""));
        resources.addAll(client.namespaces(""));
        resources.addAll(client.hosts(""));
        resources.addAll(client.subsystems(""));
        resources.addAll(client.listeners());
        resources.addAll(client.qos(""));
        resources.addAll(client.anaStates(""));
        return DesiredState.of(resources).withoutIncarnations();
    }

    private static void carryOut(final StatePlan plan)
    {
        for (final List<StateStep> stage : plan.stages())
        {
            final List<Call> calls = stage.stream().map((step) -> client.submit(step.command())).toList();
            client.await(calls);
            for (final Call call : calls)
            {
                assertEquals(Code.OK, call.code(), () -> call.text() + " in\n" + describe(plan));
            }
        }
    }

    private static String describe(final StatePlan plan)
    {
        final StringBuilder text = new StringBuilder();
        for (final List<StateStep> stage : plan.stages())
        {
            stage.forEach((step) -> text.append(step.mark()).append(' ').append(step.sentence()).append('\n'));
            text.append("--\n");
        }
        return text.toString();
    }

    @Property(tries = 150)
    void shouldLeadToTheDesiredState(@ForAll final long seed)
    {
        final DesiredState desired = new RandomStates(TestSeeds.fixed(seed), paths, ports, false, false).state(60);
        final StatePlan plan = StatePlan.between(actual(), desired);
        carryOut(plan);
        assertEquals(desired, actual(), () -> describe(plan));
        assertTrue(StatePlan.between(actual(), desired).isEmpty());
        assertEquals(desired, StateDocument.read("test.yaml", StateDocument.write(actual())).state());
    }

    @Property(tries = 40)
    void shouldAnswerAsADataPlaneDoes(@ForAll final long seed)
    {
        final RandomStates states = new RandomStates(TestSeeds.fixed(seed), paths, ports, false, true);
        final StateEditor editor = actual().edit();
        for (int i = 0; i < 60; i++)
        {
            final Command command = states.command();
            final Call answered = client.await(client.submit(command));
            Code expected = Code.OK;
            String text = "";
            try
            {
                editor.apply(command);
            }
            catch (final ControlException e)
            {
                expected = e.code();
                text = e.getMessage();
            }
            final String told = text;
            assertEquals(answered.code(), expected, () -> command + ": " + answered.text() + " | " + told);
        }
        assertEquals(actual(), editor.state());
    }

    /** Devices that can stay are those that were there, others are new ones; nothing else is replaced for it. */
    @Property(tries = 200)
    void shouldLeadToTheIncarnationsOfTheDesiredState(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final RandomStates states = new RandomStates(random, paths, ports, false, false);
        final DesiredState from = states.state(random.nextInt(150))
            .withIncarnations((_) -> new UUID(random.nextLong(), 1));
        final DesiredState to = states.state(random.nextInt(150))
            .following(from, (_) -> new UUID(random.nextLong(), 2));
        final StateEditor editor = from.edit();
        final StatePlan plan = StatePlan.between(from, to);
        plan.steps().forEach((step) -> editor.apply(step.command()));
        assertEquals(to, editor.state(), () -> describe(plan));
        assertEquals(plan.steps().stream().map(StateStep::sentence).toList(), StatePlan.between(
            from.withoutIncarnations(), to.withoutIncarnations()).steps().stream().map(StateStep::sentence).toList());
        // What was deleted meanwhile is replaced, whatever its size.
        final DesiredState renewed = from.withIncarnations((_) -> new UUID(random.nextLong(), 3));
        final StateEditor again = from.edit();
        StatePlan.between(from, renewed).steps().forEach((step) -> again.apply(step.command()));
        assertEquals(renewed, again.state());
    }

    @Property(tries = 200)
    void shouldAcceptEachStepInMemory(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final RandomStates states = new RandomStates(random, paths, ports, false, false);
        final DesiredState from = states.state(random.nextInt(150));
        final DesiredState to = states.state(random.nextInt(150));
        final StateEditor editor = from.edit();
        final StatePlan plan = StatePlan.between(from, to);
        plan.steps().forEach((step) -> editor.apply(step.command()));
        assertEquals(to, editor.state(), () -> describe(plan));
        assertTrue(StatePlan.between(to, to).isEmpty());
        final DesiredState both = to.including(from);
        assertEquals(to, to.including(to));
        assertTrue(StatePlan.between(both, to).steps().stream()
            .allMatch((step) -> StateStep.Effect.REMOVE == step.effect() ||
                step.command() instanceof Command.SetAnaState), () -> describe(StatePlan.between(both, to)));
    }
}
