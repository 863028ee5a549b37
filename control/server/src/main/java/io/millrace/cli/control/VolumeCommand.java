package io.millrace.cli.control;

import io.millrace.cli.control.ControlOptions.AnswerTimeout;
import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandException;
import io.millrace.console.CommandGroup;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Role;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace volume}: logical volumes of SPDK, each a device.
 */
@Command(
    name = "volume",
    description = "Create, snapshot, clone, resize and delete logical volumes of SPDK.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace volume create vol0 --store lvs0 --size 64GiB --thin",
        "  millrace volume snapshot vol0 monday",
        "  millrace volume clone monday vol1",
        "  millrace volume resize vol0 128GiB",
        "  millrace volume delete vol1 --data"})
public final class VolumeCommand extends CommandGroup
{
    private static final String TYPE = "spdk-lvol";
    private static final String LVOL = "lvol";
    private static final String DELETE_DATA = "delete-data";

    /**
     * Called by picocli.
     */
    public VolumeCommand()
    {
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
        description = {
            "List logical volumes that are devices.",
            "'millrace spdk rpc bdev_lvol_get_lvols' lists all that SPDK has, with the space that they take."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace volume list", "  millrace volume list --json"})
    int list(@Mixin final ControlOptions control, @Mixin final OutputOptions output)
    {
        return control.run(Role.READ, (link) -> output.print(Views.DEVICES,
            link.client().devices("").stream().filter((each) -> TYPE.equals(each.type())).toList()));
    }

    @Command(name = "create", mixinStandardHelpOptions = true,
        description = {
            "Create a logical volume and a device for it.",
            "Stores are made with SPDK's own methods: see docs/spdk.md. A volume of that name in the store, which " +
                "is no device, becomes one with its data."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace volume create vol0 --store lvs0 --size 64GiB",
            "  millrace volume create vol0 --store lvs0 --size 64GiB --thin"})
    int create(
        @Mixin final ControlOptions control,
        @Parameters(paramLabel = "NAME", description = "Name of the volume in its store, and of the device.")
        final String name,
        @Option(names = "--store", paramLabel = "STORE", required = true,
            description = "Logical volume store that it is in.") final String store,
        @Option(names = {"-s", "--size"}, paramLabel = "SIZE", required = true,
            description = "Size; SPDK rounds it up to whole clusters, 4 MiB when a store was made without another.")
        final String size,
        @Option(names = "--thin", description = "Take space of the store when blocks are first written: writes fail " +
            "in a full store. Default: all at once.") final boolean isThin)
    {
        final Map<String, String> settings = new TreeMap<>(Map.of(LVOL, store + '/' + name, "size", size));
        if (isThin)
        {
            settings.put("thin", "true");
        }
        return make(control, new DeviceSpec(name, TYPE, settings), "volume " + name + " created");
    }

    @Command(name = "snapshot", mixinStandardHelpOptions = true,
        description = {
            "Make a snapshot of a volume: what it has at this moment, read-only, as a device of its own.",
            "Hosts go on meanwhile. What they have not flushed, a file system's cache first, is not in it."},
        footerHeading = "%nExamples:%n", footer = {"  millrace volume snapshot vol0 monday"})
    int snapshot(
        @Mixin final ControlOptions control,
        @Parameters(index = "0", paramLabel = "VOLUME", completionCandidates = LiveNames.Devices.class,
            description = "Volume.") final String volume,
        @Parameters(index = "1", paramLabel = "NAME", description = "Name of the snapshot and of its device.")
        final String name)
    {
        return derive(control, volume, name, "snapshot-of", "snapshot " + name + " of volume " + volume + " made");
    }

    @Command(name = "clone", mixinStandardHelpOptions = true,
        description = {
            "Make a volume that begins as a snapshot is.",
            "It takes space of the store when blocks are written. The snapshot cannot be deleted while it has more " +
                "than one clone; the volume that it was made of is one."},
        footerHeading = "%nExamples:%n", footer = {"  millrace volume clone monday vol1"})
    int copy(
        @Mixin final ControlOptions control,
        @Parameters(index = "0", paramLabel = "SNAPSHOT", completionCandidates = LiveNames.Devices.class,
            description = "Snapshot.") final String snapshot,
        @Parameters(index = "1", paramLabel = "NAME", description = "Name of the new volume and of its device.")
        final String name)
    {
        return derive(control, snapshot, name, "clone-of", "volume " + name + " is a clone of " + snapshot);
    }

    @Command(name = "resize", mixinStandardHelpOptions = true,
        description = "Grow a volume; connected hosts are notified.",
        footerHeading = "%nExamples:%n", footer = {
            "  millrace volume resize vol0 128GiB", "  millrace volume resize vol0 +64GiB"})
    int resize(
        @Mixin final ControlOptions control,
        @Parameters(index = "0", paramLabel = "VOLUME", completionCandidates = LiveNames.Devices.class,
            description = "Volume.") final String volume,
        @Parameters(index = "1", paramLabel = "SIZE", description = "New size, or with a leading + the increase.")
        final String size)
    {
        return DeviceCommand.grow(control, volume, size, "volume ", VolumeCommand::require);
    }

    @Command(name = "delete", mixinStandardHelpOptions = true,
        description = {
            "Delete the devices of volumes that nothing uses; with --data the volumes, too.",
            "Without --data the volume stays in its store, and 'volume create' makes it a device again."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace volume delete vol1", "  millrace volume delete vol1 --data --yes"})
    int delete(
        @Mixin final ControlOptions control,
        @Mixin final Removal removal,
        @Option(names = "--data", description = "Delete the volumes with all their data.") final boolean deletesData,
        @Parameters(arity = "1..*", paramLabel = "VOLUME", completionCandidates = LiveNames.Devices.class,
            description = "Volumes to delete, in this order.")
        final List<String> names)
    {
        return removal.run(control, Views.DEVICES, "", names, DeviceInfo::name,
            deletesData ? ImpactCheck::confirmDeleteData : (_, _) ->
            {
            }, (client, name) ->
            {
                delete(client, name, deletesData);
                return "volume " + name + (deletesData ? " deleted with its data" : " is no device any more, its " +
                    "data stays");
            });
    }

    private static void delete(final ControlClient client, final String name, final boolean deletesData)
    {
        final boolean was = "true".equals(require(client, name).properties().get(DELETE_DATA));
        if (was != deletesData)
        {
            client.modifyDevice(name, Map.of(DELETE_DATA, Boolean.toString(deletesData)));
        }
        try
        {
            client.deleteDevice(name);
        }
        catch (final ControlException e)
        {
            keep(client, name, was);
            throw e;
        }
    }

    /** A later command must not delete the data for this one. */
    private static void keep(final ControlClient client, final String name, final boolean was)
    {
        try
        {
            client.modifyDevice(name, Map.of(DELETE_DATA, Boolean.toString(was)));
        }
        catch (final ControlException _)
        {
            // The device is gone; why the data is not is reported.
        }
    }

    private static int derive(
        final ControlOptions control,
        final String origin,
        final String name,
        final String setting,
        final String outcome)
    {
        return control.run(Role.ADMIN, AnswerTimeout.LONG, null, (link) ->
        {
            if (link.client().devices("").stream().anyMatch((each) -> name.equals(each.name())))
            {
                throw new CommandException(
                    ExitCode.FAILURE, "device " + name + " already exists: choose another name");
            }
            final String lvol = require(link.client(), origin).properties().get(LVOL);
            final int slash = lvol.indexOf('/');
            link.client().createDevice(DeviceOptions.check(new DeviceSpec(name, TYPE,
                Map.of(LVOL, lvol.substring(0, slash + 1) + name, setting, lvol.substring(slash + 1))), ""));
            Terminal.standard().line(link.outcome(outcome));
            return ExitCode.OK;
        });
    }

    private static int make(final ControlOptions control, final DeviceSpec device, final String outcome)
    {
        DeviceOptions.check(device, "--");
        return control.run(Role.ADMIN, AnswerTimeout.LONG, null, (link) ->
        {
            link.client().createDevice(device);
            Terminal.standard().line(link.outcome(outcome));
            return ExitCode.OK;
        });
    }

    /** {@return the settings of a volume} */
    private static DeviceSpec require(final ControlClient client, final String name)
    {
        final DeviceSpec spec = client.devices(name).getFirst().spec();
        if (!TYPE.equals(spec.type()))
        {
            throw new CommandException(ExitCode.FAILURE, "device " + name + " is of type " + spec.type() +
                ", no logical volume: 'millrace volume list' lists them");
        }
        return spec;
    }
}
