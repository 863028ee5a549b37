package io.millrace.serve.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.control.setting.SettingType;
import io.millrace.control.setting.Units;
import io.millrace.seed.TestSeeds;
import io.millrace.settings.ConfigException;
import io.millrace.settings.YamlTexts;
import java.nio.file.Files;
import java.nio.file.Path;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.StringLength;

/**
 * Whatever the text: a configuration or one line that says why not.
 */
class ConfigReaderPropertyTest
{
    private static final String EXAMPLE = example();

    private static String example()
    {
        try
        {
            return Files.readString(Path.of(System.getProperty("millrace.root"), "millrace.yaml"));
        }
        catch (final java.io.IOException e)
        {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static void readOrSayWhy(final String text)
    {
        try
        {
            ConfigReader.read("fuzz.yaml", text);
        }
        catch (final ConfigException e)
        {
            assertFalse(e.getMessage().contains("\n"), e.getMessage());
        }
    }

    @Property(tries = 2000)
    void shouldNeverThrowAnythingElseWhenTextIsArbitrary(@ForAll @StringLength(max = 200) final String text)
    {
        readOrSayWhy(text);
    }

    @Property(tries = 3000)
    void shouldNeverThrowAnythingElseWhenTextLooksLikeYaml(@ForAll(supplier = YamlTexts.Tokens.class) final String text)
    {
        readOrSayWhy(text);
    }

    @Property(tries = 3000)
    void shouldNeverThrowAnythingElseWhenExampleIsDamaged(@ForAll final long seed)
    {
        readOrSayWhy(YamlTexts.damage(EXAMPLE, TestSeeds.fixed(seed)));
    }

    @Property
    void shouldReadSizesAsTheyAreWritten(@ForAll @LongRange(min = 0, max = Long.MAX_VALUE / 2) final long lengthBytes)
    {
        assertEquals(lengthBytes, SettingType.size(0, Long.MAX_VALUE).parse(Units.size(lengthBytes)));
    }

    @Property
    void shouldReadDurationsAsTheyAreWritten(@ForAll @LongRange(min = 0, max = 1L << 49) final long durationNs)
    {
        assertEquals(durationNs, SettingType.duration(0, Long.MAX_VALUE).parse(Units.duration(durationNs)));
    }

    @Property(tries = 4)
    void shouldSayWhyWhenNestedDeep(@ForAll("openers") final String opener)
    {
        readOrSayWhy(opener.repeat(100_000));
    }

    @Provide
    Arbitrary<String> openers()
    {
        return Arbitraries.of("[", "{", "- ", "{a: ");
    }
}
