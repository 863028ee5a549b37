package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.FreePorts;
import io.millrace.control.client.ControlClient;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.Resource;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.RandomStates;
import io.millrace.control.state.StateDocument;
import io.millrace.control.state.StatePlan;
import io.millrace.dataplane.DataPlane;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.seed.TestSeeds;
import io.millrace.serve.config.ConfigReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a data plane has, written down, is what another one serves that is started with it. */
class StateRoundTripTest
{
    private static final int ROUNDS = 25;

    @TempDir
    private Path directory;

    private static DesiredState stateOf(final ControlClient client)
    {
        final List<Resource> all = new ArrayList<>();
        all.addAll(client.devices(""));
        all.addAll(client.subsystems(""));
        all.addAll(client.namespaces(""));
        all.addAll(client.hosts(""));
        all.addAll(client.listeners());
        all.addAll(client.anaStates(""));
        all.addAll(client.qos(""));
        return DesiredState.of(all).withoutIncarnations();
    }

    private DesiredState served(final String text, final Path round)
    {
        final ConfigReader.Result read = ConfigReader.read("round.yaml", text);
        final ControlEvents events = new ControlEvents();
        final ControlSettings settings = new ControlSettings(
            round.resolve("served"), ControlSettings.IPC_CHANNEL, 4420, null, "served");
        try (AgentFixture fixture = AgentFixture.over(
            settings, DataPlane.start(read.config(), TargetListener.NONE, events), events))
        {
            return stateOf(fixture.connect(fixture.context()));
        }
    }

    @Test
    void shouldServeWhatAnotherDataPlaneHas() throws Exception
    {
        final long seed = TestSeeds.seed();
        final Random random = TestSeeds.random();
        for (int i = 0; i < ROUNDS; i++)
        {
            final String hint = "seed " + seed + " round " + i;
            final Path round = Files.createDirectory(directory.resolve("round" + i));
            final RandomStates states = new RandomStates(random,
                List.of(round.resolve("a b.img").toString(), round.resolve("b.img").toString()),
                List.of(FreePorts.tcp(), FreePorts.tcp(), 8009), false, false);
            final DesiredState actual;
            try (AgentFixture fixture = AgentFixture.ipc(round))
            {
                final ControlClient client = fixture.connect(fixture.context());
                StatePlan.between(DesiredState.EMPTY, states.state(5 + random.nextInt(60))).steps()
                    .forEach((step) ->
                    {
                        try
                        {
                            client.execute(step.command());
                        }
                        catch (final ControlException e)
                        {
                            throw new AssertionError(hint + ": " + step, e);
                        }
                    });
                actual = stateOf(client);
            }
            final String text = StateDocument.write(actual);
            final StateDocument document = StateDocument.read("round.yaml", text);
            assertEquals(actual, document.state(), hint);
            assertEquals(List.of(), document.skipped(), hint);
            assertEquals(actual, served(text, round), () -> hint + ":\n" + text);
        }
    }
}
