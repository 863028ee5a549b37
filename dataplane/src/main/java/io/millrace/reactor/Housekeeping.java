package io.millrace.reactor;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.linux.SchedulingAttributes;
import io.millrace.bindings.linux.Threads;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Prevents other threads of the process from delaying reactors, above all those of the JVM: its compiler is woken by a
 * reactor that enters a new path, and would then run on that reactor's CPU for milliseconds while I/O waits.
 * <ul>
 * <li>They stay off the CPUs that reactors are pinned to, as long as the process has others.</li>
 * <li>Where they have to share a CPU, a reactor asks for the shortest slice, and they are batch work: they take no CPU
 * from a reactor by waking up, and a reactor that wakes up takes it from them. Their share of a busy CPU stays as it
 * is, so the compiler is not starved. Kernels before Linux 6.12 do not support slices.</li>
 * </ul>
 * Threads inherit both from those that make them, so this holds for later threads too. Threads of native code that do
 * I/O, a poller of SPDK for example, are {@link #exempt exempted} by the ids that the kernel gave them. For a process
 * dedicated to its reactors; a library must not change the threads of others. Nothing here needs privileges, and
 * nothing fails: a thread whose attributes the kernel does not change stays as it is. Any thread but a reactor's;
 * set-up only.
 */
public final class Housekeeping implements AutoCloseable
{
    /** The least that the kernel takes; a reactor's work between two looks at its sockets is less. */
    private static final long SLICE_NS = 100_000;
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final int NICE_MIN = -20;
    /**
     * A third of a reactor's weight. With much less, a thread that holds a lock of the JVM, of a class that is being
     * loaded for example, would keep a reactor waiting for it for hundreds of milliseconds on a busy CPU.
     */
    private static final int NICE_BACKGROUND = 5;
    /** Name prefix of the kernel's io_uring workers; such a thread belongs to its reactor. */
    private static final String KERNEL_WORKER = "iou-";

    private static final Set<Integer> REACTOR_THREADS = ConcurrentHashMap.newKeySet();
    /** Id to start: an id is given again when its thread has ended without a word. */
    private static final Map<Integer, Long> EXEMPT_THREADS = new HashMap<>();
    /** Field 22 of {@code stat}, counted from behind the name, which may have blanks and brackets. */
    private static final int START_TIME_FIELD = 22 - 3;
    private static final List<Housekeeping> OPEN = new ArrayList<>();
    private static BitSet allowed;

    private final BitSet reactorCpus = new BitSet();

    private Housekeeping()
    {
    }

    /**
     * Sets CPUs and scheduling of the present threads.
     *
     * @param reactors that run.
     * @return to be closed when they have ended, or are about to; threads then may run where they might before.
     */
    public static Housekeeping begin(final Collection<Reactor> reactors)
    {
        final Housekeeping housekeeping = new Housekeeping();
        for (final Reactor reactor : reactors)
        {
            if (reactor.config().cpu() >= 0)
            {
                housekeeping.reactorCpus.set(reactor.config().cpu());
            }
        }
        synchronized (OPEN)
        {
            OPEN.add(housekeeping);
            arrange(allowed());
        }
        return housekeeping;
    }

    /**
     * {@return the CPUs that the process may use, whatever the caller's affinity}
     */
    public static BitSet allowed()
    {
        synchronized (OPEN)
        {
            if (null == allowed)
            {
                // The first thread of the process, whose id is the process's, is nobody's reactor.
                allowed = CpuAffinity.allowed((int)ProcessHandle.current().pid());
            }
            return (BitSet)allowed.clone();
        }
    }

    /**
     * Lowers the priority of the calling thread, and of those that it creates from now on, reactors included.
     * Permanently: an unprivileged user cannot raise it again.
     */
    public static void lowerPriority()
    {
        schedule(0, SchedulingAttributes.SCHED_BATCH, NICE_BACKGROUND, 0);
    }

    /**
     * Leaves a thread of native code alone from now on, and those that it makes. When it runs where other threads were
     * put, which it has from the thread that made it, it may run on all CPUs of the process again and is no batch work;
     * one that has chosen its CPUs itself keeps them. Any thread but a reactor's.
     *
     * @param tid the kernel's id of it ({@code gettid(2)}).
     * @return false when the process has no such thread, or it is a reactor's.
     */
    public static boolean exempt(final int tid)
    {
        synchronized (OPEN)
        {
            final long startTime = startTime(tid);
            if (startTime < 0 || REACTOR_THREADS.contains(tid))
            {
                return false;
            }
            EXEMPT_THREADS.put(tid, startTime);
            if (!OPEN.isEmpty())
            {
                final BitSet cpus = allowed();
                if (allowedOrNone(tid).equals(others(cpus)))
                {
                    CpuAffinity.allow(tid, cpus);
                }
                schedule(tid, SchedulingAttributes.SCHED_OTHER, 0);
            }
            return true;
        }
    }

    /**
     * Treats a thread of native code like any other again. Before it ends, so that its id means nothing any more; a
     * later thread with the same id is not mistaken for it in any case. Any thread but a reactor's.
     *
     * @param tid the kernel's id of it; one that is not exempt is left alone.
     */
    public static void endExemption(final int tid)
    {
        synchronized (OPEN)
        {
            if (isExempt(tid) && !OPEN.isEmpty())
            {
                CpuAffinity.allow(tid, others(allowed()));
                schedule(tid, SchedulingAttributes.SCHED_BATCH, 0);
            }
            EXEMPT_THREADS.remove(tid);
        }
    }

    @Override
    public void close()
    {
        synchronized (OPEN)
        {
            if (OPEN.remove(this))
            {
                arrange(allowed());
            }
        }
    }

    /**
     * The calling thread becomes a reactor's.
     */
    static void enterReactor()
    {
        final int tid = threadId();
        if (tid > 0)
        {
            REACTOR_THREADS.add(tid);
            schedule(tid, SchedulingAttributes.SCHED_OTHER, SLICE_NS);
        }
    }

    /**
     * The calling thread is no reactor's any more.
     */
    static void leaveReactor()
    {
        REACTOR_THREADS.remove(threadId());
    }

    private static int threadId()
    {
        try
        {
            return Integer.parseInt(Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString());
        }
        catch (final IOException | NumberFormatException e)
        {
            // Without /proc nothing here is done.
            return -1;
        }
    }

    private static void arrange(final BitSet cpus)
    {
        final BitSet others = others(cpus);
        EXEMPT_THREADS.keySet().removeIf((tid) -> !isExempt(tid));
        final int policy = OPEN.isEmpty() ? SchedulingAttributes.SCHED_OTHER : SchedulingAttributes.SCHED_BATCH;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS))
        {
            for (final Path task : tasks)
            {
                final int tid = Integer.parseInt(task.getFileName().toString());
                if (!REACTOR_THREADS.contains(tid) && !EXEMPT_THREADS.containsKey(tid) && !isKernelWorker(task))
                {
                    CpuAffinity.allow(tid, others);
                    schedule(tid, policy, 0);
                }
            }
        }
        catch (final IOException | DirectoryIteratorException e)
        {
            // Without /proc: the remaining threads stay as they are.
        }
    }

    /** Where threads that are no reactors' may run. */
    private static BitSet others(final BitSet cpus)
    {
        final BitSet free = (BitSet)cpus.clone();
        OPEN.forEach((housekeeping) -> free.andNot(housekeeping.reactorCpus));
        return free.isEmpty() ? cpus : free;
    }

    private static BitSet allowedOrNone(final int tid)
    {
        try
        {
            return CpuAffinity.allowed(tid);
        }
        catch (final NativeException ended)
        {
            return new BitSet();
        }
    }

    private static boolean isExempt(final int tid)
    {
        final Long startTime = EXEMPT_THREADS.get(tid);
        return null != startTime && startTime == startTime(tid);
    }

    /**
     * {@return when a thread of this process started, in ticks of the kernel; -1 when there is none, or no /proc}
     */
    private static long startTime(final int tid)
    {
        try
        {
            final String text = Files.readString(TASKS.resolve(Integer.toString(tid)).resolve("stat"));
            return Long.parseLong(text.substring(text.lastIndexOf(')') + 2).split(" ")[START_TIME_FIELD]);
        }
        catch (final IOException e)
        {
            return -1;
        }
    }

    private static boolean isKernelWorker(final Path task)
    {
        try
        {
            return Files.readString(task.resolve("comm")).startsWith(KERNEL_WORKER);
        }
        catch (final IOException e)
        {
            // It has ended.
            return true;
        }
    }

    private static void schedule(final int tid, final int policy, final long sliceNs)
    {
        schedule(tid, policy, NICE_MIN, sliceNs);
    }

    /**
     * Skips threads whose scheduling policy was set explicitly, such as real-time ones.
     */
    private static void schedule(final int tid, final int policy, final int niceMin, final long sliceNs)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long attributes = arena.allocate(SchedulingAttributes.SIZE_BYTES, Long.BYTES).address();
            if (0 == Threads.schedGetattr(tid, attributes) &&
                (SchedulingAttributes.SCHED_OTHER == SchedulingAttributes.policy(attributes) ||
                SchedulingAttributes.SCHED_BATCH == SchedulingAttributes.policy(attributes)))
            {
                final int nice = Math.max(niceMin, SchedulingAttributes.nice(attributes));
                SchedulingAttributes.set(attributes, policy, nice, sliceNs);
                Threads.schedSetattr(tid, attributes);
            }
        }
    }
}
