package io.millrace.lab.guest;

import io.millrace.rdma.endpoint.DatagramContractTest;
import io.millrace.rdma.model.RdmaProcesses;

/**
 * The contract of datagram queue pairs on a device of the kernel, which is connected with itself.
 */
public class RdmaDatagramContract extends DatagramContractTest
{
    @Override
    protected RdmaProcesses processes()
    {
        return new KernelRdma();
    }
}
