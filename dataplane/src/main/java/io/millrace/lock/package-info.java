/**
 * Files whose lock says that a process uses something: taking one, and finding out who has it. Knows nothing of what is
 * locked.
 */
package io.millrace.lock;
