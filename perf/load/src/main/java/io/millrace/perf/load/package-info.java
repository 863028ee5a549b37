/**
 * The load generator: drives any NVMe/TCP target through the initiator and measures it.
 * <p>
 * {@link io.millrace.perf.load.LoadGenerator#run()} connects, runs and reports on the caller's thread; the I/O itself
 * is done by one worker for each queue, on the reactors that the generator starts, without allocation and without
 * locks. Progress may be read from any thread meanwhile.
 */
package io.millrace.perf.load;
