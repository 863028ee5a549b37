package io.millrace.manager;

import io.millrace.control.client.ControlSettingException;
import io.millrace.control.service.ControlService;
import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.setting.Units;
import io.millrace.lock.LockFile;
import io.millrace.lock.LockedException;
import io.millrace.manager.change.Ledger;
import io.millrace.manager.config.ManagerConfig;
import io.millrace.manager.config.PlaneConfig;
import io.millrace.manager.metrics.PlaneRecords;
import io.millrace.manager.metrics.Probes;
import io.millrace.manager.store.AuditLog;
import io.millrace.manager.store.FileDisk;
import io.millrace.manager.store.StateDisk;
import io.millrace.manager.store.StateStore;
import io.millrace.manager.store.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.agrona.CloseHelper;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Stores the desired state of data planes and reconciles them with it. Clients use the same commands as for a data
 * plane. Created and closed by the owner's thread; runs on the threads of its {@link ControlService} and one for its
 * state.
 */
public final class Manager implements AutoCloseable
{
    private final LockFile lock;
    private final ManagerBackend backend;
    private final ControlService service;

    private Manager(final LockFile lock, final ManagerBackend backend, final ControlService service)
    {
        this.lock = lock;
        this.backend = backend;
        this.service = service;
    }

    /**
     * Starts a manager, or nothing.
     *
     * @param config     of the manager.
     * @param useVersion versions to continue with instead of the last ones, by name of the data plane.
     * @param log        takes lines for people, on any thread; must not block.
     * @return the running manager, which connects to its data planes.
     * @throws StoreException          if its state is damaged, in use, or cannot be read or written.
     * @throws InvalidSettingException naming the setting that could not be had.
     * @throws ControlSettingException naming the setting of a data plane that could not be had.
     */
    public static Manager start(
        final ManagerConfig config, final Map<String, Long> useVersion, final Consumer<String> log)
    {
        final LockFile lock = lock(config.stateDirectory());
        ManagerBackend backend = null;
        try
        {
            final Map<String, StateStore> stores = new HashMap<>();
            for (final PlaneConfig each : config.dataPlanes())
            {
                final StateStore store = StateStore.open(
                    FileDisk.of(config.stateDirectory().resolve("data-planes").resolve(each.name())),
                    config.versionsKept(),
                    useVersion.getOrDefault(each.name(), 0L),
                    "--use-version " + (1 == config.dataPlanes().size() ? "" : each.name() + '=') + "VERSION");
                store.warnings().forEach((warning) -> log.accept(each.name() + ": " + warning));
                stores.put(each.name(), store);
            }
            final StateDisk disk = FileDisk.of(config.stateDirectory());
            final AuditLog auditLog = AuditLog.open(disk);
            if (0 != auditLog.unreadCount())
            {
                log.accept("audit log: " + Units.count(auditLog.unreadCount(), "line") + " of the newest files in " +
                    config.stateDirectory() + " cannot be read; 'millrace audit' does not list " +
                    (1 == auditLog.unreadCount() ? "it" : "them"));
            }
            final List<String> names = config.dataPlanes().stream().map(PlaneConfig::name).toList();
            final ControllerIdRanges controllerIds = ControllerIdRanges.open(disk, names);
            final List<String> unassigned = controllerIds.unassigned(names);
            if (!unassigned.isEmpty())
            {
                log.accept("no controller ids for " + String.join(", ", unassigned) + ": all " +
                    ControllerIdRanges.RANGES + " ranges are assigned; a subsystem that one of them shares with " +
                    "another data plane may have two controllers of one id; give such data planes another manager");
            }
            backend = new ManagerBackend(config, stores, controllerIds, auditLog, SystemNanoClock.INSTANCE, log);
            return new Manager(lock, backend, ControlService.start(config.control(), backend, log, log));
        }
        catch (final IOException e)
        {
            CloseHelper.quietCloseAll(backend, lock);
            throw new StoreException(config.stateDirectory() + ": cannot be read or written: " + Ledger.reason(e), e);
        }
        catch (final RuntimeException | Error e)
        {
            CloseHelper.quietCloseAll(backend, lock);
            throw e;
        }
    }

    private static LockFile lock(final Path directory)
    {
        try
        {
            FileDisk.of(directory);
            return LockFile.take(directory.resolve("lock"));
        }
        catch (final LockedException e)
        {
            throw new StoreException(directory + ": in use by another manager: " + e.getMessage() +
                "; stop that one, or name another state directory", e);
        }
        catch (final IOException e)
        {
            throw new StoreException(directory + ": cannot be used as state directory: " + Ledger.reason(e) +
                "; name one that this user may write", e);
        }
    }

    /**
     * {@return answers to probes of an orchestrator}
     */
    public Probes probes()
    {
        return new ManagerProbes(service::cycles, backend.dataPlaneCount(), backend::unreachable);
    }

    /**
     * {@return records of all data planes, asked at most once a second; by any thread, which waits}
     */
    public Supplier<List<PlaneRecords>> records()
    {
        return backend.records();
    }

    /**
     * Closes all sessions; data planes continue unchanged. Idempotent.
     */
    @Override
    public void close()
    {
        service.close();
        CloseHelper.quietClose(lock);
    }
}
