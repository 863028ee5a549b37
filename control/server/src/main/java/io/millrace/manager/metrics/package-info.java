/**
 * Prometheus metrics of the data planes of a manager, made of their records.
 */
package io.millrace.manager.metrics;
