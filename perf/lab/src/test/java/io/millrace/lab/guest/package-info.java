/**
 * Programs that tests start in the emulated machine: plain JDK, one thread, their results as lines on standard output.
 */
package io.millrace.lab.guest;
