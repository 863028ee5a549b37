/**
 * A device that delays the requests to another one: to see how hosts do with slow storage.
 */
package io.millrace.block.delay;
