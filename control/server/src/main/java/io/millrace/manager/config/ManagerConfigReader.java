package io.millrace.manager.config;

import io.aeron.ChannelUri;
import io.millrace.control.client.ControlDirectories;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.session.SecretException;
import io.millrace.control.session.SharedSecret;
import io.millrace.settings.ConfigException;
import io.millrace.settings.Section;
import io.millrace.settings.Setting;
import io.millrace.settings.TextFile;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the configuration file of a manager. Stateless; set-up thread.
 */
public final class ManagerConfigReader
{
    private static final int TEXT_LENGTH_MAX = 1 << 20;

    private ManagerConfigReader()
    {
    }

    /**
     * A configuration and where in its file each setting stands.
     *
     * @param file   as the user named it.
     * @param config that was read.
     * @param lines  of the keys that the file gives, from 1.
     */
    public record Result(String file, ManagerConfig config, Map<String, Integer> lines)
    {
        /**
         * Adds file and line to what was found wrong later, when the manager was started.
         *
         * @param key    of this configuration.
         * @param value  it has; null when it is missing.
         * @param bound  it breaks.
         * @param remedy what to do about it.
         * @return with the line of that key, or of the nearest group around it.
         */
        public ConfigException locate(final String key, final Object value, final String bound, final String remedy)
        {
            return ConfigException.of(file, lines, key, value, bound, remedy);
        }
    }

    /**
     * Reads a file.
     *
     * @param path        of it.
     * @param environment of the process.
     * @return what it says.
     * @throws ConfigException when it cannot be read or used.
     */
    public static Result read(final Path path, final Map<String, String> environment)
    {
        return read(path.toString(), TextFile.read(path, TEXT_LENGTH_MAX, "name one with --config"), environment);
    }

    /**
     * Reads a text.
     *
     * @param file        name for messages.
     * @param text        in YAML.
     * @param environment of the process.
     * @return what it says.
     * @throws ConfigException when it cannot be used.
     */
    public static Result read(final String file, final String text, final Map<String, String> environment)
    {
        final Map<String, Integer> lines = new HashMap<>();
        final Section top = Section.parse(file, text, TEXT_LENGTH_MAX, ManagerSettings.TABLE, lines);
        final String name = top.get(ManagerSettings.NAME);
        final Section state = top.section(ManagerSettings.STATE);
        final Path stateDirectory = state.get(ManagerSettings.STATE_DIRECTORY);
        final ControlSettings control = control(name, top.section(ManagerSettings.CONTROL));
        final ManagerConfig config = new ManagerConfig(
            name,
            null == stateDirectory ? ManagerConfig.stateDirectoryDefault(environment) : stateDirectory,
            state.get(ManagerSettings.STATE_VERSIONS),
            control,
            metrics(top),
            planes(top, control),
            hooks(top.section(ManagerSettings.HOOKS)));
        return new Result(file, config, Map.copyOf(lines));
    }

    private static ControlSettings control(final String name, final Section section)
    {
        final Path directory = section.get(ManagerSettings.CONTROL_DIRECTORY);
        final ControlSettings control = new ControlSettings(
            null == directory ? ManagerConfig.controlDirectoryDefault() : directory,
            section.get(ManagerSettings.CONTROL_CHANNEL),
            section.get(ManagerSettings.CONTROL_STREAM),
            section.get(ManagerSettings.CONTROL_SECRETS),
            name,
            ControlSettings.Idle.BACK_OFF,
            section.get(ManagerSettings.CONTROL_ENCRYPTION),
            section.get(ManagerSettings.CONTROL_GROUP));
        if (control.isUdp() && null == control.secrets())
        {
            throw section.refuse(ManagerSettings.CONTROL_SECRETS, null, "missing, and commands are accepted over UDP",
                "name a file with keys, or set channel: " + ControlSettings.IPC_CHANNEL);
        }
        return control;
    }

    private static InetSocketAddress metrics(final Section top)
    {
        if (!top.has(ManagerSettings.METRICS))
        {
            return null;
        }
        final Section section = top.section(ManagerSettings.METRICS);
        return new InetSocketAddress(
            section.get(ManagerSettings.METRICS_ADDRESS), section.get(ManagerSettings.METRICS_PORT));
    }

    private static List<PlaneConfig> planes(final Section top, final ControlSettings control)
    {
        if (!top.has(ManagerSettings.PLANES))
        {
            return List.of(ManagerConfig.planeOfThisUser());
        }
        final List<PlaneConfig> planes = new ArrayList<>();
        final Set<String> names = new HashSet<>();
        final Map<String, String> namesByAddress = new HashMap<>();
        for (final Section section : top.sections(ManagerSettings.PLANES))
        {
            final PlaneConfig plane = plane(section, control);
            if (!names.add(plane.name()))
            {
                throw section.refuse(ManagerSettings.PLANE_NAME, plane.name(), "given twice", "choose another");
            }
            final String other = namesByAddress.put(plane.address(), plane.name());
            if (null != other)
            {
                throw section.refuse(ManagerSettings.PLANE_NAME, plane.name(),
                    "the same data plane as " + other + ", at " + plane.address(), "remove one");
            }
            planes.add(plane);
        }
        if (planes.isEmpty())
        {
            throw top.refuse(ManagerSettings.PLANES, "[]", "an empty list", "name a data plane, or leave the key out");
        }
        return planes;
    }

