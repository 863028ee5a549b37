package io.millrace.lab;

import io.millrace.block.DeviceHealth;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.snapshot.DeviceSnapshot;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.HostFixture;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.serve.config.ConfigReader;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A data plane in this process with an array of files, and a host that reads and writes all of it.
 */
final class ServedArray implements AutoCloseable
{
    private static final String ARRAY = "vol";
    private static final String NQN = "nqn.2026-11.io.millrace:served-array";
    private static final int DEPTH = 8;

    private final HostFixture host = new HostFixture();
    private final DataPlane dataPlane;
    private final RemoteController controller;
    private final RemoteQueuePair queue;
    private final NamespaceInfo namespace;

    /**
     * Starts it. A file that is not there is a missing member.
     *
     * @param level    of the array.
     * @param stripKib size of a strip.
     * @param files    of the members.
     * @param settings more of the array, each after a comma.
     */
    ServedArray(final String level, final int stripKib, final List<Path> files, final String settings)
    {
        final List<String> members = new ArrayList<>();
        final StringBuilder yaml = new StringBuilder("reactors: [{name: array0}]\ndevices:\n");
        for (final Path file : files)
        {
            members.add("m" + members.size());
            yaml.append("  - {name: ").append(members.getLast()).append(", type: file, path: ").append(file)
                .append(", preallocate: false}\n");
        }
        yaml.append("  - {name: ").append(ARRAY).append(", type: raid, level: ").append(level).append(", strip-size: ")
            .append(stripKib).append("KiB, members: ").append(members).append(settings).append("}\nsubsystems:\n")
            .append("  - {nqn: ").append(NQN).append(", allow-any-host: true, namespaces: [{nsid: 1, device: ")
            .append(ARRAY).append("}]}\nlisteners: [{transport: tcp, address: 127.0.0.1, port: 0}]\n")
            .append("discovery: false\n");
        dataPlane = DataPlane.start(ConfigReader.read("array.yaml", yaml.toString()).config());
        controller = host.connect(
            ConnectionConfig.to(dataPlane.addresses().getFirst().socketAddress(), NQN).build());
        queue = host.queue(controller);
        namespace = Waits.get(controller.namespace(1));
    }

    long sizeBytes()
    {
        return namespace.sizeBytes();
    }

    /** Waits until the array has grown. */
    void awaitSize(final long expectedBytes)
    {
        Waits.until("the array has " + expectedBytes + " bytes", 60,
            () -> expectedBytes == snapshot().geometry().sizeBytes());
    }

    /** Waits until the array has a number of slots, all in sync. */
    void awaitOnline(final int slots)
    {
        Waits.until("the array is online with " + slots + " slots", 60, () -> DeviceHealth.ONLINE == health() &&
            slots == dataPlane.arrays().get(ARRAY).members().stream().filter((each) -> each.slot() >= 0).count());
    }

    DeviceHealth health()
    {
        return snapshot().health();
    }

    private DeviceSnapshot snapshot()
    {
        return dataPlane.devices().get(ARRAY);
    }

    /** Writes an image from the array's first byte on. */
    void write(final byte[] image, final int transferBytes)
    {
        final MemorySegment buffer = host.memory(image.length);
        buffer.copyFrom(MemorySegment.ofArray(image));
        Waits.get(HostTransfer.write(List.of(queue), namespace, buffer, transferBytes, DEPTH));
    }

    /** {@return all of the array} */
    byte[] read(final int transferBytes)
    {
        final MemorySegment buffer = host.memory(sizeBytes());
        Waits.get(HostTransfer.read(List.of(queue), namespace, buffer, transferBytes, DEPTH));
        final byte[] image = new byte[(int)sizeBytes()];
        MemorySegment.ofArray(image).copyFrom(buffer);
        return image;
    }

    @Override
    public void close()
    {
        controller.close();
        dataPlane.close();
        host.close();
    }
}
