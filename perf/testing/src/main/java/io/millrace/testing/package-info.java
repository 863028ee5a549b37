/** What tests of several modules state or observe: requirements of a machine, bounds on time, files that are synced. */
package io.millrace.testing;
