package io.millrace.block.spdk;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.block.BlockDeviceException;
import io.millrace.spdk.SpdkBdevListener;
import io.millrace.spdk.SpdkException;
import io.millrace.spdk.SpdkReactor;
import io.millrace.spdk.SpdkRuntime;
import java.util.regex.Pattern;

/**
 * A logical volume of SPDK in its store, which may not be there yet. What changes it are SPDK's own methods of
 * JSON-RPC. Off the reactors; immutable.
 */
public final class LogicalVolume implements BdevSource
{
    private static final long MIB = 1 << 20;
    /** What JSON needs no escapes for. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,63}");

    private final SpdkRuntime runtime;
    private final String store;
    private final String name;

    /**
     * A logical volume.
     *
     * @param runtime SPDK, which runs.
     * @param lvol    as {@code STORE/NAME}, which is an alias of its bdev.
     * @throws BlockDeviceException if that is no name.
     */
    public LogicalVolume(final SpdkRuntime runtime, final String lvol)
    {
        final int slash = lvol.indexOf('/');
        this.runtime = runtime;
        store = checked(lvol, lvol.substring(0, Math.max(0, slash)));
        name = checked(lvol, lvol.substring(slash + 1));
    }

    private static String checked(final String lvol, final String part)
    {
        if (!NAME.matcher(part).matches())
        {
            throw new BlockDeviceException("lvol '" + lvol + "' is not STORE/NAME: use letters, digits, '.', '_' and " +
                "'-', up to 63 in each part");
        }
        return part;
    }

    /**
     * {@return an alias of its bdev}
     */
    public String alias()
    {
        return store + '/' + name;
    }

    @Override
    public String bdevName()
    {
        return alias();
    }

    @Override
    public String remedyWhenMissing()
    {
        return "'millrace spdk rpc bdev_lvol_get_lvols' lists volumes; is the bdev of its store there?";
    }

    /**
     * {@return whether SPDK has it, after it has looked at all bdevs that it has}
     */
    public boolean isPresent()
    {
        if (hasBdev())
        {
            return true;
        }
        call("looked for", "bdev_wait_for_examine", "");
        return hasBdev();
    }

    private boolean hasBdev()
    {
        return runtime.onApplication(() ->
        {
            final SpdkReactor application = runtime.application();
            final SpdkBdevListener nobody = new Nobody();
            try
            {
                application.close(application.open(alias(), false, 0, nobody), nobody);
                return true;
            }
            catch (final NativeException e)
            {
                return Errno.ENODEV != e.errno();
            }
        });
    }

    /**
     * Makes it. Its blocks read as what the base of the store has after it was unmapped: zeroes, or old data.
     *
     * @param sizeBytes of the volume, a multiple of 1 MiB; SPDK rounds it up to whole clusters of the store.
     * @param isThin    whether it takes space of the store when blocks are first written.
     * @throws BlockDeviceException naming what SPDK refused.
     */
    public void create(final long sizeBytes, final boolean isThin)
    {
        call("made", "bdev_lvol_create", "\"lvs_name\": \"" + store + "\", \"lvol_name\": \"" + name +
            "\", \"size_in_mib\": " + sizeBytes / MIB + ", \"thin_provision\": " + isThin);
    }

    /**
     * Makes it as a snapshot: what the other has at this moment, read-only. The other goes on as its clone.
     *
     * @param origin name of a volume of the same store.
     * @throws BlockDeviceException naming what SPDK refused.
     */
    public void createAsSnapshot(final String origin)
    {
        call("made", "bdev_lvol_snapshot", "\"lvol_name\": \"" + store + '/' + checked(origin, origin) +
            "\", \"snapshot_name\": \"" + name + '"');
    }

    /**
     * Makes it as a clone: a volume that begins as the snapshot is, and takes space when blocks are written.
     *
     * @param snapshot name of a snapshot of the same store.
     * @throws BlockDeviceException naming what SPDK refused.
     */
    public void createAsClone(final String snapshot)
    {
        call("made", "bdev_lvol_clone", "\"snapshot_name\": \"" + store + '/' + checked(snapshot, snapshot) +
            "\", \"clone_name\": \"" + name + '"');
    }

    /**
     * {@inheritDoc} The size is as in {@link #create}.
     */
    @Override
    public boolean grow(final long sizeBytes)
    {
        if (0 != sizeBytes % MIB)
        {
            throw new BlockDeviceException("size " + sizeBytes + " bytes is not a multiple of 1 MiB, which logical " +
                "volumes have: use " + (sizeBytes / MIB + 1) + "MiB");
        }
        call("made larger", "bdev_lvol_resize",
            "\"name\": \"" + alias() + "\", \"size_in_mib\": " + sizeBytes / MIB);
        return true;
    }

    /** {@inheritDoc} It stays until it is {@link #delete() deleted}. */
    @Override
    public void release()
    {
        // As its store has it.
    }

    /**
     * Deletes it, with all its data. Nobody has it open.
     *
     * @throws BlockDeviceException naming what SPDK refused, as of a snapshot that has several clones.
     */
    public void delete()
    {
        call("deleted", "bdev_lvol_delete", "\"name\": \"" + alias() + '"');
    }

    private void call(final String done, final String method, final String params)
    {
        try
        {
            runtime.call(method, params);
        }
        catch (final SpdkException e)
        {
            throw new BlockDeviceException("lvol " + alias() + " cannot be " + done + ": " + e.problem() +
                ": 'millrace spdk rpc bdev_lvol_get_lvstores' lists stores with their free clusters, " +
                "bdev_lvol_get_lvols volumes", e);
        }
    }

    /** Of a bdev that is closed at once. */
    private static final class Nobody implements SpdkBdevListener
    {
        @Override
        public void onCompletion(final int slot, final int completionStatus, final int errno)
        {
            throw new IllegalStateException("completion " + slot + " of a bdev without requests");
        }

        @Override
        public void onRemoved()
        {
            // It is closed before this could come.
        }

        @Override
        public void onRefused(final boolean isRefused)
        {
            // It is no namespace.
        }

        @Override
        public void onResized(final long blockCount)
        {
            // As above.
        }
    }
}
