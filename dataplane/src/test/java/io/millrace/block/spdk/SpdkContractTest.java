package io.millrace.block.spdk;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.memory.DmaMemory;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import io.millrace.spdk.SpdkTesting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The contract over bdevs of SPDK. One class a kind of bdev.
 */
@Tag("spdk")
class SpdkContractTest
{
    /** What they share: a bdev is made by calls of SPDK's JSON-RPC, which others undo. */
    abstract static class BdevContract extends BlockDeviceContractTest
    {
        private final Deque<Runnable> undoing = new ArrayDeque<>();

        /**
         * {@return the name of a new bdev of {@link #SIZE_BYTES}}
         */
        abstract String make() throws IOException;

        final String malloc(final long sizeBytes, final int blockSizeBytes)
        {
            final String name = SpdkTesting.name("Malloc");
            make("bdev_malloc_create", "{'name':'" + name + "','num_blocks':" + sizeBytes / blockSizeBytes +
                ",'block_size':" + blockSizeBytes + "}", "bdev_malloc_delete", "{'name':'" + name + "'}");
            return name;
        }

        final void make(final String method, final String params, final String undo, final String undoParams)
        {
            SpdkTesting.rpc(method, params);
            undoing.push(() -> SpdkTesting.rpc(undo, undoParams));
        }

        @Override
        protected final BlockDevice create(final DmaMemory registered) throws IOException
        {
            return SpdkDevice.open("vol0", make(), SpdkTesting.runtime());
        }

        @AfterEach
        final void undo()
        {
            undoing.forEach(Runnable::run);
        }
    }

    @Nested
    class MallocOf512 extends BdevContract
    {
        @Override
        String make()
        {
            return malloc(SIZE_BYTES, 512);
        }
    }

    @Nested
    class MallocOf4096 extends BdevContract
    {
        @Override
        String make()
        {
            return malloc(SIZE_BYTES, 4096);
        }
    }

    @Nested
    class Delay extends BdevContract
    {
        @Override
        String make()
        {
            final String base = malloc(SIZE_BYTES, 4096);
            final String name = SpdkTesting.name("Delay");
            make("bdev_delay_create", "{'name':'" + name + "','base_bdev_name':'" + base +
                "','avg_read_latency':100,'p99_read_latency':300,'avg_write_latency':100,'p99_write_latency':300}",
                "bdev_delay_delete", "{'name':'" + name + "'}");
            return name;
        }
    }

    @Nested
    class ErrorInjection extends BdevContract
    {
        @Override
        String make()
        {
            final String base = malloc(SIZE_BYTES, 512);
            make("bdev_error_create", "{'base_name':'" + base + "'}",
                "bdev_error_delete", "{'name':'EE_" + base + "'}");
            return "EE_" + base;
        }
    }

    @Nested
    class Raid0 extends BdevContract
    {
        @Override
        String make()
        {
            final String name = SpdkTesting.name("Raid");
            final String members = "'" + malloc(SIZE_BYTES / 2, 4096) + "','" + malloc(SIZE_BYTES / 2, 4096) + "'";
            make("bdev_raid_create", "{'name':'" + name + "','strip_size_kb':64,'raid_level':'raid0','base_bdevs':[" +
                members + "]}", "bdev_raid_delete", "{'name':'" + name + "'}");
            return name;
        }
    }

    @Nested
    class Raid1 extends BdevContract
    {
        @Override
        String make()
        {
            final String name = SpdkTesting.name("Raid");
            final String members = "'" + malloc(SIZE_BYTES, 4096) + "','" + malloc(SIZE_BYTES, 4096) + "'";
            make("bdev_raid_create", "{'name':'" + name + "','raid_level':'raid1','base_bdevs':[" + members + "]}",
                "bdev_raid_delete", "{'name':'" + name + "'}");
            return name;
        }
    }

    @Nested
    class LogicalVolume extends BdevContract
    {
        @Override
        String make()
        {
            final String store = SpdkTesting.name("lvs");
            make("bdev_lvol_create_lvstore", "{'bdev_name':'" + malloc(64 << 20, 4096) + "','lvs_name':'" + store +
                "','cluster_sz':1048576}", "bdev_lvol_delete_lvstore", "{'lvs_name':'" + store + "'}");
            SpdkTesting.rpc("bdev_lvol_create", "{'lvs_name':'" + store +
                "','lvol_name':'vol','size_in_mib':8,'thin_provision':true}");
            return store + "/vol";
        }
    }

    @Nested
    class Aio extends BdevContract
    {
        @Override
        String make() throws IOException
        {
            final String name = SpdkTesting.name("Aio");
            make("bdev_aio_create", "{'name':'" + name + "','filename':'" +
                FileOfBdev.make(directory, SIZE_BYTES) + "','block_size':4096}",
                "bdev_aio_delete", "{'name':'" + name + "'}");
            return name;
        }
    }

    @Nested
    class Uring extends BdevContract
    {
        @Override
        String make() throws IOException
        {
            final String name = SpdkTesting.name("Uring");
            make("bdev_uring_create", "{'name':'" + name + "','filename':'" +
                FileOfBdev.make(directory, SIZE_BYTES) + "','block_size':4096}",
                "bdev_uring_delete", "{'name':'" + name + "'}");
            return name;
        }
    }

    /** Of SPDK's NVMe driver, over TCP from Millrace's own target. */
    @Nested
    class NvmeTcp extends BdevContract
    {
        private static final String NQN = "nqn.2026-11.io.millrace:contract";

        private DataPlane target;

        @Override
        String make()
        {
            target = DataPlane.start(new DataPlaneConfig(
                List.of(ReactorConfig.of("contract-target", -1)), DataPlaneConfig.MEMORY_BYTES_MIN * 4,
                List.of(DeviceConfig.memory("mem0", SIZE_BYTES, 4096)),
                List.of(new SubsystemSettings(NQN, null, SubsystemSettings.MODEL_DEFAULT, true, List.of(),
                    List.of(new SubsystemSettings.NamespaceSettings(1, "mem0", null)))),
                List.of(new ListenerSettings(TransportAddress.tcp(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))),
                DataPlaneConfig.NO_DISCOVERY_PORT, TargetConfig.defaults(), TcpTransportConfig.defaults()),
                TargetListener.NONE);
            final String name = SpdkTesting.name("Nvme");
            make("bdev_nvme_attach_controller", "{'name':'" + name + "','trtype':'TCP','adrfam':'ipv4','traddr':" +
                "'127.0.0.1','trsvcid':'" + target.addresses().getFirst().socketAddress().getPort() + "','subnqn':'" +
                NQN + "'}", "bdev_nvme_detach_controller", "{'name':'" + name + "'}");
            return name + "n1";
        }

        @AfterEach
        void stop()
        {
            target.close();
        }
    }
}
