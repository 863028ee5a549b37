/**
 * The control backend of a data plane for {@link io.millrace.control.service}: commands become operations of a
 * {@link io.millrace.dataplane.DataPlane}, its snapshots become records.
 * <p>
 * Nothing here runs on a reactor. Events come from reactors through a bounded queue, and what has to wait for reactors
 * is answered when their future completes.
 */
package io.millrace.control.agent;
