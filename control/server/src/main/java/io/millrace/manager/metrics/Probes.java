package io.millrace.manager.metrics;

/**
 * What an orchestrator asks a process: whether to restart it, and whether to send work to it. Any thread; blocks for a
 * fraction of a second at most.
 */
public interface Probes
{
    /**
     * An answer.
     *
     * @param isOk whether the probe succeeds.
     * @param text one line: the state, or why the probe fails.
     */
    record Answer(boolean isOk, String text)
    {
    }

    /**
     * {@return whether the threads of the process do their work; if not for several probes, only a restart helps}
     */
    Answer health();

    /**
     * {@return whether the process does what it is there for now}
     */
    Answer ready();
}
