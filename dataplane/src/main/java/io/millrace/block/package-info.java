/**
 * The interface between block devices and the rest of the data plane.
 * <p>
 * A {@link io.millrace.block.BlockDevice} is configured once and shared; each reactor opens its own
 * {@link io.millrace.block.BlockChannel} to it, so there are no locks. A {@link io.millrace.block.BlockRequest} is a
 * pooled slot that belongs to its submitter until {@code submit} answers true, then to the channel until its one
 * completion, which always comes on the submitting reactor. Devices know nothing of NVMe-oF; wrappers (fault, RAID,
 * remote) are devices too.
 */
package io.millrace.block;
