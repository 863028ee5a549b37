package io.millrace.control.agent;

import io.millrace.block.file.FileBounds;
import io.millrace.block.file.FileRecords;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.service.Caller;
import io.millrace.control.service.ControlBackend;
import io.millrace.control.service.ControlService;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.service.Listing;
import io.millrace.control.service.Reply;
import io.millrace.control.service.ServiceEvent;
import io.millrace.control.state.DesiredState;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.reactor.ReactorConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.agrona.CloseHelper;

/** A real data plane whose backend a test stands in front of, to do something at a moment of its own. */
public final class SteeredPlane implements AutoCloseable, ControlOwner
{
    private final ControlSettings settings;
    private final UnaryOperator<ControlBackend> steering;
    private DataPlane dataPlane;
    private DataPlaneBackend backend;
    private ControlService service;
    private LeadershipInfo leadership;
    private DesiredState state;

    public SteeredPlane(final Path directory, final UnaryOperator<ControlBackend> steering)
    {
        this.steering = steering;
        settings = new ControlSettings(
            directory.resolve("aeron-steered"), ControlSettings.IPC_CHANNEL, 4420, null, "steered");
        start();
    }

    public void start()
    {
        final ControlEvents events = new ControlEvents();
        dataPlane = DataPlane.start(DataPlaneConfig.managed(
            List.of(ReactorConfig.of("test-0", -1)), 32 << 20), TargetListener.NONE, events);
        open(events, PersistedState.NOWHERE);
    }

    /** Who is connected finds nobody there, and all goes on. */
    public void cut()
    {
        leadership = (LeadershipInfo)backend.list(null, new Command.List(Kind.LEADERSHIP, "")).join()
            .resources().getFirst();
        final List<Resource> all = new ArrayList<>();
        DesiredState.KINDS.forEach((kind) ->
            all.addAll(backend.list(null, new Command.List(kind, "")).join().resources()));
        state = DesiredState.of(all);
        CloseHelper.close(service);
        service = null;
    }

    /** Takes commands again. */
    public void join()
    {
        open(new ControlEvents(), new PersistedState(null, leadership, state, false, FileRecords.NONE));
    }

    private void open(final ControlEvents events, final PersistedState kept)
    {
        backend = new DataPlaneBackend("steered", dataPlane, events, this, kept,
            FileBounds.below("control.device-directories", List.of(settings.directory().getParent()), List.of()));
        service = ControlService.start(settings, steering.apply(backend), this::onNote, this::onError);
    }

    /** It keeps nothing. */
    public void stop()
    {
        CloseHelper.closeAll(service, dataPlane);
        service = null;
        dataPlane = null;
    }

    public Path aeronDirectory()
    {
        return settings.directory();
    }

    public ControlClientContext context()
    {
        return new ControlClientContext().aeronDirectoryName(settings.directory().toString()).role(Role.ADMIN)
            .clientName("beside").term(CommandHeader.DIRECT);
    }

    @Override
    public String version()
    {
        return "9.9";
    }

    @Override
    public void onStop()
    {
    }

    @Override
    public void onNote(final String message)
    {
    }

    @Override
    public void onError(final String message)
    {
    }

    @Override
    public void close()
    {
        stop();
    }

    /** Passes all on. */
    public static class Steering implements ControlBackend
    {
        private final ControlBackend plane;

        public Steering(final ControlBackend plane)
        {
            this.plane = plane;
        }

        @Override
        public String name()
        {
            return plane.name();
        }

        @Override
        public UUID id()
        {
            return plane.id();
        }

        @Override
        public PeerInfo peer()
        {
            return plane.peer();
        }

        @Override
        public String dataPlane(final String wanted)
        {
            return plane.dataPlane(wanted);
        }

        @Override
        public boolean mayTakeLong(final Command command)
        {
            return plane.mayTakeLong(command);
        }

        @Override
        public boolean isManagerOnly(final long term, final Command command)
        {
            return plane.isManagerOnly(term, command);
        }

        @Override
        public CompletableFuture<Reply> carryOut(
            final Caller caller, final CommandId id, final long term, final Command command)
        {
            return plane.carryOut(caller, id, term, command);
        }

        @Override
        public long term()
        {
            return plane.term();
        }

        @Override
        public CompletableFuture<Listing<?>> list(final Caller caller, final Command.List list)
        {
            return plane.list(caller, list);
        }

        @Override
        public ServiceEvent pollEvent()
        {
            return plane.pollEvent();
        }

        @Override
        public long takeLostEvents()
        {
            return plane.takeLostEvents();
        }

        @Override
        public int poll()
        {
            return plane.poll();
        }

        @Override
        public void close()
        {
            plane.close();
        }
    }
}
