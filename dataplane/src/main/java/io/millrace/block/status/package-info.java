/**
 * Status codes of NVMe commands as statuses of block requests, for devices that are made of NVMe commands: drives and
 * namespaces of other targets.
 */
package io.millrace.block.status;
