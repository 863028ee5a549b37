package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.block.DeviceProperties;
import io.millrace.block.file.FileDevice;
import io.millrace.block.file.FileDeviceConfig;
import io.millrace.validation.ResourceValidation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Volumes in regular files and on block devices of the kernel.
 */
final class FileFactory implements DeviceFactory
{
    @Override
    public String type()
    {
        return "file";
    }

    @Override
    public String description(final DeviceProperties properties)
    {
        return "file " + properties.text(FileDeviceConfig.PATH);
    }

    @Override
    public String location(final DeviceProperties properties)
    {
        return "path " + path(properties);
    }

    @Override
    public Problem problem(final DeviceProperties properties)
    {
        final String path = properties.text(FileDeviceConfig.PATH);
        final ResourceValidation.Problem problem = ResourceValidation.ofPath(path);
        return null != problem ? new Problem(FileDeviceConfig.PATH, path, problem.bound(), problem.remedy()) :
            DeviceFactory.sizeProblem(properties, false);
    }

    @Override
    public BlockDevice open(final String name, final DeviceProperties properties, final DeviceDependencies dependencies)
    {
        return FileDevice.open(FileDeviceConfig.of(name, properties)
            .withBounds(dependencies.files().bounds())
            .withRecords(dependencies.files().records()), dependencies.memory());
    }

    @Override
    public List<String> notes(final BlockDevice device)
    {
        return ((FileDevice)device).notes();
    }

    /** The file stays; a device created again with its path may make it, should it be missing then. */
    @Override
    public void onDeleted(final String name, final DeviceProperties properties, final DeviceDependencies dependencies)
    {
        try
        {
            dependencies.files().records().remove(Path.of(properties.text(FileDeviceConfig.PATH)));
        }
        catch (final IOException e)
        {
            dependencies.onWarning().accept("device " + name + " is deleted, but the record of its file " +
                properties.text(FileDeviceConfig.PATH) + " cannot be removed (" + e + "): while the file is missing, " +
                "no device with that path can be created");
        }
    }

    private static Path path(final DeviceProperties properties)
    {
        return Path.of(properties.text(FileDeviceConfig.PATH)).toAbsolutePath().normalize();
    }
}
