package io.millrace.rdma.endpoint;

import io.millrace.rdma.model.RdmaModel;
import io.millrace.rdma.model.RdmaProcesses;

/** The contract on the model. */
class ModelSharedReceiveTest extends SharedReceiveContractTest
{
    private final RdmaModel model = new RdmaModel();

    @Override
    protected RdmaProcesses processes()
    {
        return model;
    }
}
