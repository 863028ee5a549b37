/**
 * {@code millrace drive}: the NVMe drives of this machine, their drivers and users, and binding them to vfio-pci. Main
 * thread.
 */
package io.millrace.cli.local.drive;
