package io.millrace.remote;

import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.initiator.InitiatorException;
import io.millrace.nvmf.initiator.RemoteController;
import java.util.concurrent.CompletableFuture;

/**
 * Finds a configured namespace at a controller. One use.
 */
final class NamespaceQuery
{
    private final RemoteController controller;
    private final RemoteDeviceConfig config;

    NamespaceQuery(final RemoteController controller, final RemoteDeviceConfig config)
    {
        this.controller = controller;
        this.config = config;
    }

    /**
     * Looks for the namespace.
     *
     * @param info of the controller.
     * @return the namespace; fails with an {@link InitiatorException} when it is not there.
     */
    CompletableFuture<NamespaceInfo> run(final ControllerInfo info)
    {
        return (0 == config.nsid() ?
            controller.findNamespace(info, (namespace) -> namespace.identity().has(config.namespaceId())) :
            controller.namespace(config.nsid())).thenApply(this::check);
    }

    private NamespaceInfo check(final NamespaceInfo namespace)
    {
        if (null == namespace)
        {
            throw new InitiatorException(config.namespace() + " at " + controller.config().target() +
                " is not there: add it to the subsystem, or name another one");
        }
        if (!config.namespaceId().isEmpty() && !namespace.identity().has(config.namespaceId()))
        {
            throw new InitiatorException(RemoteDevice.FOREIGN + config.namespace() + " at " +
                controller.config().target() + " has " + namespace.identity().text() + ", and " + config.namespaceId() +
                " is configured");
        }
        if (0 != namespace.metadataBytes())
        {
            throw new InitiatorException(config.namespace() + " at " + controller.config().target() + " has " +
                namespace.metadataBytes() + " bytes of metadata a block: format it without metadata");
        }
        return namespace;
    }
}
