/**
 * Identify data structures of controllers and namespaces as flyweights, each of one group of fields, and the checked
 * values that are decoded of them: {@link io.millrace.nvme.identify.ControllerInfo},
 * {@link io.millrace.nvme.identify.NamespaceInfo} and {@link io.millrace.nvme.identify.CommandLimits}. No thread.
 */
package io.millrace.nvme.identify;
