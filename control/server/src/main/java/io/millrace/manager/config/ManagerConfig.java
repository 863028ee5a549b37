package io.millrace.manager.config;

import io.millrace.control.client.ControlDirectories;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.state.ManagerName;
import io.millrace.settings.BaseDirectories;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Configuration of a manager. Immutable.
 *
 * @param name           that clients and data planes see.
 * @param stateDirectory where it keeps its state.
 * @param versionsKept   most versions of each data plane.
 * @param control        where it takes commands.
 * @param metrics        where it answers Prometheus; null: nowhere.
 * @param dataPlanes     that it manages, one or more.
 * @param hooks          programs that it runs.
 */
public record ManagerConfig(
    String name,
    Path stateDirectory,
    int versionsKept,
    ControlSettings control,
    InetSocketAddress metrics,
    List<PlaneConfig> dataPlanes,
    HookConfig hooks)
{
    /** Versions kept when nothing else is said. */
    public static final int VERSIONS_KEPT_DEFAULT = 50;
    /** Name when none is given. */
    public static final String NAME_DEFAULT = ManagerName.DEFAULT;
    /** Name of the one data plane when no file declares any. */
    static final String PLANE_NAME_DEFAULT = ControlSettings.NAME_DEFAULT;

    /**
     * Rejects null, and copies the list.
     */
    public ManagerConfig
    {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(stateDirectory, "stateDirectory");
        Objects.requireNonNull(control, "control");
        Objects.requireNonNull(hooks, "hooks");
        dataPlanes = List.copyOf(dataPlanes);
    }

    /**
     * The manager of the one data plane of this user on this machine.
     *
     * @param environment of the process.
     * @return what it is told.
     */
    public static ManagerConfig ofThisUser(final Map<String, String> environment)
    {
        return new ManagerConfig(NAME_DEFAULT, stateDirectoryDefault(environment), VERSIONS_KEPT_DEFAULT,
            new ControlSettings(controlDirectoryDefault(), ControlSettings.IPC_CHANNEL,
            ControlSettings.STREAM_ID_DEFAULT, null, NAME_DEFAULT), null,
            List.of(planeOfThisUser()), HookConfig.NONE);
    }

    /** Managed when no file declares any. */
    static PlaneConfig planeOfThisUser()
    {
        return new PlaneConfig(PLANE_NAME_DEFAULT, ControlSettings.directoryDefault(), ControlSettings.IPC_CHANNEL,
            ControlSettings.STREAM_ID_DEFAULT, "", null, ControlSettings.IPC_CHANNEL);
    }

    /**
     * {@return the directory of the state when none is given, by the XDG base directory specification}
     *
     * @param environment of the process.
     */
    static Path stateDirectoryDefault(final Map<String, String> environment)
    {
        return BaseDirectories.state(environment).resolve("millrace").resolve("manager");
    }

    /**
     * {@return the directory of the media driver when none is given: in memory, one for each user}
     */
    public static Path controlDirectoryDefault()
    {
        return ControlDirectories.manager();
    }
}
