/**
 * From values to bytes and back: writers encode what {@link io.millrace.control.message} has, adapters check what a
 * peer sent and hand it on as values, a publication sends it. Both sides use them. Whatever bytes come, an adapter
 * never throws: what cannot be read is refused as a whole, before any of it counts.
 */
package io.millrace.control.wire;
