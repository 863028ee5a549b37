package io.millrace.dataplane;

import io.millrace.block.BlockDeviceException;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.SettingException;
import io.millrace.dataplane.config.SpdkSettings;
import io.millrace.export.ExportedDevice;
import io.millrace.spdk.SpdkException;
import io.millrace.spdk.SpdkRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Devices of a data plane that SPDK serves by front ends of its own configuration. Used by the thread that starts or
 * closes the data plane.
 */
final class Exports implements AutoCloseable
{
    private final Operations operations;
    private final Devices devices;
    private final ExportMemory memory;
    private final List<ManagedDevice> exported = new ArrayList<>();

    Exports(final Operations operations, final Devices devices, final ExportMemory memory)
    {
        this.operations = operations;
        this.devices = devices;
        this.memory = memory;
    }

    /**
     * Makes bdevs of the devices, then the front ends.
     *
     * @param settings of SPDK.
     * @param spdk     SPDK, which runs.
     * @throws SettingException naming the setting that cannot be applied.
     */
    void start(final SpdkSettings settings, final SpdkRuntime spdk)
    {
        synchronized (operations)
        {
            try
            {
                memory.start(spdk);
            }
            catch (final SpdkException e)
            {
                throw new SettingException("spdk.exports", null, e.problem(), "", e);
            }
        }
        for (int i = 0; i < settings.exports().size(); i++)
        {
            try
            {
                export(settings.exports().get(i), spdk);
            }
            catch (final OperationException e)
            {
                throw new SettingException(
                    "spdk.exports[" + i + "]", settings.exports().get(i), e.problem(), e.remedy(), e);
            }
        }
        if (null != settings.frontEnds())
        {
            startFrontEnds(settings.frontEnds(), spdk);
        }
    }

    private void export(final String name, final SpdkRuntime spdk)
    {
        synchronized (operations)
        {
            final ManagedDevice device = devices.require(name);
            DeviceChecks.checkUnused(device, "a device has one user: use another");
            try
            {
                device.user(ManagedDevice.User.of(
                    ExportedDevice.export(device.device(), "device " + name, spdk, memory::buffers)));
            }
            catch (final BlockDeviceException e)
            {
                throw new OperationException(Reason.FAILED, "device " + name, e.getMessage(), "", e);
            }
            exported.add(device);
        }
    }

    private static void startFrontEnds(final Path file, final SpdkRuntime spdk)
    {
        try
        {
            spdk.serve(Files.readString(file));
        }
        catch (final IOException e)
        {
            throw new SettingException("spdk.front-ends", file, "cannot be read (" + e + ')',
                "name a JSON file with the subsystems nvmf or vhost_blk, as SPDK's save_config writes them", e);
        }
        catch (final SpdkException e)
        {
            throw new SettingException("spdk.front-ends", file, e.problem(), "", e);
        }
    }

    /** {@return names of the devices} */
    List<String> names()
    {
        return exported.stream().map(ManagedDevice::name).toList();
    }

    /** SPDK's front ends let go of the devices. */
    @Override
    public void close()
    {
        for (final ManagedDevice device : exported.reversed())
        {
            try
            {
                device.user().export().close();
                device.user(null);
            }
            catch (final SpdkException e)
            {
                memory.keep();
                operations.onError("device " + device.name() + ": " + e.problem());
            }
        }
    }
}
