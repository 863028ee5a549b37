/**
 * Wire format of messaging: flyweights over native memory, little-endian, of fixed layouts. Stateless; any thread.
 */
package io.millrace.messaging.wire;
