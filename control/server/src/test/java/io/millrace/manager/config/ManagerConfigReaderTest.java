package io.millrace.manager.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.ControlDirectories;
import io.millrace.settings.ConfigException;
import io.millrace.settings.Setting;
import io.millrace.settings.SettingRows;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ManagerConfigReaderTest
{
    private static final Path ROOT = Path.of(System.getProperty("millrace.root"));
    private static final String ONE = "data-planes: [{name: dp0}]\n";

    @TempDir
    private Path directory;

    private static ManagerConfig read(final String text)
    {
        return ManagerConfigReader.read("manager.yaml", text, Map.of()).config();
    }

    private Path secret() throws IOException
    {
        final Path file = Files.writeString(directory.resolve("secret"), "a-secret-of-the-tests-32-bytes-x\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void shouldTakeTheDefaultsForWhatIsNotGiven()
    {
        final ManagerConfig config = read(ONE);
        assertEquals("manager", config.name());
        assertEquals(50, config.versionsKept());
        assertEquals(Path.of(System.getProperty("user.home"), ".local/state/millrace/manager"),
            config.stateDirectory());
        assertEquals(ControlDirectories.manager(), config.control().directory());
        assertNull(config.metrics());
        final PlaneConfig plane = config.dataPlanes().getFirst();
        assertEquals(ControlDirectories.dataPlane(plane.name()), plane.directory());
        assertEquals(ControlDirectories.dataPlane(),
            read(ONE.replace("name: " + plane.name(), "name: millrace")).dataPlanes().getFirst().directory());
        assertEquals("aeron:ipc", plane.channel());
        assertEquals("aeron:ipc", plane.responseChannel());
        assertEquals(HookConfig.NONE, config.hooks());
        assertEquals(config.control(), ManagerConfig.ofThisUser(Map.of()).control());
        assertEquals(Path.of("/s/millrace/manager"),
            ManagerConfig.ofThisUser(Map.of("XDG_STATE_HOME", "/s")).stateDirectory());
        assertEquals(Path.of("/h/.local/state/millrace/manager"),
            ManagerConfig.ofThisUser(Map.of("HOME", "/h")).stateDirectory());
        assertEquals(config.stateDirectory(),
            ManagerConfig.ofThisUser(Map.of("XDG_STATE_HOME", "relative")).stateDirectory());
    }

    @Test
    void shouldReadEverySetting() throws IOException
    {
        final ManagerConfig config = read("""
            name: m1
            state: {directory: /s, versions: 7}
            control: {directory: /c, channel: 'aeron:udp?endpoint=127.0.0.1:4500', stream: 9, secrets: /keys}
            metrics: {address: '::1', port: 9000}
            data-planes:
              - {name: local, directory: /d, stream: 8}
              - {name: far, channel: 'aeron:udp?endpoint=127.0.0.1:4501', key-name: ops, secret: '%s'}
              - {name: near, channel: 'aeron:udp?endpoint=127.0.0.1:4502', key-name: ops, secret: '%s',
                 address: 127.0.0.9}
            hooks: {data-plane-down: [/bin/sh, -c, exit 1], data-plane-up: [/bin/sh], down-after: 5s, timeout: 1s}
            """.formatted(secret(), secret()));
        assertEquals("m1", config.name());
        assertEquals("m1", config.control().name());
        assertEquals(Path.of("/s"), config.stateDirectory());
        assertEquals(7, config.versionsKept());
        assertEquals(9, config.control().streamId());
        assertTrue(config.control().isUdp());
        assertEquals(9000, config.metrics().getPort());
        assertEquals(Path.of("/d"), config.dataPlanes().get(0).directory());
        assertEquals(8, config.dataPlanes().get(0).streamId());
        assertEquals(Path.of("/c"), config.dataPlanes().get(1).directory());
        assertEquals("ops", config.dataPlanes().get(1).keyName());
        assertEquals("aeron:udp?endpoint=127.0.0.1:0", config.dataPlanes().get(1).responseChannel());
        assertEquals("aeron:udp?endpoint=127.0.0.9:0", config.dataPlanes().get(2).responseChannel());
        assertEquals(new HookConfig(List.of("/bin/sh", "-c", "exit 1"), List.of("/bin/sh"),
            TimeUnit.SECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(1)), config.hooks());
    }

    /** As without a file. */
    @Test
    void shouldManageTheDataPlaneOfThisUserWhenNoneIsDeclared()
    {
        assertEquals(ManagerConfig.ofThisUser(Map.of()).dataPlanes(), read("name: m\n").dataPlanes());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "data-planes: [] | 1: data-planes = []: an empty list",
        "data-planes: [{name: a}, {name: a, directory: /x}] | 1: data-planes[1].name = a: given twice",
        "data-planes: [{name: a, directory: /c}, {name: b, directory: /c}] | 1: " +
            "data-planes[1].name = b: the same data plane as a",
        "data-planes: [{name: a/b}] | 1: data-planes[0].name = a/b: not a name",
        "data-planes: [{name: a, chanel: x}] | 1: data-planes[0].chanel: unknown key; did you mean channel?",
        "data-planes: [{name: a, channel: 'aeron:udp?endpoint=127.0.0.1:1'}] | 1: data-planes[0].key-name: missing",
        "data-planes: [{name: a, key-name: k}] | 1: data-planes[0].secret: missing",
        "data-planes: [{name: a, key-name: k, secret: /none}] | 1: data-planes[0].secret = /none:",
        "data-planes: [{name: a, address: 127.0.0.1}] | 1: data-planes[0].address = 127.0.0.1: of no use over IPC",
        "{data-planes: [{name: a, directory: /c}], control: {directory: /c}} | 1: data-planes[0].directory = /c: " +
            "that of the manager itself",
        "{data-planes: [{name: a}], control: {channel: 'aeron:udp?endpoint=127.0.0.1:1'}} | 1: control.secrets: " +
            "missing",
        "{data-planes: [{name: a}], hooks: {data-plane-down: [/none]}} | 1: hooks.data-plane-down = /none: no program",
        "{data-planes: [{name: a}], state: {versions: 1}} | 1: state.versions = 1: out of range 2 to 10000",
    })
    void shouldSayWhatIsWrong(final String text, final String message)
    {
        final String said = assertThrows(ConfigException.class, () -> read(text)).getMessage();
        assertTrue(said.startsWith("manager.yaml:" + message), said);
    }

    @Test
    void shouldDocumentEverySettingAndNothingElse() throws IOException, IllegalAccessException
    {
        final String docs = Files.readString(ROOT.resolve("docs/configuration.md"));
        final String page = docs.substring(docs.indexOf(SettingRows.MANAGER));
        SettingRows.check(page, ManagerSettings.TABLE);
        final Matcher example = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertTrue(example.find());
        assertEquals(2, read(example.group(1)).dataPlanes().size());
        final Set<Setting<?>> constants = new HashSet<>();
        for (final Field field : ManagerSettings.class.getDeclaredFields())
        {
            if (Setting.class == field.getType())
            {
                constants.add((Setting<?>)field.get(null));
            }
        }
        assertEquals(constants, new HashSet<>(ManagerSettings.TABLE.all()));
    }
}
