/**
 * Requests of a reactor and what they wait for: slots, buffers, devices, limits, the time of admin commands. A
 * {@link io.millrace.nvmf.request.Request} is one command on its way; it knows the queue pair that it belongs to as its
 * {@link io.millrace.nvmf.request.RequestOwner} and nothing above. Everything here belongs to one reactor; nothing is
 * allocated per command.
 */
package io.millrace.nvmf.request;
