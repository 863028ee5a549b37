/**
 * {@code millrace top}: samples of data planes, the load between two of them, and its layout on a screen, as lines or
 * as JSON. Uses sessions of {@code cli.control}, which does not know this package. Main thread.
 */
package io.millrace.cli.control.top;
