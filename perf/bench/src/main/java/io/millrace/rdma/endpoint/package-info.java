/**
 * Benchmarks of what the package does not show to others.
 */
package io.millrace.rdma.endpoint;
