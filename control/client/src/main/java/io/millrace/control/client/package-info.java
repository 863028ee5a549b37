/**
 * The Java client of a data plane's control: typed calls over Aeron, their answers and the events. A client belongs to
 * the thread that uses it.
 *
 * <pre>{@code
 * try (ControlClient client = ControlClient.connect(new ControlClientContext().role(Role.ADMIN)))
 * {
 *     client.createDevice(DeviceSpec.memory("mem0", 1L << 30, 4096));
 *     client.createSubsystem(new SubsystemSpec(nqn, true));
 *     client.addNamespace(new NamespaceSpec(nqn, 1, "mem0"));
 * }
 * }</pre>
 */
package io.millrace.control.client;
