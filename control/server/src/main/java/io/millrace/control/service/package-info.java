/**
 * The server of the control protocol: one thread serves the sessions of clients over Aeron, passes their commands to a
 * {@link io.millrace.control.service.ControlBackend}, and publishes events. The media driver runs in the same process,
 * so that control depends on no other process.
 * <p>
 * A backend may reply later; commands that may block on files run on a separate thread while later commands wait and
 * sessions are kept alive.
 */
package io.millrace.control.service;
