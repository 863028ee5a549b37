/**
 * Files and block devices through io_uring.
 * <p>
 * A device is opened, sized and locked off the reactors. Each reactor's channel has a ring
 * of its own, which that reactor alone submits to and reaps from: {@code submit} fills entries, {@code poll} hands all
 * new ones to the kernel in one call and reads completions from the mapped ring.
 */
package io.millrace.block.file;
