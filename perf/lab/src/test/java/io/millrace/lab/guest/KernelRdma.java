package io.millrace.lab.guest;

import io.millrace.rdma.core.LinuxRdmaCore;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.model.RdmaProcesses;
import java.net.InetSocketAddress;

/**
 * This process on both sides, with a device of the kernel that is connected with itself.
 */
final class KernelRdma implements RdmaProcesses
{
    /** Name of the system property that has an address of the device. */
    static final String ADDRESS = "millrace.lab.rdma";

    @Override
    public RdmaCore hostCore()
    {
        return LinuxRdmaCore.INSTANCE;
    }

    @Override
    public RdmaCore targetCore()
    {
        return LinuxRdmaCore.INSTANCE;
    }

    @Override
    public InetSocketAddress targetAddress()
    {
        return new InetSocketAddress(System.getProperty(ADDRESS), 0);
    }

    @Override
    public void close()
    {
        // What was left of a connection shows in the kernel: rdma resource show.
    }
}
