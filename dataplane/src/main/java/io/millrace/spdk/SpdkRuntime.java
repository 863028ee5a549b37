package io.millrace.spdk;

import io.millrace.bindings.Capability;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.spdk.SpdkBdev;
import io.millrace.bindings.spdk.SpdkExportCalls;
import io.millrace.bindings.spdk.SpdkLibrary;
import io.millrace.bindings.spdk.SpdkReactorCalls;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * SPDK in this process, of which there is one: it starts once and cannot start again when it has stopped. Its
 * application thread, which hosts its subsystems, JSON-RPC and everything that belongs to no reactor, is polled by a
 * sleeping reactor of its own.
 */
public final class SpdkRuntime
{
    private static final String START = "the start of SPDK";
    private static final long START_S = 120;
    private static final long STOP_S = 30;

    /** States of SPDK in the process. */
    private enum State
    {
        ABSENT,
        RUNNING,
        /** It failed to start or was stopped: the process has to be started again. */
        ENDED
    }

    /** Both are changed under the lock of the class, which is held while SPDK starts, and read without it. */
    private static volatile State state = State.ABSENT;
    private static volatile SpdkRuntime running;
    private static String endReason = "";

    private final SpdkConfig config;
    private final SpdkMessages messages;
    private final Reactor applicationReactor;
    private SpdkReactor application;
    private List<SpdkExportCalls.Memory> memory;
    /** Whether the socket of JSON-RPC is this process's. */
    private volatile boolean listens;
    private final ServingActivity serving = ServingActivity.possible();
    private final SpdkExports exports = new SpdkExports(this);
    private final NvmfTarget nvmf = new NvmfTarget(this);
    private final SpdkReactors reactors = new SpdkReactors(exports::source);
    /** By the bdev that each uses. On the application thread. */
    private final Map<Long, SpdkBdevListener> devices = new HashMap<>();

    private SpdkRuntime(final SpdkConfig config, final SpdkMessages messages)
    {
        this.config = config;
        this.messages = messages;
        applicationReactor = new Reactor(new ReactorConfig("spdk", -1, ReactorConfig.IdleMode.SLEEP, 0));
    }

    /**
     * {@return whether SPDK can be used in this process, and why}
     */
    public static Capability capability()
    {
        return SpdkLibrary.capability();
    }

    /**
     * Starts SPDK, or returns the one that runs. Off the reactors; takes a second or more.
     *
     * @param config   of SPDK.
     * @param listener notified of SPDK's messages.
     * @return SPDK.
     * @throws SpdkException when it cannot be used, runs with other settings, or has ended in this process.
     */
    public static synchronized SpdkRuntime start(final SpdkConfig config, final SpdkMessageListener listener)
    {
        Reactor.checkMayBlock(START);
        if (State.RUNNING == state)
        {
            if (!running.config.equals(config))
            {
                throw new SpdkException("spdk: it runs in this process with other settings, which cannot change: " +
                    "start the process again (it has " + running.config + ")");
            }
            return running;
        }
        if (State.ENDED == state)
        {
            throw new SpdkException("spdk: it cannot start twice in a process, and " + endReason +
                ": start the process again");
        }
        final Capability capability = SpdkLibrary.capability();
        if (!capability.isAvailable())
        {
            throw new SpdkException("spdk: " + capability.reason() + ": " + capability.remedy());
        }
        final String json = configuration(config);
        state = State.ENDED;
        endReason = "it failed to start before";
        final SpdkRuntime runtime = new SpdkRuntime(config, new SpdkMessages(listener));
        try
        {
            runtime.open(json);
        }
        catch (final SpdkException e)
        {
            // What SPDK has begun stays as it is: the process can end.
            runtime.applicationReactor.close();
            runtime.removeSocket();
            throw e;
        }
        running = runtime;
        state = State.RUNNING;
        if (!json.isEmpty())
        {
            // Modules make bdevs of others, as of logical volumes, when they have looked at them.
            runtime.call("bdev_wait_for_examine", "");
        }
        return runtime;
    }

