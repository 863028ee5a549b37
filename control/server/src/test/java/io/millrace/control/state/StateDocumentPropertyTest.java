package io.millrace.control.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.millrace.settings.ConfigException;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.StringLength;

/** A state is read as it was written; whatever the text, it is a state or one line that says why not. */
class StateDocumentPropertyTest
{
    private static final List<String> PATHS = List.of("/var/tmp/a.img", "/var/tmp/b c.img", "/über");
    private static final String[] TOKENS = {
        "devices", "subsystems", "listeners", "discovery", "hosts", "namespaces", "name", "type", "size", "nqn", "nsid",
        ":", ": ", "- ", "[", "]", "{", "}", ",", "\n", "\n  ", "\n    ", "\"", "'", "&a", "*a", "!!int", "#", "|",
        ">", "%", "---", "...", "?", "0", "-1", "4KiB", "null", "~", "true", "\t", "\u0000", "\ufeff", "\ud800", "é"};

    private static DesiredState random(final long seed)
    {
        return new RandomStates(new Random(seed), PATHS, List.of(4420, 4421, 8009), true, false).state(120);
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
        final Random random = new Random(seed);
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
    void shouldTakeWhatLooksLikeYaml(@ForAll("pieces") final String text)
    {
        readOrSayWhy(text);
    }

    @Provide
    Arbitrary<String> pieces()
    {
        return Arbitraries.of(TOKENS).list().ofMaxSize(40).map((list) -> String.join("", list));
    }

    @Property(tries = 3000)
    void shouldTakeDamagedDocuments(@ForAll final long seed)
    {
        final Random random = new Random(seed);
        final StringBuilder text = new StringBuilder(StateDocument.write(random(seed)));
        for (int i = random.nextInt(4); i >= 0; i--)
        {
            final int at = random.nextInt(text.length());
            switch (random.nextInt(3))
            {
                case 0 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(20)));
                case 1 -> text.insert(at, TOKENS[random.nextInt(TOKENS.length)]);
                default -> text.setCharAt(at, (char)random.nextInt(128));
            }
        }
        readOrSayWhy(text.toString());
    }
}
