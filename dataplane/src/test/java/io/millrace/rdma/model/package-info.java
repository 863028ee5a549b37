/**
 * RDMA devices in memory, for tests: {@link io.millrace.rdma.model.ModelRdmaCore} behaves as rdma-core on hardware
 * does, errors included, over a {@link io.millrace.rdma.model.ModelNetwork} that tests disturb.
 */
package io.millrace.rdma.model;