    /**
     * {@return SPDK if it runs in this process; else null, as while it starts}
     */
    public static SpdkRuntime running()
    {
        return State.RUNNING == state ? running : null;
    }

    private static String configuration(final SpdkConfig config)
    {
        if (null == config.config())
        {
            return "";
        }
        final String subject = "config " + config.config();
        try
        {
            final String json = Files.readString(config.config());
            ConfigurationCheck.check(subject, json);
            return json;
        }
        catch (final IOException e)
        {
            throw new SpdkException("spdk: " + subject + " cannot be read (" + e + "): name a JSON file that SPDK's " +
                "save_config wrote", e);
        }
    }

    private void open(final String json)
    {
        Reactor.checkMayBlock(START);
        SpdkReactorCalls.openLog();
        EnvironmentStart.start(config, messages);
        memory = SpdkExportCalls.memory();
        applicationReactor.start();
        try
        {
            if (config.memoryMib() < SpdkConfig.MEMORY_MIB_DEFAULT)
            {
                SpdkReactorCalls.dividePools(SpdkConfig.POOLS_DIVISOR);
            }
            final CompletableFuture<Integer> started = new CompletableFuture<>();
            applicationReactor.call(() ->
            {
                application = new SpdkReactor(applicationReactor, reactors::isAnyActive, exports::source, serving);
                applicationReactor.addPoller(messages);
                if (null != config.rpcSocket())
                {
                    listen();
                }
                SpdkReactorCalls.startSubsystems(
                    application.nativeReactor(), json, application.begin(started::complete));
                return null;
            }).get(START_S, TimeUnit.SECONDS);
            final int result = started.get(START_S, TimeUnit.SECONDS);
            if (0 != result)
            {
                throw new NativeException(json.isEmpty() ? "start of SPDK's subsystems" :
                    "start of SPDK with the configuration " + config.config(), -result);
            }
        }
        catch (final ExecutionException | NativeException e)
        {
            throw failed(e instanceof ExecutionException ? e.getCause() : e);
        }
        catch (final TimeoutException e)
        {
            throw failed(e);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw failed(e);
        }
    }

    private void listen()
    {
        try
        {
            SpdkSocket.prepare(config.rpcSocket());
            SpdkReactorCalls.listenRpc(application.nativeReactor(), config.rpcSocket().toString());
            listens = true;
            SpdkSocket.restrict(config.rpcSocket());
        }
        catch (final NativeException | IOException e)
        {
            throw new SpdkException("spdk: rpc-socket " + config.rpcSocket() + " cannot be made (" + e.getMessage() +
                "): use a path in a directory that this user may write, and that no other process serves", e);
        }
    }

    /** Of a start that failed; one that another process serves stays. */
    private void removeSocket()
    {
        if (listens)
        {
            SpdkSocket.remove(config.rpcSocket());
        }
    }

    private SpdkException failed(final Throwable cause)
    {
        if (cause instanceof SpdkException e)
        {
            return e;
        }
        final String text = cause instanceof TimeoutException ? "it was not ready within " + START_S + " s" :
            String.valueOf(cause.getMessage());
        final String said = messages.explain();
        return new SpdkException("spdk: " + text + said + ": " +
            StartRemedy.ofSubsystems(config, cause instanceof final NativeException e ? e.errno() : 0, said), cause);
    }

    /**
     * {@return the SPDK thread of the application, on whose reactor bdevs are looked at}
     */
    public SpdkReactor application()
    {
        return application;
    }

    /**
     * Has a failure in the log of the process. On the reactor of the application thread.
     *
     * @param sentence with its subject.
     */
    public void report(final String sentence)
    {
        messages.report(sentence);
    }

    /**
     * Takes a bdev for a device, which its names do not tell apart. On the reactor of the application thread.
     *
     * @param bdev   that is open there.
     * @param device that is going to use it.
     * @return the device that has it; null: it is this one's now.
     */
    public SpdkBdevListener claim(final SpdkBdev bdev, final SpdkBdevListener device)
    {
        return devices.putIfAbsent(bdev.identity(), device);
    }

