package io.millrace.settings;

import java.util.List;
import java.util.Map;

/**
 * A YAML value and the line it starts on, from 1. Text stays text: what it means is decided by the setting it belongs
 * to.
 */
sealed interface YamlNode
{
    int line();

    /**
     * {@return what a reader of the file would call it}
     */
    String kind();

    record Scalar(int line, String text, boolean quoted) implements YamlNode
    {
        @Override
        public String kind()
        {
            return isNull() ? "nothing" : "a single value";
        }

        boolean isNull()
        {
            return !quoted && (text.isEmpty() || "~".equals(text) || "null".equals(text));
        }
    }

    record Sequence(int line, List<YamlNode> items) implements YamlNode
    {
        @Override
        public String kind()
        {
            return "a list";
        }
    }

    record Mapping(int line, Map<String, Entry> entries) implements YamlNode
    {
        @Override
        public String kind()
        {
            return "a group of settings";
        }
    }

    record Entry(int line, String key, YamlNode value)
    {
    }
}
