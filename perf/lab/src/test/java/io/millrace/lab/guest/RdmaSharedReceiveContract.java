package io.millrace.lab.guest;

import io.millrace.rdma.endpoint.SharedReceiveContractTest;
import io.millrace.rdma.model.RdmaProcesses;

/**
 * The contract of shared receive queues on a device of the kernel, which is connected with itself.
 */
public class RdmaSharedReceiveContract extends SharedReceiveContractTest
{
    @Override
    protected RdmaProcesses processes()
    {
        return new KernelRdma();
    }
}