    /**
     * Gives a bdev back, if the device has it. On the reactor of the application thread.
     *
     * @param bdev   that is open there still.
     * @param device that used it.
     */
    public void release(final SpdkBdev bdev, final SpdkBdevListener device)
    {
        devices.remove(bdev.identity(), device);
    }

    /**
     * {@return the settings that it runs with}
     */
    public SpdkConfig config()
    {
        return config;
    }

    /**
     * {@return the SPDK threads of the reactors}
     */
    public SpdkReactors reactors()
    {
        return reactors;
    }

    /** {@return the SPDK threads of the process now; any thread} */
    List<SpdkReactor> spdkReactors()
    {
        final List<SpdkReactor> all = reactors.all();
        all.add(application);
        return all;
    }

    /**
     * {@return memory of SPDK's own as of its start, in which its front ends have payload}
     */
    public List<SpdkExportCalls.Memory> memory()
    {
        return memory;
    }

    /**
     * {@return the devices that SPDK has as bdevs}
     */
    public SpdkExports exports()
    {
        return exports;
    }

    /**
     * {@return SPDK's NVMe-oF target}
     */
    public NvmfTarget nvmf()
    {
        return nvmf;
    }

    /**
     * Carries out the methods of a JSON configuration that makes front ends of bdevs, which are polled from then on.
     * Off the reactors.
     *
     * @param json SPDK's configuration.
     * @throws SpdkException when it is empty, no JSON object or has text after it, or when a method fails; those before
     *                       it have been carried out.
     */
    public void serve(final String json)
    {
        ConfigurationCheck.check("the configuration", json);
        serving();
        final String refusal = refusal((operation) ->
            SpdkExportCalls.configure(application.nativeReactor(), json, operation), 0, (_) -> {});
        if (null != refusal)
        {
            throw new SpdkException("spdk: it refuses a configuration" + refusal);
        }
    }

    /** Front ends are polled from now on. */
    void serving()
    {
        onApplication(() ->
        {
            serving.know();
            return null;
        });
    }

    /**
     * Calls a method of SPDK's JSON-RPC, without its result. Off the reactors; returns when the method has ended.
     *
     * @param method of SPDK.
     * @param params members of a JSON object, {@code "name": "Malloc0"}; empty: none.
     * @throws SpdkException saying why SPDK refuses.
     */
    public void call(final String method, final String params)
    {
        call(method, params, 0, (_) -> {});
    }

    /**
     * Calls a method that waits for requests to devices.
     *
     * @param method of SPDK.
     * @param params members of a JSON object.
     * @param lateMs how long they have; 0: as long as any method.
     * @param onLate run on this thread when the method has not ended then; it is waited for again.
     * @throws SpdkException saying why SPDK refuses, or that the method does not end.
     */
    void call(final String method, final String params, final long lateMs, final Runnable onLate)
    {
        call(method, params, lateMs, (_) -> onLate.run());
    }

    /**
     * Calls a method that may take long, as it waits for other machines. Off the reactors.
     *
     * @param method of SPDK.
     * @param params members of a JSON object.
     * @param lateMs how long it has.
     * @param onLate run on this thread when the method has not ended then, with what completes when it does: by 0 where
     *               SPDK has carried it out.
     * @throws SpdkException saying why SPDK refuses, or that the method does not end.
     */
    public void call(
        final String method,
        final String params,
        final long lateMs,
        final Consumer<CompletableFuture<Integer>> onLate)
    {
        final String refusal = refusal((operation) ->
            SpdkExportCalls.call(application.nativeReactor(), method, params, operation), lateMs, onLate);
        if (null != refusal)
        {
            throw new SpdkException("spdk: " + method + " is refused" + refusal);
        }
    }

