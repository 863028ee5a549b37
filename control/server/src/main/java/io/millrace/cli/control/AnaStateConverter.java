package io.millrace.cli.control;

import io.millrace.control.codec.AnaState;
import io.millrace.control.setting.SettingType;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses an ANA state in kebab case, such as {@code non-optimized}.
 */
final class AnaStateConverter implements ITypeConverter<AnaState>
{
    private static final List<AnaState> STATES = Arrays.stream(AnaState.values())
        .filter((each) -> AnaState.SBE_UNKNOWN != each && AnaState.NULL_VAL != each).toList();

    /**
     * Called by picocli.
     */
    AnaStateConverter()
    {
    }

    /** Candidates for completion in a shell. */
    static final class Candidates implements Iterable<String>
    {
        /**
         * Called by picocli.
         */
        Candidates()
        {
        }

        @Override
        public Iterator<String> iterator()
        {
            return STATES.stream().map(SettingType::word).iterator();
        }
    }

    @Override
    public AnaState convert(final String text)
    {
        final String wanted = text.toLowerCase(Locale.ROOT).replace('_', '-');
        for (final AnaState each : STATES)
        {
            if (SettingType.word(each).equals(wanted))
            {
                return each;
            }
        }
        throw new TypeConversionException("'" + text + "' is no ANA state: use one of " +
            String.join(", ", STATES.stream().map(SettingType::word).toList()));
    }
}
