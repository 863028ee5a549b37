package io.millrace.bench;

import java.util.regex.Pattern;

/**
 * Options of {@link RaidLoad}, as pairs of a name and a value.
 *
 * @param cases       regular expression of arrays to measure.
 * @param rounds      of each case.
 * @param turnMs      milliseconds of a side in a round.
 * @param warmUpTurns of each side before the first case is measured.
 * @param bytes       capacity of each device.
 * @param cpu         of the reactor; -1: any.
 * @param seed        of the order of sides.
 */
record RaidLoadOptions(Pattern cases, int rounds, int turnMs, int warmUpTurns, long bytes, int cpu, long seed)
{
    private static final long MIB = 1 << 20;

    static RaidLoadOptions of(final String... args)
    {
        RaidLoadOptions options =
            new RaidLoadOptions(Pattern.compile(""), 21, 50, 20, 256 * MIB, -1, System.nanoTime());
        for (int i = 0; i < args.length; i += 2)
        {
            if (i + 1 == args.length)
            {
                throw new IllegalArgumentException(args[i] + " needs a value");
            }
            options = options.with(args[i], args[i + 1]);
        }
        return options;
    }

    private RaidLoadOptions with(final String name, final String value)
    {
        return switch (name)
        {
            case "--cases" ->
                new RaidLoadOptions(Pattern.compile(value), rounds, turnMs, warmUpTurns, bytes, cpu, seed);
            case "--rounds" ->
                new RaidLoadOptions(cases, Integer.parseInt(value), turnMs, warmUpTurns, bytes, cpu, seed);
            case "--turn-ms" ->
                new RaidLoadOptions(cases, rounds, Integer.parseInt(value), warmUpTurns, bytes, cpu, seed);
            case "--warm-up" -> new RaidLoadOptions(cases, rounds, turnMs, Integer.parseInt(value), bytes, cpu, seed);
            case "--mib" ->
                new RaidLoadOptions(cases, rounds, turnMs, warmUpTurns, Long.parseLong(value) * MIB, cpu, seed);
            case "--cpu" ->
                new RaidLoadOptions(cases, rounds, turnMs, warmUpTurns, bytes, Integer.parseInt(value), seed);
            case "--seed" -> new RaidLoadOptions(cases, rounds, turnMs, warmUpTurns, bytes, cpu, Long.parseLong(value));
            default -> throw new IllegalArgumentException("unknown option " + name);
        };
    }
}