    /** {@return what SPDK says of methods that it does not carry out; null: it has carried them out} */
    private String refusal(
        final IntConsumer methods, final long lateMs, final Consumer<CompletableFuture<Integer>> onLate)
    {
        final CompletableFuture<Integer> configured = new CompletableFuture<>();
        onApplication(() ->
        {
            // SPDK carries it out in several turns, each of which would come after a sleep.
            serving.onBusy(applicationReactor.nowNs());
            messages.begin();
            methods.accept(application.begin(configured::complete));
            return null;
        });
        if (lateMs > 0 && !ends(configured, lateMs))
        {
            onLate.accept(configured);
        }
        return 0 == await(configured, "its configuration is not carried out") ? null : onApplication(messages::explain);
    }

    /** {@return whether a call of SPDK ends in time} */
    static boolean ends(final CompletableFuture<Integer> result, final long withinMs)
    {
        Reactor.checkMayBlock("a call of SPDK");
        try
        {
            result.get(withinMs, TimeUnit.MILLISECONDS);
            return true;
        }
        catch (final TimeoutException _)
        {
            return false;
        }
        catch (final ExecutionException e)
        {
            throw new IllegalStateException(e.getCause());
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new SpdkException("spdk: interrupted while it was called", e);
        }
    }

    static int await(final CompletableFuture<Integer> result, final String problem)
    {
        Reactor.checkMayBlock("a call of SPDK");
        try
        {
            return result.get(STOP_S, TimeUnit.SECONDS);
        }
        catch (final TimeoutException e)
        {
            throw new SpdkException("spdk: " + problem + " after " + STOP_S + " s", e);
        }
        catch (final ExecutionException e)
        {
            throw new IllegalStateException(e.getCause());
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new SpdkException("spdk: interrupted while " + problem, e);
        }
    }

    /**
     * Runs a task on the reactor of SPDK's application thread, and waits for it. Off the reactors.
     *
     * @param task to run.
     * @param <T>  of its result.
     * @return its result.
     */
    public <T> T onApplication(final Callable<T> task)
    {
        Reactor.checkMayBlock("a call of SPDK");
        try
        {
            return applicationReactor.call(task).get();
        }
        catch (final ExecutionException e)
        {
            if (e.getCause() instanceof final RuntimeException cause)
            {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new SpdkException("spdk: interrupted while it was called", e);
        }
    }

    /**
     * Stops SPDK for good, so that its modules store what they have to: nothing of it is open any more. Off the
     * reactors; a second call does nothing.
     *
     * @return what did not end, a sentence each; empty: all did.
     */
    public List<String> stop()
    {
        Reactor.checkMayBlock("the stop of SPDK");
        synchronized (SpdkRuntime.class)
        {
            if (State.RUNNING != state || this != running)
            {
                return List.of();
            }
            state = State.ENDED;
            endReason = "it was stopped";
        }
        final List<String> left = new ArrayList<>();
        try
        {
            final CompletableFuture<Integer> stopped = new CompletableFuture<>();
            applicationReactor.call(() ->
            {
                if (null != config.rpcSocket())
                {
                    SpdkReactorCalls.closeRpc(application.nativeReactor());
                }
                SpdkReactorCalls.stopSubsystems(application.nativeReactor(), application.begin(stopped::complete));
                return null;
            }).get(STOP_S, TimeUnit.SECONDS);
            stopped.get(STOP_S, TimeUnit.SECONDS);
            final CompletableFuture<Void> ended = new CompletableFuture<>();
            applicationReactor.call(() ->
            {
                application.exports().closeAll(() -> application.exit(() -> ended.complete(null)));
                return null;
            }).get(STOP_S, TimeUnit.SECONDS);
            ended.get(STOP_S, TimeUnit.SECONDS);
            applicationReactor.close();
        }
        catch (final ExecutionException | TimeoutException e)
        {
            left.add("spdk: it did not stop within " + STOP_S + " s (" + e + "); the process ends without");
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            left.add("spdk: its stop was interrupted");
        }
        return left;
    }
}
