/**
 * The desired state of a data plane as a value ({@link io.millrace.control.state.DesiredState}), as a document
 * ({@link io.millrace.control.state.StateDocument}), and plans of the commands from one state to another
 * ({@link io.millrace.control.state.StatePlan}).
 * <p>
 * A state consists of devices, subsystems with their namespaces, hosts, ANA states and limits, and listeners. Transient
 * conditions are not part of it: draining and pausing, ANA transitions, connected hosts. Depends on the records of the
 * control protocol alone. Values are immutable; an editor is confined to one thread.
 */
package io.millrace.control.state;
