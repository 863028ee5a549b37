/**
 * Devices of the data plane as bdevs of SPDK, so that SPDK's front ends serve them: its NVMe-oF target, and vhost for
 * virtual machines.
 */
package io.millrace.export;
