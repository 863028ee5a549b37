package io.millrace.cli.control;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.control.client.ControlDirectories;
import io.millrace.settings.BaseDirectories;
import io.millrace.settings.ConfigException;
import io.millrace.settings.Section;
import io.millrace.settings.Setting;
import io.millrace.settings.SettingTable;
import io.millrace.control.setting.SettingType;
import io.millrace.settings.TextFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Defaults of the connection options: environment variables, and the client file of the user. Immutable.
 *
 * @param control   directory or channel, or null.
 * @param dataPlane of a manager's, or null.
 * @param keyName   of the secret; empty without.
 * @param keyFile   with the secret, or null.
 */
record ClientSettings(String control, String dataPlane, String keyName, Path keyFile)
{
    private static final String DATA_PLANE_VARIABLE = "MILLRACE_DATA_PLANE";
    private static final String KEY_VARIABLE = "MILLRACE_KEY";
    private static final String KEY_FILE_VARIABLE = "MILLRACE_KEY_FILE";
    private static final int TEXT_LENGTH_MAX = 1 << 16;
    private static final int CONTROL_LENGTH_MAX = 4_096;

    private static final Setting<String> CONTROL = Setting.optional("control", SettingType.text(CONTROL_LENGTH_MAX),
        null, "Control directory or UDP channel, as --control.");
    private static final Setting<String> DATA_PLANE = Setting.optional("data-plane", SettingType.NAME_TYPE, null,
        "Data plane of a manager, as --data-plane.");
    private static final Setting<String> KEY_NAME = Setting.optional("key-name", SettingType.NAME_TYPE, null,
        "Name of the key, as --key-name.");
    private static final Setting<Path> KEY_FILE = Setting.optional("key-file", SettingType.PATH, null,
        "File with the secret of that key, as --key-file.");
    private static final SettingTable TABLE = new SettingTable(List.of(CONTROL, DATA_PLANE, KEY_NAME, KEY_FILE));

    /**
     * Reads the client file, if there is one, and the environment, whose variables take precedence. The key name and
     * file of the two are pairs: a file beside a key name of the environment is not used.
     *
     * @param environment of the process.
     * @return the defaults.
     * @throws CommandException when the file cannot be used.
     */
    static ClientSettings read(final Map<String, String> environment)
    {
        final ClientSettings file = readFile(file(environment));
        final String key = environment.getOrDefault(KEY_VARIABLE, "");
        final String keyFile = environment.getOrDefault(KEY_FILE_VARIABLE, "");
        final boolean isKeyGiven = !key.isEmpty() || !keyFile.isEmpty();
        return new ClientSettings(
            orElse(environment, ControlDirectories.CONTROL_VARIABLE, file.control),
            orElse(environment, DATA_PLANE_VARIABLE, file.dataPlane),
            isKeyGiven ? key : file.keyName,
            isKeyGiven ? keyFile.isEmpty() ? null : Path.of(keyFile) : file.keyFile);
    }

    private static String orElse(
        final Map<String, String> environment, final String variable, final String otherwise)
    {
        final String value = environment.getOrDefault(variable, "");
        return value.isEmpty() ? otherwise : value;
    }

    /** The client file of the user. */
    static Path file(final Map<String, String> environment)
    {
        return BaseDirectories.config(environment).resolve("millrace").resolve("client.yaml");
    }

    private static ClientSettings readFile(final Path path)
    {
        if (!Files.exists(path))
        {
            return new ClientSettings(null, null, "", null);
        }
        try
        {
            final Section top = Section.parse(path.toString(),
                TextFile.read(path, TEXT_LENGTH_MAX, "make it, or leave it out"), TEXT_LENGTH_MAX, TABLE,
                new HashMap<>());
            final String keyName = top.get(KEY_NAME);
            return new ClientSettings(
                top.get(CONTROL), top.get(DATA_PLANE), null == keyName ? "" : keyName, top.get(KEY_FILE));
        }
        catch (final ConfigException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }
}
