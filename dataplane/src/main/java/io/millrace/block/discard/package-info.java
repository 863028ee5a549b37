/**
 * A device that drops writes and reads as zeroes: what is left of an I/O when the device costs nothing. For measuring
 * the path alone. Runs on the submitting reactor's thread; nothing is shared but memory that never changes.
 */
package io.millrace.block.discard;
