/**
 * The serving end of the control protocol: one thread that holds the sessions of clients over Aeron, has their commands
 * carried out by a {@link io.millrace.control.service.ControlBackend}, and tells what happens. The media driver runs
 * beside it in the same process, so that control depends on nobody else.
 * <p>
 * A backend that has to wait answers later; what may take long at a file is done on a thread of its own while commands
 * behind it wait in order and sessions are kept alive.
 */
package io.millrace.control.service;
