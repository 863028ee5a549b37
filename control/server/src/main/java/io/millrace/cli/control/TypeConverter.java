package io.millrace.cli.control;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads the type of a device: {@code null} is none of Java's names.
 */
final class TypeConverter implements ITypeConverter<DeviceCommand.Type>
{
    /**
     * Called by picocli.
     */
    TypeConverter()
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
            return Arrays.stream(DeviceCommand.Type.values()).map(DeviceCommand.Type::toString).iterator();
        }
    }

    @Override
    public DeviceCommand.Type convert(final String text)
    {
        for (final DeviceCommand.Type each : DeviceCommand.Type.values())
        {
            if (each.toString().equals(text.toLowerCase(Locale.ROOT)))
            {
                return each;
            }
        }
        throw new TypeConversionException("'" + text + "' is no type of device: use memory, file, nvme, fault or null");
    }
}
