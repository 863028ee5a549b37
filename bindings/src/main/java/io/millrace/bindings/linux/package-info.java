/**
 * Linux system calls by subject: sockets, epoll, files, mappings, threads and io_uring.
 * <p>
 * Stateless; any thread. Each method answers the call's result, or the negated {@code errno} when it failed, and is
 * named after the call. Calls that never block are linked as critical (no thread-state transition); calls that may
 * block are not, since a critical call holds up every safepoint for as long as it lasts.
 */
package io.millrace.bindings.linux;
