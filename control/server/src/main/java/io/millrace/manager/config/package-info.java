/**
 * Reads {@code manager.yaml} into a {@link io.millrace.manager.config.ManagerConfig}. Every setting is declared once,
 * in {@code ManagerSettings}; the machinery is that of {@link io.millrace.settings}. Set-up thread.
 */
package io.millrace.manager.config;
