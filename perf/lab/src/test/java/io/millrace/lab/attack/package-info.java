/**
 * Hostile hosts against a real {@code serve} process, with a host beside them whose verified I/O must go on. Each
 * attack has a short form that CI runs and a long one for a person ({@code -Dmillrace.attack=long}).
 */
package io.millrace.lab.attack;
