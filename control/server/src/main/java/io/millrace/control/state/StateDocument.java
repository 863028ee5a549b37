package io.millrace.control.state;

import io.millrace.control.codec.Transport;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.setting.Addresses;
import io.millrace.settings.ConfigException;
import io.millrace.settings.TextFile;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A {@link DesiredState} as a document: YAML with the sections {@code devices}, {@code subsystems}, {@code listeners}
 * and {@code discovery} of {@code millrace.yaml}, so that such a file is a state document too. A listener may have
 * {@code discovery-only: true} besides. Immutable.
 *
 * @param state   that is written down.
 * @param skipped keys that configure the process and are ignored, such as {@code reactors}.
 * @param missing sections that the document does not have, of {@code devices}, {@code subsystems}, {@code listeners}.
 */
public record StateDocument(DesiredState state, List<String> skipped, List<String> missing)
{
    /** Longest text that is read, in characters, and in bytes of a file; ten thousand namespaces take one million. */
    public static final int LENGTH_MAX = 1 << 24;
    static final String DEVICES = "devices";
    static final String SUBSYSTEMS = "subsystems";
    static final String LISTENERS = "listeners";
    /** Port where discovery is answered besides. */
    static final int DISCOVERY_PORT = 8009;

    /**
     * Copies the lists.
     */
    public StateDocument
    {
        skipped = List.copyOf(skipped);
        missing = List.copyOf(missing);
    }

    /**
     * {@return what a user should know before the document is applied, as one clause each: sections that are skipped,
     * and resources that are removed since their section is missing}
     *
     * @param base   state to be replaced.
     * @param prunes whether resources are removed that the document does not declare.
     */
    public List<String> notes(final DesiredState base, final boolean prunes)
    {
        final List<String> notes = new ArrayList<>();
        if (!skipped.isEmpty())
        {
            notes.add("skipped, as they configure the process: " + String.join(", ", skipped));
        }
        for (final String each : prunes ? missing : List.<String>of())
        {
            final int count = switch (each)
            {
                case DEVICES -> base.devices().size();
                case SUBSYSTEMS -> base.subsystems().size();
                default -> base.listeners().size();
            };
            if (0 != count)
            {
                notes.add("there is no section " + each + ", which removes all " + count + " of them; --no-prune " +
                    "keeps them");
            }
        }
        return notes;
    }

    /**
     * Reads the text of a file that {@link #read(String, String)} takes.
     *
     * @param path of it.
     * @return its text.
     * @throws ConfigException when it cannot be read, or is too long.
     */
    public static String text(final Path path)
    {
        return TextFile.read(path, LENGTH_MAX, "name another");
    }

    /**
     * Reads the text of a stream that {@link #read(String, String)} takes.
     *
     * @param name of it, for messages.
     * @param in   to read to its end; not closed.
     * @return its text.
     * @throws ConfigException when it cannot be read, or is too long.
     */
    public static String text(final String name, final InputStream in)
    {
        return TextFile.read(name, in, LENGTH_MAX);
    }

    /**
     * Reads a text, whose listeners have numeric addresses: nothing is resolved, so that this never blocks.
     *
     * @param file name for messages.
     * @param text in YAML.
     * @return what it says.
     * @throws ConfigException with line, key, value, bound and remedy when it cannot be used.
     */
    public static StateDocument read(final String file, final String text)
    {
        return new DocumentReader(file, text, StateSettings.ALL, UnaryOperator.identity()).read();
    }

    /**
     * Reads a text, whose listeners may be named by host: each name becomes its first address on this machine, as in
     * the configuration of a data plane. Blocks while it resolves: for commands and start-up.
     *
     * @param file name for messages.
     * @param text in YAML.
     * @return what it says, with numeric addresses.
     * @throws ConfigException with line, key, value, bound and remedy when it cannot be used.
     */
    public static StateDocument readResolving(final String file, final String text)
    {
        return new DocumentReader(file, text, StateSettings.ALL, (address) ->
            NetworkAddress.canonical(Addresses.resolve(address).getHostAddress())).read();
    }

    /**
     * Reads a text that {@link #writePersisted} made.
     *
     * @param file name for messages.
     * @param text in YAML.
     * @return what it says.
     * @throws ConfigException with line, key, value, bound and remedy when it cannot be used.
     */
    public static DesiredState readPersisted(final String file, final String text)
    {
        return new DocumentReader(file, text, StateSettings.PERSISTED, UnaryOperator.identity()).read().state();
    }

    /**
     * Writes a state for persistence: with the incarnations of devices, which documents do not declare.
     *
     * @param state to write.
     * @return its text.
     */
    public static String writePersisted(final DesiredState state)
    {
        return DocumentWriter.write(state);
    }

    /**
     * Writes a state as a document. Equal states give equal texts; defaults and incarnations are omitted.
     *
     * @param state to write.
     * @return its text.
     */
    public static String write(final DesiredState state)
    {
        return DocumentWriter.write(state.withoutIncarnations());
    }

    /** Where discovery is answered besides when a file says so: on every address, unless a listener has that port. */
    static Set<ListenerSpec> discoveryListeners(final Collection<ListenerSpec> listeners)
    {
        final Set<ListenerSpec> result = new LinkedHashSet<>();
        for (final ListenerSpec each : listeners)
        {
            if (DISCOVERY_PORT == each.port())
            {
                return Set.of();
            }
            if (Transport.VFIO_USER == each.transport())
            {
                continue;
            }
            result.add(new ListenerSpec(each.transport(), each.address(), DISCOVERY_PORT, true));
        }
        return result;
    }

    /** Those that hosts reach every subsystem on, or those for discovery alone. */
    static List<ListenerSpec> listeners(final DesiredState state, final boolean discoveryOnly)
    {
        final List<ListenerSpec> result = new ArrayList<>();
        for (final ListenerSpec each : state.listeners().values())
        {
            if (discoveryOnly == each.discoveryOnly())
            {
                result.add(each);
            }
        }
        return result;
    }
}
