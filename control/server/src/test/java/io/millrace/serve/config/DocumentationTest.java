package io.millrace.serve.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.settings.DeviceReader;
import io.millrace.settings.Section;
import io.millrace.settings.Setting;
import io.millrace.settings.SettingRows;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Holds the settings, their documentation and the example together.
 */
class DocumentationTest
{
    private static final Path ROOT = Path.of(System.getProperty("millrace.root"));
    private static String page() throws IOException
    {
        final String docs = Files.readString(ROOT.resolve("docs/configuration.md"));
        return docs.substring(0, docs.indexOf(SettingRows.MANAGER));
    }

    @Test
    void shouldDocumentEverySettingAndNothingElse() throws IOException
    {
        SettingRows.check(page(), Settings.ALL);
    }

    @Test
    void shouldListEverySettingThatIsDeclared() throws IllegalAccessException
    {
        final Set<Setting<?>> constants = new HashSet<>();
        for (final Field field : Settings.class.getDeclaredFields())
        {
            if (Setting.class == field.getType())
            {
                constants.add((Setting<?>)field.get(null));
            }
        }
        constants.addAll(DeviceReader.settings());
        assertEquals(constants, new HashSet<>(Settings.ALL.all()));
        assertEquals(Settings.ALL.all().size(), Settings.ALL.all().stream().map(Setting::key).distinct().count());
    }

    @Test
    void shouldReadTheExample()
    {
        final DataPlaneConfig config = ConfigReader.read(ROOT.resolve("millrace.yaml")).config();
        assertEquals(List.of("mem0", "file0"), config.devices().stream().map((d) -> d.name()).toList());
        assertEquals(2, config.subsystems().get(0).namespaces().size());
    }

    @Test
    void shouldReadTheExamplesOfTheDocumentation() throws IOException
    {
        final String docs = page();
        final Matcher matcher = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL).matcher(docs);
        int count = 0;
        while (matcher.find())
        {
            final Map<String, Integer> lines = new TreeMap<>();
            final Section top = Section.parse(
                "docs", matcher.group(1), ConfigReader.TEXT_LENGTH_MAX, Settings.ALL, lines);
            top.sectionsIfGiven(DeviceReader.DEVICES).forEach((device) -> DeviceReader.properties(
                device, device.get(DeviceReader.TYPE), DeviceReader.Paths.RELATIVE));
            top.section(Settings.CONTROL).get(Settings.CONTROL_CHANNEL);
            count++;
        }
        assertTrue(count > 0);
    }

    @Test
    void shouldRunTheDocumentedTestCommandsInCi() throws IOException
    {
        final String page = Files.readString(ROOT.resolve("CONTRIBUTING.md"));
        final Matcher matcher = Pattern.compile("## Tests\n\n```sh\n([^`]*)\n```").matcher(page);
        assertTrue(matcher.find(), "no test commands in CONTRIBUTING.md");
        final List<String> commands = matcher.group(1).lines().toList();
        final List<String> ci = Files.readAllLines(ROOT.resolve(".ci/run"));
        assertEquals(commands, ci.subList(ci.size() - commands.size(), ci.size()));
        assertTrue(Files.isExecutable(ROOT.resolve(".ci/run")));
    }
}
