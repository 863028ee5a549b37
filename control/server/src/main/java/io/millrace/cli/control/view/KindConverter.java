package io.millrace.cli.control.view;

import io.millrace.control.setting.Similar;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses a kind of resource, such as {@code devices} or {@code device}.
 */
public final class KindConverter implements ITypeConverter<View<?>>
{
    /** As kubectl and nvme-cli say it. */
    private static final String SHORT_NAME = "ns";
    private static final Map<String, View<?>> VIEWS = new LinkedHashMap<>();

    static
    {
        VIEWS.put("devices", Views.DEVICES);
        VIEWS.put("arrays", Views.ARRAYS);
        VIEWS.put("subsystems", Views.SUBSYSTEMS);
        VIEWS.put("namespaces", Views.NAMESPACES);
        VIEWS.put("hosts", Views.HOSTS);
        VIEWS.put("listeners", Views.LISTENERS);
        VIEWS.put("ana", Views.ANA);
        VIEWS.put("qos", Views.QOS);
        VIEWS.put("controllers", Views.CONTROLLERS);
        VIEWS.put("connections", Views.CONNECTIONS);
        VIEWS.put("errors", Views.DEVICE_ERRORS);
        VIEWS.put("reactors", Views.REACTORS);
        VIEWS.put("dataplanes", Views.DATA_PLANES);
        VIEWS.put("managed", Views.MANAGED);
        VIEWS.put("versions", Views.VERSIONS);
        VIEWS.put("audit", Views.AUDIT);
    }

    /**
     * Called by picocli.
     */
    public KindConverter()
    {
    }

    /** Candidates for completion in a shell. */
    public static final class Candidates implements Iterable<String>
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
            return VIEWS.keySet().iterator();
        }
    }

    @Override
    public View<?> convert(final String text)
    {
        final String word = text.toLowerCase(Locale.ROOT);
        final View<?> found = SHORT_NAME.equals(word) ? Views.NAMESPACES :
            VIEWS.containsKey(word) ? VIEWS.get(word) : VIEWS.get(word + 's');
        if (null == found)
        {
            final List<String> names = new ArrayList<>(VIEWS.keySet());
            final String near = Similar.nearest(word, names);
            throw new TypeConversionException("'" + text + "' is no kind of resource" +
                (null == near ? "" : ", did you mean " + near + "?") + ": use one of " + String.join(", ", names));
        }
        return found;
    }
}
