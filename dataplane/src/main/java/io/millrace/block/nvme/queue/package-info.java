/**
 * Queues of an NVMe drive: submission and completion queues with their doorbells (NVM Express Base 2.0, section 3.3;
 * NVM Express over PCIe Transport 1.0, section 3.1), the memory that the drive reads and writes, data pointers into it,
 * and the shares that channels have of a queue's slots.
 * <p>
 * An I/O queue pair belongs to one reactor, the admin queues to their controller's thread.
 */
package io.millrace.block.nvme.queue;
