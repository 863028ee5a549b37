package io.millrace.control.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.millrace.seed.TestSeeds;
import io.millrace.settings.ConfigException;
import io.millrace.settings.YamlTexts;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;

/** A state is read as it was written; whatever the text, it is a state or one line that says why not. */
class StateDocumentPropertyTest
{
    private static final List<String> PATHS = List.of("/var/tmp/a.img", "/var/tmp/b c.img", "/über");

    private static DesiredState random(final long seed)
    {
        return new RandomStates(TestSeeds.fixed(seed), PATHS, List.of(4420, 4421, 8009), true, false).state(120);
    }

    private static void readOrSayWhy(final String text)
    {
        try
        {
            assertNotNull(StateDocument.read("fuzz.yaml", text).state());
        }
        catch (final ConfigException e)
        {
            assertEquals(1, e.getMessage().lines().count(), e.getMessage());
        }
    }

    @Property(tries = 500)
    void shouldReadWhatItWrote(@ForAll final long seed)
    {
        final DesiredState state = random(seed);
        final String text = StateDocument.write(state);
        final StateDocument document = StateDocument.read("test.yaml", text);
        assertEquals(state, document.state());
        assertEquals(List.of(), document.skipped());
        assertEquals(text, StateDocument.write(document.state()));
    }

    /** What a program keeps for itself has incarnations, what is for people has not. */
    @Property(tries = 200)
    void shouldReadIncarnationsThatItKept(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final DesiredState state =
            random(seed).withIncarnations((_) -> new UUID(random.nextLong(), random.nextInt(2)));
        assertEquals(state, StateDocument.readPersisted("test.yaml", StateDocument.writePersisted(state)));
        assertEquals(state.withoutIncarnations(),
            StateDocument.read("test.yaml", StateDocument.write(state)).state());
    }

    @Property(tries = 1000)
    void shouldTakeAnyText(@ForAll @StringLength(max = 200) final String text)
    {
        readOrSayWhy(text);
    }

    @Property(tries = 2000)
    void shouldTakeWhatLooksLikeYaml(@ForAll(supplier = YamlTexts.Tokens.class) final String text)
    {
        readOrSayWhy(text);
    }

    @Property(tries = 3000)
    void shouldTakeDamagedDocuments(@ForAll final long seed)
    {
        readOrSayWhy(YamlTexts.damage(StateDocument.write(random(seed)), TestSeeds.fixed(seed)));
    }
}
