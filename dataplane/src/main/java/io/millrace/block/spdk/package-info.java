/**
 * Bdevs of SPDK as block devices: whatever SPDK's modules offer, from drives over logical volumes to other machines'.
 */
package io.millrace.block.spdk;
