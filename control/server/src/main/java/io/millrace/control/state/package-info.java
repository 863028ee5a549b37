/**
 * What a data plane should serve, as a value: {@link io.millrace.control.state.DesiredState}, how people write it down
 * ({@link io.millrace.control.state.StateDocument}), and the way from one state to another in commands ({@link
 * io.millrace.control.state.StatePlan}).
 * <p>
 * Kept are devices, subsystems with their namespaces, hosts, ANA states and limits, and listeners. Not kept is what
 * ends with a process or a moment: fault rules, draining and pausing, ANA transitions, who is connected. Knows the
 * records of the control protocol and nothing of those that send or carry them out. Values are immutable; an editor
 * belongs to one thread.
 */
package io.millrace.control.state;
