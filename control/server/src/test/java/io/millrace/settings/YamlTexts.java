package io.millrace.settings;

import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ArbitrarySupplier;

/** Texts that look like our YAML documents and mostly are none. */
public final class YamlTexts
{
    private static final String[] TOKENS = {
        "reactors", "devices", "subsystems", "listeners", "memory", "discovery", "hosts", "namespaces", "name", "type",
        "size", "nqn", "nsid", ":", ": ", "- ", "[", "]", "{", "}", ",", "\n", "\n  ", "\n    ", "\"", "'", "&a",
        "*a", "!!int", "#", "|", ">", "%", "---", "...", "?", "0", "-1", "4KiB", "null", "~", "true", "\t", "\u0000",
        "\ufeff", "\ud800", "é", "@", "`"};

    private YamlTexts()
    {
    }

    /** Up to 40 words, brackets and other tokens in any order. */
    public static final class Tokens implements ArbitrarySupplier<String>
    {
        @Override
        public Arbitrary<String> get()
        {
            return Arbitraries.of(TOKENS).list().ofMaxSize(40).map((list) -> String.join("", list));
        }
    }

    /** The text with up to four pieces removed, inserted or overwritten. */
    public static String damage(final String original, final Random random)
    {
        final StringBuilder text = new StringBuilder(original);
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
        return text.toString();
    }
}
