/**
 * What an array keeps on its members: superblock, write-intent bitmap, and where both lie. Also recognises what others
 * have on a device. Does no I/O.
 */
package io.millrace.block.raid.format;
