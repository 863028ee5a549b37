package io.millrace.lab.guest;

import io.millrace.rdma.endpoint.RdmaEndpointContractTest;
import io.millrace.rdma.model.RdmaProcesses;

/**
 * The contract of RDMA endpoints on a device of the kernel, which is connected with itself.
 */
public class RdmaDeviceContract extends RdmaEndpointContractTest
{
    /**
     * Runs it and ends with exit code 1 when a test failed.
     *
     * @param args an address of the device.
     */
    public static void main(final String[] args)
    {
        System.setProperty(KernelRdma.ADDRESS, args[0]);
        boolean isGood = ContractRun.run(RdmaDeviceContract.class, "endpoints");
        isGood &= ContractRun.run(RdmaSharedReceiveContract.class, "shared-receive-queues");
        isGood &= ContractRun.run(RdmaDatagramContract.class, "datagrams");
        System.exit(isGood ? 0 : 1);
    }

    @Override
    protected RdmaProcesses processes()
    {
        return new KernelRdma();
    }
}
