package io.millrace.lab.guest;

import io.millrace.rdma.core.LinuxRdmaCore;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.endpoint.SharedReceiveContractTest;
import java.net.InetSocketAddress;

/**
 * The contract of shared receive queues on a device of the kernel, which is connected with itself.
 */
public class RdmaSharedReceiveContract extends SharedReceiveContractTest
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
