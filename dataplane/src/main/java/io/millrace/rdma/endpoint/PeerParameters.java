package io.millrace.rdma.endpoint;

/**
 * What a peer said about a connection. Immutable.
 *
 * @param data      its private data.
 * @param reads     RDMA READs and atomics of ours that it serves at a time.
 * @param readDepth RDMA READs and atomics that it has under way at a time.
 */
record PeerParameters(byte[] data, int reads, int readDepth)
{
}
