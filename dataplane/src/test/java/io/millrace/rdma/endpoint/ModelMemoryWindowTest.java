package io.millrace.rdma.endpoint;

import io.millrace.rdma.model.RdmaModel;
import io.millrace.rdma.model.RdmaProcesses;

/** The contract on the model. */
class ModelMemoryWindowTest extends MemoryWindowContractTest
{
    private final RdmaModel model = new RdmaModel();

    @Override
    protected RdmaProcesses processes()
    {
        return model;
    }
}
