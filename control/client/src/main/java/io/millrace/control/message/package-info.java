/**
 * What control is about, as values: commands, resources and events, without a byte of the wire. Both sides use them.
 * All are immutable and may be used by any thread.
 */
package io.millrace.control.message;
