package io.millrace.lab.guest;

import io.millrace.rdma.core.LinuxRdmaCore;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.endpoint.DatagramContractTest;
import java.net.InetSocketAddress;

/**
 * The contract of datagram queue pairs on a device of the kernel, which is connected with itself.
 */
public class RdmaDatagramContract extends DatagramContractTest
{
    @Override
    protected RdmaCore hostCore()
    {
        return LinuxRdmaCore.INSTANCE;
    }

    @Override
    protected RdmaCore targetCore()
    {
        return LinuxRdmaCore.INSTANCE;
    }

    @Override
    protected InetSocketAddress targetAddress()
    {
        return new InetSocketAddress(System.getProperty(RdmaDeviceContract.ADDRESS), 0);
    }
}