    private static PlaneConfig plane(final Section section, final ControlSettings control)
    {
        final String name = section.get(ManagerSettings.PLANE_NAME);
        final String channel = section.get(ManagerSettings.PLANE_CHANNEL);
        final boolean isUdp = !ControlSettings.IPC_CHANNEL.equals(channel);
        final Path given = section.get(ManagerSettings.PLANE_DIRECTORY);
        final Path directory = null == given ? ControlDirectories.dataPlane(name) : given;
        final InetAddress address = section.get(ManagerSettings.PLANE_ADDRESS);
        if (isUdp && null != given)
        {
            throw section.refuse(ManagerSettings.PLANE_DIRECTORY, given, "of no use over UDP", "remove it");
        }
        if (!isUdp && null != address)
        {
            throw section.refuse(
                ManagerSettings.PLANE_ADDRESS, address.getHostAddress(), "of no use over IPC", "remove it");
        }
        if (!isUdp && directory.toAbsolutePath().equals(control.directory().toAbsolutePath()))
        {
            throw section.refuse(ManagerSettings.PLANE_DIRECTORY, directory, "that of the manager itself",
                "name the directory that the data plane has in its control group");
        }
        final String keyName = section.get(ManagerSettings.PLANE_KEY_NAME);
        final SharedSecret secret = secret(section, isUdp, keyName);
        return new PlaneConfig(name, isUdp ? control.directory() : directory, channel,
            section.get(ManagerSettings.PLANE_STREAM), null == keyName ? "" : keyName, secret,
            isUdp ? responseChannel(section, channel, address) : ControlSettings.IPC_CHANNEL);
    }

    private static SharedSecret secret(final Section section, final boolean isUdp, final String keyName)
    {
        final Path file = section.get(ManagerSettings.PLANE_SECRET);
        final Setting<?> missing = null == keyName && (isUdp || null != file) ? ManagerSettings.PLANE_KEY_NAME :
            null == file && (isUdp || null != keyName) ? ManagerSettings.PLANE_SECRET : null;
        if (null != missing)
        {
            throw section.refuse(missing, null, isUdp ? "missing, and the channel is UDP" : "missing",
                "give both, key-name and secret" + (isUdp ? "" : ", or none"));
        }
        if (null == file)
        {
            return null;
        }
        try
        {
            return SharedSecret.read(file);
        }
        catch (final SecretException e)
        {
            throw section.refuse(ManagerSettings.PLANE_SECRET, file, e.getMessage(), "");
        }
    }

    private static String responseChannel(final Section section, final String channel, final InetAddress given)
    {
        final InetAddress address = null == given ? onTheWayTo(section, channel) : given;
        final String host = address.getHostAddress();
        return "aeron:udp?endpoint=" + (address instanceof Inet6Address ? '[' + host + ']' : host) + ":0";
    }

    /** What the kernel would send from; nothing is sent. */
    private static InetAddress onTheWayTo(final Section section, final String channel)
    {
        final String endpoint = ChannelUri.parse(channel).get("endpoint");
        final int colon = endpoint.lastIndexOf(':');
        final String host = endpoint.substring(0, colon).replaceAll("^\\[|]$", "");
        try (DatagramSocket socket = new DatagramSocket())
        {
            socket.connect(new InetSocketAddress(
                InetAddress.ofLiteral(host), Integer.parseInt(endpoint.substring(colon + 1))));
            return socket.getLocalAddress();
        }
        catch (final IOException | RuntimeException e)
        {
            throw section.refuse(ManagerSettings.PLANE_ADDRESS, null, "missing, and there is no way to " + endpoint +
                " now", "give an address of this machine that the data plane reaches");
        }
    }

    private static HookConfig hooks(final Section section)
    {
        final List<String> down = section.list(ManagerSettings.HOOK_DOWN);
        final List<String> up = section.list(ManagerSettings.HOOK_UP);
        checkProgram(section, ManagerSettings.HOOK_DOWN, down);
        checkProgram(section, ManagerSettings.HOOK_UP, up);
        return new HookConfig(down, up, section.get(ManagerSettings.HOOK_DOWN_AFTER),
            section.get(ManagerSettings.HOOK_TIMEOUT));
    }

    private static void checkProgram(final Section section, final Setting<String> setting, final List<String> command)
    {
        if (!command.isEmpty() && !Path.of(command.getFirst()).toFile().canExecute())
        {
            throw section.refuse(setting, command.getFirst(), "no program that may be run",
                "name an executable file with its whole path");
        }
    }
}
