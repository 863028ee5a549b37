/**
 * The data plane's end of the control protocol: one agent thread that takes commands from clients over Aeron, carries
 * them out on the operations of a {@link io.millrace.dataplane.DataPlane}, and tells what happens. The media driver
 * runs beside it in the same process, so that I/O and control depend on nobody else.
 * <p>
 * Nothing here runs on a reactor. Events come from reactors through a bounded queue, what has to wait for reactors is
 * answered when their future completes, and what may take long at a file is done on a thread of its own while commands
 * behind it wait in order and sessions are kept alive.
 */
package io.millrace.control.agent;
