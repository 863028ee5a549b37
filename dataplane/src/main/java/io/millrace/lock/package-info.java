/**
 * Files whose lock shows that a process uses a resource: taking one, and finding its holder. Independent of the locked
 * resources.
 */
package io.millrace.lock;
