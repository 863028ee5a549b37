/**
 * Reconciliation of data planes: {@link io.millrace.manager.plane.ManagedPlane} is the state machine of one data plane,
 * the others are its parts. Confined to the manager's thread.
 */
package io.millrace.manager.plane;
