/**
 * What a data plane reports of itself and its resources at one moment. Immutable.
 */
package io.millrace.dataplane.snapshot;
