/**
 * NVMe over Fabrics, the target's side, whatever the transport: subsystems, controllers, namespaces, queue pairs, admin
 * and I/O commands, discovery, access control.
 * <p>
 * A {@link io.millrace.nvmf.request.Request} is one command on its way. A transport receives a capsule into it, the queue pair
 * carries it out, the transport answers. A queue pair lives on one reactor for life. What several reactors see of a
 * subsystem or a controller is immutable or atomic; nothing here blocks.
 */
package io.millrace.nvmf;
