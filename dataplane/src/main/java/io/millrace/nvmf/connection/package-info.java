/**
 * What target sides of all transports have of their connections: permits by the limits, and counters. Any reactor.
 */
package io.millrace.nvmf.connection;
