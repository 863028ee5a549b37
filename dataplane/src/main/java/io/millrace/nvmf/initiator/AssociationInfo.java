package io.millrace.nvmf.initiator;

import io.millrace.nvme.identify.ControllerInfo;

/**
 * What a controller reported and granted when it was connected. Immutable.
 *
 * @param controller      its properties.
 * @param queueEntriesMax largest queue; one fewer commands may be outstanding.
 * @param ioQueueCount    I/O queues it grants; 0 for a discovery controller.
 */
record AssociationInfo(ControllerInfo controller, int queueEntriesMax, int ioQueueCount)
{
}
