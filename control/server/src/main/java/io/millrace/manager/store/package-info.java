/**
 * Persistent state of a manager: for each data plane the versions of its desired state and the manager's term, and the
 * audit log. Blocks; a manager uses one thread for it.
 */
package io.millrace.manager.store;
