/**
 * Puts reactors, memory, devices, subsystems and listeners together from one immutable
 * {@link io.millrace.dataplane.DataPlaneConfig}, starts and stops them.
 * <p>
 * All or nothing: {@link io.millrace.dataplane.DataPlane#start} either answers a data plane that listens, or undoes
 * what it had begun and throws a {@link io.millrace.dataplane.SettingException}. Runs on the set-up thread; never on a
 * reactor.
 */
package io.millrace.dataplane;
