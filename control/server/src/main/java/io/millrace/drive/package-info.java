/**
 * {@code millrace drive}: the NVMe drives of this machine, who drives and who uses them, and giving them to VFIO and
 * back. Main thread.
 */
package io.millrace.drive;
