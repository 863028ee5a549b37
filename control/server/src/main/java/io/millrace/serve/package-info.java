/**
 * The data-plane process and its commands: {@code serve} and {@code quickstart}. Set-up and printing happen on the main
 * thread, I/O on the reactors that {@link io.millrace.dataplane.DataPlane} starts.
 */
package io.millrace.serve;
