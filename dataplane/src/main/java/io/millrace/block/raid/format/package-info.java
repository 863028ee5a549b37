/**
 * What an array stores on its members: superblock, write-intent bitmap, and their offsets. Also recognises formats of
 * others on a device. Does no I/O.
 */
package io.millrace.block.raid.format;
