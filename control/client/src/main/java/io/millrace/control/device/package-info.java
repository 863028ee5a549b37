/**
 * The types of device, each declared once as a table of settings: {@link io.millrace.control.device.DeviceTypes}.
 * Files, desired state, messages, commands, plans and documentation follow from the tables. Immutable; any thread.
 */
package io.millrace.control.device;
