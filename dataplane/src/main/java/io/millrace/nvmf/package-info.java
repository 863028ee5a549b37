/**
 * NVMe over Fabrics, the target's side, whatever the transport: subsystems, controllers, admin and I/O commands,
 * discovery, access control. Below are its packages: {@code queue} (queue pairs of a reactor), {@code request}
 * (commands on their way and what they wait for), {@code namespace}, {@code ana}, {@code qos}, {@code config} and
 * {@code transport}.
 * <p>
 * A transport receives a capsule into a request, the queue pair carries it out, the transport answers. A queue pair
 * lives on one reactor for life. What several reactors see of a subsystem or a controller is immutable or atomic;
 * nothing here blocks.
 */
package io.millrace.nvmf;
