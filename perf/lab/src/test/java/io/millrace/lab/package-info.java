/**
 * The lab's tests: a Linux kernel in an emulated machine as the other end of the wire.
 * {@link io.millrace.lab.Lab} starts machines through the script {@code perf/lab/lab}; what runs in them are the
 * scripts of {@code src/test/guest}.
 */
package io.millrace.lab;
