/**
 * NVMe drives that this process drives itself (NVM Express Base 2.0, NVM Command Set 1.0, NVMe over PCIe 1.0), over a
 * {@link io.millrace.pci.PciFunction}.
 * <p>
 * A {@link io.millrace.block.nvme.NvmeController} has a thread for everything that blocks or is rare; a
 * {@link io.millrace.block.nvme.NvmeDevice} is one of its namespaces; each reactor that opens it gets an I/O queue pair
 * of its own. On a reactor nothing is allocated, locked or waited for per I/O.
 */
package io.millrace.block.nvme;
