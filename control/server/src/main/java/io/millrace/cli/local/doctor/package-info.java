/**
 * {@code millrace doctor}: what this machine offers to the data plane, why the rest is off, and what to do about it.
 * Main thread; starts nothing that stays.
 */
package io.millrace.cli.local.doctor;
