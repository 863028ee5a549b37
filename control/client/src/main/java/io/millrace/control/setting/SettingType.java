package io.millrace.control.setting;

import java.math.BigDecimal;
import java.net.InetAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How the text of a setting becomes a value, and a value its text. Immutable.
 *
 * @param <T>       of the value.
 * @param name      for people: "size", "integer".
 * @param bound     for people: what is allowed.
 * @param parser    answers the value or throws {@link BadValue}.
 * @param formatter answers the text that is the same for equal values.
 */
public record SettingType<T>(String name, String bound, Function<String, T> parser, Function<T, String> formatter)
{
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");
    private static final Pattern ASCII = Pattern.compile("[\\x20-\\x7e]*");
    private static final int PATH_LENGTH_MAX = 4095;
    private static final int SHARE_LENGTH_MAX = 20;

    private static final Pattern SIZE = Pattern.compile("([0-9]{1,19})\\s*([A-Za-z]*)");
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,15})\\s*([A-Za-zµ]*)");
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,19}");
    private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,20})?([eE]-?[0-9]{1,3})?");

    /** Text that is no value of the type. */
    public static final class BadValue extends RuntimeException
    {
        private static final long serialVersionUID = 1L;
        private final String remedy;

        /**
         * Made by a parser.
         *
         * @param bound  that the text breaks.
         * @param remedy what to write instead.
         */
        public BadValue(final String bound, final String remedy)
        {
            super(bound, null, false, false);
            this.remedy = remedy;
        }

        /**
         * {@return the bound that the text breaks}
         */
        public String bound()
        {
            return getMessage();
        }

        /**
         * {@return what to write instead}
         */
        public String remedy()
        {
            return remedy;
        }
    }

    /** Short names that appear in messages and file names. */
    public static final SettingType<String> NAME_TYPE = new SettingType<>("name",
        "1 to 64 letters, digits, '.', '_', '-'",
        (text) ->
        {
            if (!NAME.matcher(text).matches())
            {
                throw new BadValue("not a name",
                    "use 1 to 64 letters, digits, '.', '_' or '-', a letter or digit first");
            }
            return text;
        });

    /** true or false, and nothing else that YAML once took for it. */
    public static final SettingType<Boolean> BOOLEAN = new SettingType<>("boolean", "true or false",
        (text) -> switch (text)
        {
            case "true" -> true;
            case "false" -> false;
            default -> throw new BadValue("neither true nor false", "write true or false");
        });

    /** An address, or the name of a host, which is resolved when it is read. */
    public static final SettingType<InetAddress> ADDRESS =
        new SettingType<>("address", Addresses.BOUND, Addresses::resolve);

    /** A path of the file system, relative to where the process was started. */
    public static final SettingType<Path> PATH = new SettingType<>("path", "a path of the file system",
        (text) ->
        {
            try
            {
                if (isPath(text))
                {
                    return Path.of(text);
                }
            }
            catch (final InvalidPathException e)
            {
                throw new BadValue("not a path: " + e.getReason(), "name a file or a block device");
            }
            throw new BadValue("not a path of 1 to " + PATH_LENGTH_MAX + " printable characters",
                "name a file or a block device");
        });

    /** A UUID. */
    public static final SettingType<UUID> UUID_TYPE = new SettingType<>("UUID", "8-4-4-4-12 hexadecimal digits",
        (text) ->
        {
            if (!text.matches("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"))
            {
                throw new BadValue("not a UUID", "write 8-4-4-4-12 hexadecimal digits, as uuidgen prints them");
            }
            return UUID.fromString(text);
        });

    /**
     * A type whose values write themselves.
     *
     * @param name   for people.
     * @param bound  for people.
     * @param parser answers the value or throws {@link BadValue}.
     */
    public SettingType(final String name, final String bound, final Function<String, T> parser)
    {
        this(name, bound, parser, String::valueOf);
    }

    private static boolean isPath(final String text)
    {
        return !text.isEmpty() && text.length() <= PATH_LENGTH_MAX && !UNPRINTABLE.matcher(text).find();
    }

    /**
     * {@return the text of a value, the same for equal values}
     *
     * @param value of this type.
     */
    public String format(final T value)
    {
        return formatter.apply(value);
    }

    /**
     * {@return the value of a text}
     *
     * @param text to parse.
     * @throws BadValue when it is none.
     */
    public T parse(final String text)
    {
        return parser.apply(text);
    }

    /**
     * Printable ASCII of bounded length.
     *
     * @param lengthMax of the text.
     * @return the type.
     */
    public static SettingType<String> text(final int lengthMax)
    {
        final String bound = "1 to " + lengthMax + " printable ASCII characters";
        return new SettingType<>("text", bound, (text) ->
        {
            if (text.isBlank() || text.length() > lengthMax || !ASCII.matcher(text).matches())
            {
                throw new BadValue("not " + bound, "shorten it or leave out what is not ASCII");
            }
            return text;
        });
    }

    /**
     * A whole number.
     *
     * @param min smallest.
     * @param max largest.
     * @return the type.
     */
    public static SettingType<Long> integer(final long min, final long max)
    {
        final String bound = min + " to " + max;
        return new SettingType<>("integer", bound, (text) ->
        {
            if (!NUMBER.matcher(text).matches())
            {
                throw new BadValue("not a whole number", "use " + bound);
            }
            return bounded(new BigDecimal(text), min, max, bound);
        });
    }

    /**
     * A whole number that an {@code int} holds.
     *
     * @param min smallest.
     * @param max largest.
     * @return the type.
     */
    public static SettingType<Integer> number(final int min, final int max)
    {
        final SettingType<Long> integer = integer(min, max);
        return integer.then(integer.name(), integer.bound(), Long::intValue);
    }

    /**
     * A count of bytes with a unit. k, M, G and T stand for powers of 1024, as KiB, MiB, GiB and TiB do; kB, MB and GB
     * are refused since people mean different things by them.
     *
     * @param min smallest in bytes.
     * @param max largest in bytes.
     * @return the type.
     */
    public static SettingType<Long> size(final long min, final long max)
    {
        final String bound = Units.size(min) + " to " + Units.size(max);
        return new SettingType<>("size", bound, (text) ->
        {
            final Matcher matcher = SIZE.matcher(text);
            if (!matcher.matches())
            {
                throw new BadValue("not a size", "write a whole number and a unit, such as 64MiB");
            }
            final BigDecimal unit = new BigDecimal(Units.sizeUnit(matcher.group(2)));
            return bounded(new BigDecimal(matcher.group(1)).multiply(unit), min, max, bound);
        }, Units::size);
    }

    /**
     * A size that an {@code int} holds and that is a multiple of another.
     *
     * @param min      smallest in bytes.
     * @param max      largest in bytes.
     * @param multiple what it is a multiple of, in bytes.
     * @return the type.
     */
    public static SettingType<Integer> bytes(final long min, final long max, final int multiple)
    {
        final SettingType<Long> size = size(min, max);
        final String bound = size.bound() + (1 == multiple ? "" : ", a multiple of " + multiple);
        return size.then(size.name(), bound, (value) ->
        {
            if (0 != value % multiple)
            {
                throw new BadValue("not a multiple of " + multiple,
                    "use " + Units.size(Math.min(max, (value / multiple + 1) * multiple)));
            }
            return value.intValue();
        });
    }

    /**
     * A time span with a unit.
     *
     * @param minNs shortest.
     * @param maxNs longest.
     * @return the type; values are nanoseconds.
     */
    public static SettingType<Long> duration(final long minNs, final long maxNs)
    {
        final String bound = Units.duration(minNs) + " to " + Units.duration(maxNs);
        return new SettingType<>("duration", bound, (text) ->
        {
            final Matcher matcher = DURATION.matcher(text);
            if (!matcher.matches())
            {
                throw new BadValue(
                    "not a duration", "write a whole number and ns, us, ms, s, m, h or d, such as 100us");
            }
            final BigDecimal unit = new BigDecimal(Units.durationUnit(matcher.group(2)));
            return bounded(new BigDecimal(matcher.group(1)).multiply(unit), minNs, maxNs, bound);
        }, Units::duration);
    }

    /**
     * A share between 0 and 1.
     *
     * @return the type.
     */
    public static SettingType<Double> share()
    {
        return new SettingType<>("number", "0 to 1", (text) ->
        {
            if (!DECIMAL.matcher(text).matches() || Double.parseDouble(text) > 1)
            {
                throw new BadValue("not a number from 0 to 1", "write it as 0.01");
            }
            return Double.parseDouble(text);
        }, SettingType::share);
    }

    /** With the fewest digits that give the same number again. */
    private static String share(final double value)
    {
        final String plain = BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
        return plain.length() <= SHARE_LENGTH_MAX ? plain : Double.toString(value);
    }

    /**
     * One of several words, which are their own values.
     *
     * @param words it may be.
     * @return the type.
     */
    public static SettingType<String> word(final String... words)
    {
        final String bound = String.join(", ", words);
        return new SettingType<>("choice", bound, (text) ->
        {
            if (!List.of(words).contains(text))
            {
                throw new BadValue("not one of " + bound, "use one of them");
            }
            return text;
        });
    }

    /**
     * One of several words.
     *
     * @param values it may be, an enum's constants in kebab-case.
     * @param type   of the enum.
     * @param <E>    of the enum.
     * @return the type.
     */
    public static <E extends Enum<E>> SettingType<E> choice(final Class<E> type, final E[] values)
    {
        final String bound = Arrays.stream(values).map(SettingType::word).reduce((a, b) -> a + ", " + b).orElseThrow();
        return new SettingType<>("choice", bound, (text) ->
        {
            for (final E value : values)
            {
                if (word(value).equals(text))
                {
                    return value;
                }
            }
            throw new BadValue("not one of " + bound, "use one of them");
        }, SettingType::word);
    }

    /**
     * A type with one more check or conversion to the same type.
     *
     * @param newName  for people.
     * @param newBound for people.
     * @param function on the value; throws {@link BadValue}.
     * @return the type, whose values are written as before.
     */
    public SettingType<T> checked(final String newName, final String newBound, final UnaryOperator<T> function)
    {
        return new SettingType<>(newName, newBound, parser.andThen(function), formatter);
    }

    /**
     * A type built on another, with one more check or conversion.
     *
     * @param newName  for people.
     * @param newBound for people.
     * @param function on the value; throws {@link BadValue}.
     * @param <R>      of the result.
     * @return the type.
     */
    public <R> SettingType<R> then(final String newName, final String newBound, final Function<T, R> function)
    {
        return new SettingType<>(newName, newBound, parser.andThen(function));
    }

    /**
     * {@return a constant as people write it, in kebab-case}
     *
     * @param value of an enum.
     */
    public static String word(final Enum<?> value)
    {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static long bounded(final BigDecimal value, final long min, final long max, final String bound)
    {
        if (value.compareTo(BigDecimal.valueOf(min)) < 0 || value.compareTo(BigDecimal.valueOf(max)) > 0)
        {
            throw new BadValue("out of range " + bound, "use a value in the range");
        }
        return value.longValueExact();
    }
}
