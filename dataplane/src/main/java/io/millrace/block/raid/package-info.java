/**
 * Arrays: block devices made of others, with redundancy. {@link io.millrace.block.raid.RaidDevice} is the device;
 * each reactor has a {@code RaidChannel} to it, which turns requests into requests for stripes of its members;
 * {@code ArrayWork} runs on one reactor and owns what superblocks say: failures, spares, rebuilding.
 */
package io.millrace.block.raid;
