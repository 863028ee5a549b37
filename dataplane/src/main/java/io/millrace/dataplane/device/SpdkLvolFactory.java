package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceProperties;
import io.millrace.block.file.FileRecords;
import io.millrace.block.spdk.LogicalVolume;
import io.millrace.block.spdk.SpdkDevice;
import io.millrace.spdk.SpdkRuntime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/**
 * Logical volumes of SPDK, with their snapshots and clones. A missing one is made when no device ever had it; else
 * hosts would find an empty volume under the identity of theirs.
 */
final class SpdkLvolFactory implements DeviceFactory
{
    private static final String LVOL = "lvol";
    private static final String SNAPSHOT_OF = "snapshot-of";
    private static final String CLONE_OF = "clone-of";
    private static final String THIN = "thin";
    private static final String DELETE_DATA = "delete-data";

    private final SpdkAccess access;

    /**
     * @param access to SPDK, of all its devices.
     */
    SpdkLvolFactory(final SpdkAccess access)
    {
        this.access = access;
    }

    @Override
    public String type()
    {
        return "spdk-lvol";
    }

    @Override
    public String description(final DeviceProperties properties)
    {
        final String origin = properties.text(SNAPSHOT_OF, "");
        return (origin.isEmpty() ? "logical volume " : "snapshot ") + properties.text(LVOL) + " of SPDK";
    }

    /** The alias of its bdev, which may be a device of type spdk-bdev as well. */
    @Override
    public String location(final DeviceProperties properties)
    {
        return "bdev " + properties.text(LVOL);
    }

    @Override
    public BlockDevice open(final String name, final DeviceProperties properties, final DeviceDependencies dependencies)
    {
        return access.use(name, dependencies, (spdk) -> open(name, properties, dependencies, spdk));
    }

    private static BlockDevice open(
        final String name,
        final DeviceProperties properties,
        final DeviceDependencies dependencies,
        final SpdkRuntime spdk)
    {
        final LogicalVolume volume = new LogicalVolume(spdk, properties.text(LVOL));
        final boolean isNew = !volume.isPresent();
        if (isNew)
        {
            checkNeverHad(name, volume, dependencies.files().records());
            create(name, volume, properties);
        }
        else if (isMadeOfOther(properties))
        {
            checkReturning(name, volume, dependencies.files().records());
        }
        final SpdkDevice device;
        try
        {
            device = SpdkDevice.open(name, volume, spdk);
        }
        catch (final BlockDeviceException e)
        {
            throw withdrawn(volume, isNew, e);
        }
        try
        {
            grow(device, properties.number(SIZE, 0));
        }
        catch (final BlockDeviceException e)
        {
            device.close();
            throw withdrawn(volume, isNew, e);
        }
        record(name, volume, dependencies);
        return device;
    }

    private static void record(final String name, final LogicalVolume volume, final DeviceDependencies dependencies)
    {
        try
        {
            dependencies.files().records().add(name, FileRecords.pathOfLvol(volume.alias()));
        }
        catch (final IOException e)
        {
            dependencies.onWarning().accept("device " + name + ": that it has logical volume " + volume.alias() +
                " cannot be recorded (" + e + "): if it is missing at a later start, an empty one is made");
        }
    }

    private static void checkNeverHad(final String name, final LogicalVolume volume, final FileRecords records)
    {
        final String had;
        try
        {
            had = records.had(FileRecords.pathOfLvol(volume.alias()));
        }
        catch (final IOException e)
        {
            throw unreadable(name, volume, e);
        }
        if (null != had)
        {
            throw new BlockDeviceException("device " + name + ": SPDK has no logical volume " + volume.alias() +
                ", though " + had + ": is the bdev of its store in spdk.config, and its drive or file there? To " +
                "begin with an empty one make it with SPDK's bdev_lvol_create");
        }
    }

    /** A volume that is there already is not what the other has now. */
    private static void checkReturning(final String name, final LogicalVolume volume, final FileRecords records)
    {
        try
        {
            if (!records.isReturning(FileRecords.pathOfLvol(volume.alias())))
            {
                throw new BlockDeviceException("device " + name + ": SPDK has logical volume " + volume.alias() +
                    " already, which may have other data: use another name, or create the device of it without " +
                    "snapshot-of and clone-of");
            }
        }
        catch (final IOException e)
        {
            throw unreadable(name, volume, e);
        }
    }

    private static BlockDeviceException unreadable(
        final String name, final LogicalVolume volume, final IOException cause)
    {
        return new BlockDeviceException("device " + name + ": whether a device had logical volume " + volume.alias() +
            " cannot be read (" + cause + "): let this user read that", cause);
    }

    private static boolean isMadeOfOther(final DeviceProperties properties)
    {
        return !properties.text(SNAPSHOT_OF, "").isEmpty() || !properties.text(CLONE_OF, "").isEmpty();
    }

    private static void create(final String name, final LogicalVolume volume, final DeviceProperties properties)
    {
        final String snapshotOf = properties.text(SNAPSHOT_OF, "");
        final String cloneOf = properties.text(CLONE_OF, "");
        final long sizeBytes = properties.number(SIZE, 0);
        if (!snapshotOf.isEmpty())
        {
            volume.createAsSnapshot(snapshotOf);
        }
        else if (!cloneOf.isEmpty())
        {
            volume.createAsClone(cloneOf);
        }
        else if (0 != sizeBytes)
        {
            volume.create(sizeBytes, properties.flag(THIN, false));
        }
        else
        {
            throw new BlockDeviceException("device " + name + ": SPDK has no logical volume " + volume.alias() +
                ": give a size to make it, or snapshot-of or clone-of");
        }
    }

    private static void grow(final SpdkDevice device, final long sizeBytes)
    {
        if (sizeBytes > device.geometry().sizeBytes())
        {
            device.grow(sizeBytes);
        }
    }

    /** The failure, without a volume that was made for nothing. */
    private static BlockDeviceException withdrawn(
        final LogicalVolume volume, final boolean isNew, final BlockDeviceException failure)
    {
        if (isNew)
        {
            try
            {
                volume.delete();
            }
            catch (final BlockDeviceException e)
            {
                failure.addSuppressed(e);
            }
        }
        return failure;
    }

    /** What becomes of the data is asked when the device is deleted; it must be the data that the device has. */
    @Override
    public CompletableFuture<Void> apply(
        final BlockDevice device,
        final DeviceProperties was,
        final DeviceProperties properties,
        final DeviceDependencies dependencies)
    {
        return was.text(LVOL).equals(properties.text(LVOL)) ? CompletableFuture.completedFuture(null) : null;
    }

    /** A device created again with its name may make it, should it be missing then. */
    @Override
    public void onDeleted(final String name, final DeviceProperties properties, final DeviceDependencies dependencies)
    {
        final String lvol = properties.text(LVOL);
        final boolean isDataDeleted = properties.flag(DELETE_DATA, false);
        if (isDataDeleted)
        {
            access.use(name, dependencies, (spdk) ->
            {
                new LogicalVolume(spdk, lvol).delete();
                return null;
            });
        }
        final FileRecords records = dependencies.files().records();
        final Path record = FileRecords.pathOfLvol(lvol);
        try
        {
            if (isDataDeleted)
            {
                records.withdraw(record);
            }
            else
            {
                records.remove(record);
            }
        }
        catch (final IOException e)
        {
            dependencies.onWarning().accept("device " + name + " is deleted, but the record of its logical volume " +
                lvol + " cannot be removed (" + e + "): while it is missing, no device of it can be created");
        }
    }
}
