/**
 * What a manager keeps on disk: for each data plane the versions of what it should be and the manager's term, and the
 * log of who asked for what. Blocks; a manager has one thread for it.
 */
package io.millrace.manager.store;
