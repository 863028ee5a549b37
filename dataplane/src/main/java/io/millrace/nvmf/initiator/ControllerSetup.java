package io.millrace.nvmf.initiator;

import io.millrace.nvme.AsyncEvent;
import io.millrace.nvme.ControllerCapabilities;
import io.millrace.nvme.ControllerConfiguration;
import io.millrace.nvme.ControllerProperty;
import io.millrace.nvme.ControllerStatus;
import io.millrace.nvme.FeatureId;
import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.reactor.Reactor;
import java.util.concurrent.CompletableFuture;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Brings a controller from a new association to readiness (NVM Express Base 2.0, section 3.5): capabilities, enable,
 * wait for ready, identify, number of queues, event configuration. One use; on the controller's reactor.
 */
final class ControllerSetup
{
    private static final long READY_INTERVAL_NS = 5_000_000;
    private static final int IO_QUEUES_WANTED = 128;
    private static final int MEMORY_PAGE_SHIFT_MIN = 12;
    private static final int CONFIGURATION_PAGE_SHIFT = 7;
    private static final int NOTICES = AsyncEvent.ENABLE_NAMESPACE_NOTICES | AsyncEvent.ENABLE_ANA_NOTICES |
        AsyncEvent.ENABLE_DISCOVERY_NOTICES;

    private final Reactor reactor;
    private final AdminQueue admin;
    private final ConnectionConfig config;
    private long capabilities;
    private long readyDeadlineNs;

    ControllerSetup(final Reactor reactor, final AdminQueue admin, final ConnectionConfig config)
    {
        this.reactor = reactor;
        this.admin = admin;
        this.config = config;
    }

    CompletableFuture<AssociationInfo> run()
    {
        return admin.open()
            .thenCompose((opened) -> call("Property Get of CAP", AdminCommand.getProperty(
                ControllerProperty.CAPABILITIES, 8)))
            .thenCompose(this::enable)
            .thenCompose((enabled) -> awaitReady())
            .thenCompose((ready) -> call("Identify Controller", AdminCommand.identify(IdentifyCns.CONTROLLER, 0)))
            .thenApply(this::decode)
            .thenCompose(this::askForEvents)
            .thenCompose(this::askForQueues);
    }

    private ControllerInfo decode(final AdminResult answer)
    {
        final ControllerInfo info = ControllerInfo.of(
            new UnsafeBuffer(answer.data()), ControllerCapabilities.memoryPageShiftMin(capabilities),
            admin.transferBytesMax());
        if (admin.controllerId() != info.controllerId())
        {
            throw new InitiatorException("controller of " + config.subsystemNqn() + " at " + config.target() +
                " has id " + admin.controllerId() + " by Connect and " + info.controllerId() +
                " by Identify: its Identify data are invalid");
        }
        return info;
    }

    private CompletableFuture<AdminResult> call(final String name, final AdminCommand command)
    {
        return admin.call(command).thenApply((answer) ->
        {
            if (!answer.isSuccess())
            {
                throw new InitiatorException(name + " of " + config.subsystemNqn() + " at " + config.target() +
                    " was answered with " + AssociationCommand.describe(answer.status()));
            }
            return answer;
        });
    }

    private CompletableFuture<AdminResult> enable(final AdminResult answer)
    {
        capabilities = answer.result();
        readyDeadlineNs = reactor.nowNs() +
            1_000_000L * Math.max(config.connectTimeoutMs(), ControllerCapabilities.timeoutMs(capabilities));
        final int pageShift = ControllerCapabilities.memoryPageShiftMin(capabilities) - MEMORY_PAGE_SHIFT_MIN;
        return call("Property Set of CC", AdminCommand.setProperty(ControllerProperty.CONFIGURATION,
            ControllerConfiguration.ENABLE | ControllerConfiguration.COMMAND_SET_NVM |
            ControllerConfiguration.SUBMISSION_ENTRY_64 | ControllerConfiguration.COMPLETION_ENTRY_16 |
            pageShift << CONFIGURATION_PAGE_SHIFT));
    }

    private CompletableFuture<Void> awaitReady()
    {
        return call("Property Get of CSTS", AdminCommand.getProperty(ControllerProperty.STATUS, 4))
            .thenCompose((answer) ->
            {
                final int status = answer.result0();
                if (ControllerStatus.isReady(status))
                {
                    return CompletableFuture.completedFuture(null);
                }
                if (ControllerStatus.isFatal(status) || reactor.nowNs() - readyDeadlineNs > 0)
                {
                    throw new InitiatorException("controller of " + config.subsystemNqn() + " at " +
                        config.target() + (ControllerStatus.isFatal(status) ? " reports a fatal status" :
                        " is not ready in time") + " (CSTS 0x" + Integer.toHexString(status) + ")");
                }
                final CompletableFuture<Void> later = new CompletableFuture<>();
                reactor.schedule(reactor.nowNs() + READY_INTERVAL_NS, (nowNs) -> later.complete(null));
                return later.thenCompose((waited) -> awaitReady());
            });
    }

    private CompletableFuture<AssociationInfo> askForQueues(final ControllerInfo info)
    {
        final int entriesMax = ControllerCapabilities.queueEntriesMax(capabilities);
        if (info.discovery() || config.isDiscovery())
        {
            return CompletableFuture.completedFuture(new AssociationInfo(info, entriesMax, 0));
        }
        return call("Set Features of the number of queues", AdminCommand.setFeature(FeatureId.NUMBER_OF_QUEUES,
            IO_QUEUES_WANTED - 1 | IO_QUEUES_WANTED - 1 << 16))
            .thenApply((answer) -> new AssociationInfo(info, entriesMax,
                1 + Math.min(answer.result0() & 0xFFFF, answer.result0() >>> 16)));
    }

    private CompletableFuture<ControllerInfo> askForEvents(final ControllerInfo info)
    {
        final int notices = info.optionalAsyncEvents() & NOTICES;
        if (0 == notices)
        {
            return CompletableFuture.completedFuture(info);
        }
        return call("Set Features of the event configuration", AdminCommand.setFeature(
            FeatureId.ASYNC_EVENT_CONFIGURATION, notices)).thenApply((answer) -> info);
    }
}
