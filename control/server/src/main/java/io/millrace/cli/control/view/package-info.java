/**
 * How commands print resources: columns of tables, keys of JSON and YAML, and the option that chooses between them.
 * Knows records of the control protocol, no session and no command. Main thread.
 */
package io.millrace.cli.control.view;
