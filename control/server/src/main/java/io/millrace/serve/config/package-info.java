/**
 * Reads {@code millrace.yaml} into a {@link io.millrace.dataplane.config.DataPlaneConfig}.
 * <p>
 * Every setting is declared once, in {@link io.millrace.serve.config.Settings}: its key, type, default, bound and
 * meaning. The reader accepts nothing that is not declared there. Stateless; set-up thread.
 */
package io.millrace.serve.config;
