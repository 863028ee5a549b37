/**
 * Reads {@code millrace.yaml} into a {@link io.millrace.dataplane.DataPlaneConfig}.
 * <p>
 * Every setting is declared once, in {@link io.millrace.server.config.Settings}: its key, type, default, bound and
 * meaning. The reader accepts nothing that is not declared there. Whatever is wrong with a file ends in one
 * {@link io.millrace.server.config.ConfigException} that names file, line, key, value, bound and remedy. Stateless;
 * set-up thread.
 */
package io.millrace.server.config;
