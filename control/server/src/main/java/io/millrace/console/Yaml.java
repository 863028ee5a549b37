package io.millrace.console;

import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * Writes YAML from maps, lists, strings, numbers, booleans and null. Stateless.
 */
public final class Yaml
{
    private static final int WIDTH = 1 << 16;

    private Yaml()
    {
    }

    /**
     * {@return a value as YAML in lines, the last one ended}
     *
     * @param value of maps, lists, strings, numbers, booleans and null.
     */
    public static String write(final Object value)
    {
        return new Dump(DumpSettings.builder().setDefaultFlowStyle(FlowStyle.BLOCK).setWidth(WIDTH)
            .setSchema(new CoreSchema()).build()).dumpToString(value);
    }
}
