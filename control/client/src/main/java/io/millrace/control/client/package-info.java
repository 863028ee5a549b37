/**
 * The Java client of data planes and managers: commands over Aeron, their answers and the events. Services use {@link
 * io.millrace.control.client.AsyncControlClient}, which owns its thread and answers with futures; a program with a duty
 * cycle of its own polls a {@link io.millrace.control.client.ControlClient}.
 *
 * <pre>{@code
 * final String nqn = "nqn.2026-11.io.example:volume";
 * try (AsyncControlClient client = AsyncControlClient.connect(new ControlClientContext()
 *     .aeronDirectoryName(directory)
 *     .role(Role.ADMIN)
 *     .listener((event) -> System.out.println(event.change() + " " + event.kind() + " " + event.name()))))
 * {
 *     client.submit(new Command.CreateDevice(DeviceSpec.memory("mem0", 64L << 20, 4096)))
 *         .thenCompose((_) -> client.submit(new Command.CreateSubsystem(new SubsystemSpec(nqn, true))))
 *         .thenCompose((_) -> client.submit(new Command.AddNamespace(new NamespaceSpec(nqn, 1, "mem0"))))
 *         .thenCompose((_) -> client.list(NamespaceInfo.class, nqn))
 *         .thenAccept((namespaces) -> System.out.println("serving " + namespaces))
 *         .join();
 * }
 * }</pre>
 *
 * <p>The JVM needs {@code --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED}, for Agrona.
 */
package io.millrace.control.client;
