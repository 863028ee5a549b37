/**
 * The Java client of a data plane's control: typed calls over Aeron, their answers and the events. A client belongs to
 * the thread that uses it.
 */
package io.millrace.control.client;
