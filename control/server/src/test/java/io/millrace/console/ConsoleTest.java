package io.millrace.console;

import io.millrace.control.setting.Similar;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConsoleTest
{
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    private String printed()
    {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldLineUpColumnsWhenCellsAreColoured()
    {
        final Terminal coloured = new Terminal(out, true, true);
        final Table table = new Table("name", ">size", "state")
            .row("a", "1", coloured.good("on"))
            .row("longer", "1000", "off");
        assertEquals(List.of("name    size  state", "a          1  \u001b[32mon\u001b[0m", "longer  1000  off"),
            table.lines());
        assertThrows(IllegalArgumentException.class, () -> table.row("one"));
    }

    @Test
    void shouldRedrawOnlyWhenSomebodyReadsAlong()
    {
        final Terminal terminal = new Terminal(out, true, false);
        terminal.draw("10 %");
        terminal.draw("20 %");
        terminal.line("done");
        assertEquals("\r\u001b[K10 %\r\u001b[K20 %\r\u001b[Kdone\n", printed());
    }

    @Test
    void shouldPrintPlainTextWhenNobodyReadsAlong()
    {
        final Terminal terminal = new Terminal(out, false, false);
        terminal.draw("10 %");
        terminal.line(terminal.bold("done"));
        assertEquals("done\n", printed());
    }

    @ParameterizedTest
    @CsvSource({"list,", "lst,list", "lsit,list", "hots,host", "dleete,delete", "Devices,device",
        "hsot,host", "x,"})
    void shouldSuggestOnlyWhatIsNear(final String word, final String suggestion)
    {
        final List<String> words = "list".equals(word) ? List.of("host", "get") :
            List.of("host", "list", "get", "delete", "device");
        assertEquals(suggestion, Similar.nearest(word, words));
    }

    @Test
    void shouldWriteJson()
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("text", "a \"b\" \\ \n \u0001 é \ud83d\ude00");
        map.put("numbers", List.of(1, 2.5, -3L));
        map.put("none", Arrays.asList((Object)null));
        map.put("empty", Map.of());
        map.put("yes", true);
        assertEquals("""
            {
              "text": "a \\"b\\" \\\\ \\n \\u0001 é \\ud83d\\ude00",
              "numbers": [
                1,
                2.5,
                -3
              ],
              "none": [
                null
              ],
              "empty": {},
              "yes": true
            }""", Json.write(map));
        assertThrows(IllegalArgumentException.class, () -> Json.write(Double.NaN));
    }
}
