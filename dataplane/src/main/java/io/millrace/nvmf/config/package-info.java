/**
 * Settings of a target and its subsystems, with their bounds. Immutable; any thread.
 */
package io.millrace.nvmf.config;
