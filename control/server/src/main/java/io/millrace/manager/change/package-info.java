/**
 * Changes of the desired state on their way to disk: {@link io.millrace.manager.change.Ledger} keeps the order of
 * changes to one data plane, and the state that they lead to; {@link io.millrace.manager.change.AuditWriter} records
 * who asked for what. Knows nothing of sessions with data planes. The manager's thread, with {@link
 * io.millrace.manager.change.WorkThread} for disk I/O and large states.
 */
package io.millrace.manager.change;
