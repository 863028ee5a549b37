/**
 * Puts reactors, memory, devices, subsystems and listeners together from one immutable
 * {@link io.millrace.dataplane.config.DataPlaneConfig}, changes them while hosts are served, and stops them.
 * <p>
 * {@link io.millrace.dataplane.DataPlane#start} either answers a data plane that listens, or undoes what it had begun
 * and throws a {@link io.millrace.dataplane.config.SettingException}. What it began with, and what is changed later,
 * goes through the same operations: {@link io.millrace.dataplane.Devices}, {@link io.millrace.dataplane.Subsystems},
 * {@link io.millrace.dataplane.Namespaces}, {@link io.millrace.dataplane.Hosts},
 * {@link io.millrace.dataplane.Controllers}, {@link io.millrace.dataplane.Listeners} and
 * {@link io.millrace.dataplane.AnaStates}. One that is refused throws an
 * {@link io.millrace.dataplane.OperationException} and has changed nothing.
 * <p>
 * Threads: operations run on the caller's thread, never on a reactor's, one after the other under a lock that no
 * reactor takes. What has to wait for reactors answers a future, which a reactor completes. Snapshots read what
 * reactors write without asking them.
 */
package io.millrace.dataplane;
