/**
 * The manager process: stores versions of the desired state of data planes and reconciles the data planes with it. It
 * is a backend of {@link io.millrace.control.service}, so that clients use it like a data plane, and it uses data
 * planes only through {@link io.millrace.control.client}.
 * <p>
 * All work is done on the thread of the service, except disk I/O and work on large states, which have another thread,
 * and hook programs.
 */
package io.millrace.manager;
