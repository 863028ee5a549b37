/**
 * The management process: keeps what data planes should be as versions on disk, brings them to it and keeps them there.
 * It is a backend of {@link io.millrace.control.service}, so that clients command it as they would a data plane, and
 * knows data planes only through {@link io.millrace.control.client}.
 * <p>
 * All is done on the thread of the service, but for what waits for disks or works on large states, which one thread
 * beside it does, and the programs of hooks.
 */
package io.millrace.manager;
