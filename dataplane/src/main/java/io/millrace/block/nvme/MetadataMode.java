package io.millrace.block.nvme;

/**
 * Handling of the metadata of each block (NVM Command Set 1.0, section 5.2). Volumes have none, so it is generated and
 * dropped here.
 */
enum MetadataMode
{
    /** Blocks have none. */
    NONE,
    /** Transferred in memory of its own: zeroes are written, what is read is ignored. */
    SEPARATE,
    /**
     * Protection information and nothing else: the controller makes it and checks it (PRACT), it is not transferred.
     */
    PROTECTION
}
