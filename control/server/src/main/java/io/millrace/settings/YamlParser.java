package io.millrace.settings;

import io.millrace.dataplane.config.SettingException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Turns YAML text into {@link YamlNode}s with their lines. Takes the plain part of YAML: one document of mappings,
 * lists and scalars. Anchors, aliases, tags and repeated keys are refused, depth, length and the length of lines are
 * bounded, so that no text can blow up memory or the stack, or takes long.
 */
final class YamlParser
{
    static final int DEPTH_MAX = 16;
    /**
     * Characters of a line. Reading a line takes time that grows with the square of its length; the longest that a
     * state is written with, a fault device with all the rules that it may have, takes less than 40 Ki.
     */
    static final int LINE_LENGTH_MAX = 64 * 1024;

    private final String file;
    private final Deque<Open> open = new ArrayDeque<>();
    private YamlNode root;

    private YamlParser(final String file)
    {
        this.file = file;
    }

    /**
     * Parses a document.
     *
     * @param file      name for messages.
     * @param text      of it.
     * @param lengthMax of the text, in characters.
     * @return its root, never null.
     * @throws ConfigException when it is not YAML, or uses what is refused.
     */
    static YamlNode parse(final String file, final String text, final int lengthMax)
    {
        if (text.length() > lengthMax)
        {
            throw new ConfigException(file, 0, "longer than " + lengthMax + " characters; is this the right file?");
        }
        checkLines(file, text);
        final LoadSettings settings = LoadSettings.builder().setLabel(file).setCodePointLimit(lengthMax).build();
        try
        {
            return new YamlParser(file).read(new Parse(settings).parseString(text).iterator());
        }
        catch (final MarkedYamlEngineException e)
        {
            throw new ConfigException(file, line(e.getProblemMark()),
                "not valid YAML: " + oneLine(e.getProblem()) + "; check indentation, colons and quotes");
        }
        catch (final YamlEngineException | IndexOutOfBoundsException | IllegalArgumentException e)
        {
            throw new ConfigException(file, 0, "not valid YAML: " + oneLine(e.getMessage()) +
                "; is this a text file in UTF-8?");
        }
    }

    private static void checkLines(final String file, final String text)
    {
        int line = 1;
        int start = 0;
        for (int i = 0; i < text.length(); i++)
        {
            final char c = text.charAt(i);
            if ('\n' == c || '\r' == c)
            {
                checkLine(file, line, i - start);
                start = i + 1;
                // A carriage return with a line feed behind it ends one line.
                line += '\r' == c && start < text.length() && '\n' == text.charAt(start) ? 0 : 1;
            }
        }
        checkLine(file, line, text.length() - start);
    }

    private static void checkLine(final String file, final int line, final int length)
    {
        if (length > LINE_LENGTH_MAX)
        {
            throw new ConfigException(file, line, "the line has " + length + " characters, " + LINE_LENGTH_MAX +
                " are the most; write lists and groups on lines of their own");
        }
    }

    private static String oneLine(final String message)
    {
        return null == message ? "unreadable" :
            SettingException.printable(message.replaceAll("\\s+", " ").strip());
    }

    private static int line(final Optional<Mark> mark)
    {
        return mark.map((m) -> m.getLine() + 1).orElse(0);
    }

    private YamlNode read(final Iterator<Event> events)
    {
        int documents = 0;
        while (events.hasNext())
        {
            final Event event = events.next();
            final int line = line(event.getStartMark());
            switch (event.getEventId())
            {
                case DocumentStart ->
                {
                    if (++documents > 1)
                    {
                        throw new ConfigException(file, line, "a second document starts here; keep one, without '---'");
                    }
                }
                case Scalar, MappingStart, SequenceStart, Alias -> node((NodeEvent)event, line);
                case MappingEnd, SequenceEnd -> open.pop();
                default ->
                {
                }
            }
        }
        if (null == root)
        {
            throw new ConfigException(file, 0, "is empty; see millrace.yaml of the distribution for an example");
        }
        return root;
    }

    private void node(final NodeEvent event, final int line)
    {
        if (event instanceof AliasEvent || event.getAnchor().isPresent())
        {
            throw new ConfigException(file, line, "anchors and aliases (& and *) are not supported; " +
                "quote the value if it is meant as text, else write it out");
        }
        if (event instanceof final ScalarEvent scalar)
        {
            refuseTag(scalar.getTag(), line);
            scalar(scalar, line);
        }
        else
        {
            if (open.size() >= DEPTH_MAX)
            {
                throw new ConfigException(file, line, "nested deeper than " + DEPTH_MAX + " levels; no setting is");
            }
            if (event instanceof final MappingStartEvent mapping)
            {
                refuseTag(mapping.getTag(), line);
                final Map<String, YamlNode.Entry> entries = new LinkedHashMap<>();
                add(new YamlNode.Mapping(line, entries), line);
                open.push(new Open(entries, null));
            }
            else if (event instanceof final SequenceStartEvent sequence)
            {
                refuseTag(sequence.getTag(), line);
                final List<YamlNode> items = new ArrayList<>();
                add(new YamlNode.Sequence(line, items), line);
                open.push(new Open(null, items));
            }
        }
    }

    private void refuseTag(final Optional<String> tag, final int line)
    {
        if (tag.isPresent())
        {
            throw new ConfigException(file, line, "tags (!) are not supported; quote the value if it is meant as text");
        }
    }

    private void scalar(final ScalarEvent scalar, final int line)
    {
        final Open parent = open.peek();
        if (null != parent && null != parent.entries && null == parent.key)
        {
            final YamlNode.Entry first = parent.entries.get(scalar.getValue());
            if (null != first)
            {
                throw new ConfigException(file, line, SettingException.printable(scalar.getValue()) +
                    ": given again, first on line " + first.line() + "; remove one");
            }
            parent.key = scalar.getValue();
            parent.keyLine = line;
        }
        else
        {
            add(new YamlNode.Scalar(line, scalar.getValue(), ScalarStyle.PLAIN != scalar.getScalarStyle()), line);
        }
    }

    private void add(final YamlNode node, final int line)
    {
        final Open parent = open.peek();
        if (null == parent)
        {
            root = node;
        }
        else if (null != parent.items)
        {
            parent.items.add(node);
        }
        else if (null == parent.key)
        {
            throw new ConfigException(file, line, "a key must be a word, not a list or a group");
        }
        else
        {
            parent.entries.put(parent.key, new YamlNode.Entry(parent.keyLine, parent.key, node));
            parent.key = null;
        }
    }

    /** A collection that is being read. */
    private static final class Open
    {
        private final Map<String, YamlNode.Entry> entries;
        private final List<YamlNode> items;
        private String key;
        private int keyLine;

        private Open(final Map<String, YamlNode.Entry> entries, final List<YamlNode> items)
        {
            this.entries = entries;
            this.items = items;
        }
    }
}
