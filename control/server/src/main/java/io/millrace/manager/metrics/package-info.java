/**
 * What monitoring is told of the data planes of a manager. Reads records; knows nothing of how they come.
 */
package io.millrace.manager.metrics;
