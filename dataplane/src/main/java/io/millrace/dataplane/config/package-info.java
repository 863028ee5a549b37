/**
 * What a data plane is configured with: its reactors, memory, devices, subsystems and listeners, checked as a whole
 * before anything starts. Immutable.
 */
package io.millrace.dataplane.config;
