/**
 * How each type of device is made from its settings: one {@link io.millrace.dataplane.device.DeviceFactory} a type,
 * listed in {@link io.millrace.dataplane.device.DeviceFactories}. Off the reactors.
 */
package io.millrace.dataplane.device;
