package io.millrace.control.state;

import java.util.List;
import java.util.Set;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Present;
import org.snakeyaml.engine.v2.api.lowlevel.Serialize;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * Writes YAML scalars. Names that need no quotes are written directly, as the library's emitter takes a second for ten
 * thousand namespaces, and a manager writes a state for each change; others are written by the emitter. Stateless.
 */
final class YamlScalar
{
    /** Longer than any text: none is folded. */
    private static final int WIDTH = 1 << 16;
    private static final int WORD_LENGTH_MAX = 5;
    /** Plain words of the core schema (YAML 1.2.2, section 10.3.2) that are no texts. */
    private static final Set<String> WORDS =
        Set.of("null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE");

    private YamlScalar()
    {
    }

    /**
     * {@return a text as it is written between braces}
     *
     * @param text without line ends.
     */
    static String inFlow(final String text)
    {
        return isPlain(text, false) ? text : isWord(text) ? '\'' + text + '\'' : emit(text, FlowStyle.FLOW);
    }

    /**
     * {@return a text as it is written behind a key or in a list}
     *
     * @param text without line ends.
     */
    static String inBlock(final String text)
    {
        return isPlain(text, true) ? text : isWord(text) ? '\'' + text + '\'' : emit(text, FlowStyle.BLOCK);
    }

    private static boolean isPlain(final String text, final boolean mayHaveColons)
    {
        if (text.isEmpty() || !isLetter(text.charAt(0)) && '/' != text.charAt(0) || isWord(text))
        {
            return false;
        }
        for (int i = 1; i < text.length(); i++)
        {
            final char c = text.charAt(i);
            if (!isLetter(c) && (c < '-' || c > '9') && '_' != c &&
                !(mayHaveColons && ':' == c && i + 1 < text.length()))
            {
                return false;
            }
        }
        return true;
    }

    /** Would be something else without quotes. */
    private static boolean isWord(final String text)
    {
        return text.length() <= WORD_LENGTH_MAX && WORDS.contains(text);
    }

    private static boolean isLetter(final char c)
    {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }

    /** As the value of a group with one key, which is cut off again. */
    private static String emit(final String text, final FlowStyle style)
    {
        final DumpSettings settings = DumpSettings.builder().setWidth(WIDTH).setUseUnicodeEncoding(true)
            .setSchema(new CoreSchema()).build();
        final Node key = new ScalarNode(Tag.STR, "k", ScalarStyle.PLAIN);
        final Node value = new ScalarNode(Tag.STR, text, ScalarStyle.PLAIN);
        final String written = new Present(settings).emitToString(new Serialize(settings).serializeOne(
            new MappingNode(Tag.MAP, List.of(new NodeTuple(key, value)), style)).iterator()).strip();
        return FlowStyle.FLOW == style ?
            written.substring("{k: ".length(), written.length() - 1) : written.substring("k: ".length());
    }
}
