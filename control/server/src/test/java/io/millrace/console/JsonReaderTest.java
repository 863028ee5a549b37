package io.millrace.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.seed.TestSeeds;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonReaderTest
{
    private static final int RUNS = 3_000;
    private static final String MUTATIONS = "{}[]\",:\\truefalsn0123456789.eE+-u \n\u0000\uffff";

    @Test
    void shouldReadEveryKindOfValue()
    {
        assertNull(JsonReader.read(" null\r\n"));
        assertEquals(List.of(true, false, 0L, -12L, "a\"\\/\b\f\n\r\té\ud83d\ude00"), JsonReader.read(
            "[true ,false,\t0, -12, \"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"]"));
        assertEquals(List.of(999_999_999_999_999_999L, new BigInteger("18446744073709551615"),
            new BigDecimal("1.50"), new BigDecimal("-2E+3")),
            JsonReader.read("[999999999999999999, 18446744073709551615, 1.50, -2E+3]"));
        final Map<String, Object> object = new LinkedHashMap<>();
        object.put("b", Map.of());
        object.put("a", List.of());
        object.put("", "\uffff");
        assertEquals("{\"b\": {}, \"a\": [], \"\": \"\uffff\"}",
            Json.line(JsonReader.read("{\"b\":{ },\"a\":[ ] , \"\":\"\uffff\"}")));
        assertEquals(object, JsonReader.read(Json.write(object)));
        assertEquals(Map.of("a", 2L), JsonReader.read("{\"a\":1,\"a\":2}"));
    }

    @Test
    void shouldReadAWholeNumberWithAnExponentAsItIsWritten()
    {
        final Object value = JsonReader.read("[1.5e1, -0e0, 12E-0, 1234567890123456789e0, 0.5e-1, 15e1]");
        assertEquals(List.of(15L, 0L, 12L, new BigInteger("1234567890123456789"), new BigDecimal("0.05"),
            new BigDecimal("1.5E+2")), value);
        assertEquals(value, JsonReader.read(Json.line(value)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "`` | no value at character 1",
        "nul | no value at character 1",
        "[1 2] | neither a comma nor ']' at character 4",
        "[1,] | no value at character 4",
        "{} x | more text behind the value at character 4",
        "{a:1} | no key at character 2",
        "{\"a\" 1} | no colon behind a key at character 6",
        "{\"a\":1,} | no key at character 8",
        "{\"a\":1 | neither a comma nor '}' at character 7",
        "\"a | a string without its end at character 3",
        "\"\\x\" | an unknown escape at character 3",
        "\"\\u00g0\" | no four hexadecimal digits at character 6",
        "01 | more text behind the value at character 2",
        "-  | no value at character 1",
        "1. | more text behind the value at character 2",
        ".5 | no value at character 1",
        "1e400 | a number beyond a double at character 1",
        "-1e99999999999 | a number with too large an exponent at character 1",
        "NaN | no value at character 1"})
    void shouldSayWhatIsWrongAndWhere(final String text, final String message)
    {
        assertEquals(message, assertThrows(JsonException.class, () -> JsonReader.read(text)).getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"\n\"", "\"\u0000\"", "\u00a01", "\"\\u0\u0661\u0661\u0661\""})
    void shouldRefuseWhatOtherReadersLetPass(final String text)
    {
        assertThrows(JsonException.class, () -> JsonReader.read(text));
    }

    @Test
    void shouldBoundDepthAndDigits()
    {
        final int depth = JsonReader.DEPTH_MAX;
        JsonReader.read("[".repeat(depth) + "]".repeat(depth));
        assertEquals("more than 200 objects and arrays inside each other at character 202",
            assertThrows(JsonException.class, () -> JsonReader.read("[".repeat(1_000_000))).getMessage());
        assertEquals(new BigInteger("9".repeat(300)), JsonReader.read("9".repeat(300)));
        assertThrows(JsonException.class, () -> JsonReader.read("0." + "9".repeat(JsonReader.NUMBER_LENGTH_MAX)));
        assertThrows(JsonException.class, () -> JsonReader.read("9".repeat(10_000_000)));
    }

    @Test
    void shouldReadWhatIsWritten()
    {
        final RandomGenerator random = TestSeeds.random();
        for (int i = 0; i < RUNS; i++)
        {
            final Object value = value(random, 0);
            assertEquals(value, JsonReader.read(Json.write(value)));
            assertEquals(value, JsonReader.read(Json.line(value)));
        }
    }

    @Test
    void shouldReadOrRefuseAnyText()
    {
        final RandomGenerator random = TestSeeds.random();
        for (int i = 0; i < RUNS; i++)
        {
            final StringBuilder text = new StringBuilder(Json.line(value(random, 0)));
            for (int j = random.nextInt(4); j >= 0 && !text.isEmpty(); j--)
            {
                final int at = random.nextInt(text.length());
                switch (random.nextInt(3))
                {
                    case 0 -> text.deleteCharAt(at);
                    case 1 -> text.insert(at, MUTATIONS.charAt(random.nextInt(MUTATIONS.length())));
                    default -> text.setLength(at);
                }
            }
            try
            {
                final Object value = JsonReader.read(text.toString());
                assertEquals(value, JsonReader.read(Json.write(value)));
            }
            catch (final JsonException e)
            {
                // Any other exception fails the test.
            }
        }
    }

    private static Object value(final RandomGenerator random, final int depth)
    {
        return switch (random.nextInt(depth > 4 ? 6 : 8))
        {
            case 0 -> null;
            case 1 -> random.nextBoolean();
            case 2 -> random.nextLong(1_000_000_000_000_000L) >> random.nextInt(50);
            case 3 -> BigInteger.valueOf(Long.MAX_VALUE).multiply(BigInteger.valueOf(2 + random.nextInt(1_000)));
            case 4 -> BigDecimal.valueOf(random.nextInt(), 1 + random.nextInt(8));
            case 5 -> string(random);
            case 6 ->
            {
                final List<Object> list = new ArrayList<>();
                for (int i = random.nextInt(4); i > 0; i--)
                {
                    list.add(value(random, depth + 1));
                }
                yield list;
            }
            default ->
            {
                final Map<String, Object> map = new LinkedHashMap<>();
                for (int i = random.nextInt(4); i > 0; i--)
                {
                    map.put(string(random), value(random, depth + 1));
                }
                yield map;
            }
        };
    }

    private static String string(final RandomGenerator random)
    {
        final StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--)
        {
            text.append((char)(random.nextInt(3) > 0 ? random.nextInt(0x80) : random.nextInt(0x10000)));
        }
        return text.toString();
    }
}
