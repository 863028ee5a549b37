/**
 * RDMA through verbs: devices and ports of this machine, and the choice among them. Set-up only so far; knows neither
 * NVMe nor devices of blocks.
 */
package io.millrace.rdma;
