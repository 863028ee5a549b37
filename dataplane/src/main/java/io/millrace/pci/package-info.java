/**
 * PCI functions that this process drives itself: their properties in sysfs, binding and unbinding of the kernel's
 * drivers, and access through VFIO: registers, DMA mappings, interrupts, reset.
 * <p>
 * Set-up only, off the reactors. A taken {@link io.millrace.pci.PciFunction} gives its driver addresses to read and
 * write; no call of this package is needed for an I/O.
 */
package io.millrace.pci;
