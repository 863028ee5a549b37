package io.millrace.example;

import io.millrace.control.client.AsyncControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.client.ControlDirectories;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;

/**
 * The example of the README and of the package documentation of the client: makes a volume of 64 MiB in memory, lists
 * it, and prints the events. It needs only the client's artifact on its class path.
 */
public final class ClientExample
{
    private ClientExample()
    {
    }

    /**
     * Runs the example.
     *
     * @param args control directory of a manager or a data plane; none: that of the manager of this user.
     */
    public static void main(final String... args)
    {
        final String directory = 0 == args.length ? ControlDirectories.manager().toString() : args[0];
        // example
        final String nqn = "nqn.2026-11.io.example:volume";
        try (AsyncControlClient client = AsyncControlClient.connect(new ControlClientContext()
            .aeronDirectoryName(directory)
            .role(Role.ADMIN)
            .listener((event) -> System.out.println(event.change() + " " + event.kind() + " " + event.name()))))
        {
            client.submit(new Command.CreateDevice(DeviceSpec.memory("mem0", 64L << 20, 4096)))
                .thenCompose((_) -> client.submit(new Command.CreateSubsystem(new SubsystemSpec(nqn, true))))
                .thenCompose((_) -> client.submit(new Command.AddNamespace(new NamespaceSpec(nqn, 1, "mem0"))))
                .thenCompose((_) -> client.list(NamespaceInfo.class, nqn))
                .thenAccept((namespaces) -> System.out.println("serving " + namespaces))
                .join();
        }
        // end
    }
}
