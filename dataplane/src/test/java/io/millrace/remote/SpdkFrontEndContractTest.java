package io.millrace.remote;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.block.OwningDevice;
import io.millrace.dataplane.HostTransports;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.memory.DmaMemory;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.spdk.SpdkFrontEnd;
import io.millrace.spdk.SpdkTesting;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** A memory device that SPDK's NVMe/TCP target serves, through our host. */
@Tag("spdk")
class SpdkFrontEndContractTest extends BlockDeviceContractTest
{
    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        final SpdkFrontEnd served =
            new SpdkFrontEnd(directory, DeviceConfig.memory(SpdkTesting.name("Served"), SIZE_BYTES, 4096));
        final Reactor reactor = new Reactor(ReactorConfig.of("test-admin", -1));
        reactor.start();
        final RemoteDevice device = RemoteDevice.connect(RemoteDeviceConfig.of("far",
            List.of(TransportAddress.tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), served.port()))),
            served.nqn(), 1, "", InnerTarget.HOST), HostTransports.pollGroups(), List.of(reactor));
        return new OwningDevice(device, () ->
        {
            reactor.close();
            served.close();
        });
    }
}
