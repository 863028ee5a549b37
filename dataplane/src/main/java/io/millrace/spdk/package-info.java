/**
 * SPDK in this process: its environment, and its threads hosted by reactors. Usable by itself: knows no block devices.
 * <p>
 * {@link io.millrace.spdk.SpdkRuntime} starts SPDK once; each {@link io.millrace.spdk.SpdkReactor} has an SPDK thread,
 * which a reactor polls in its cycle. Requests and completions are messages on {@link
 * io.millrace.bindings.spdk.SpdkQueues}; callbacks of SPDK never reach Java.
 */
package io.millrace.spdk;
