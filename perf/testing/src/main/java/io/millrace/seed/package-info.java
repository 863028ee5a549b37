/** The seed of a run of tests: where random numbers come from, and how failures name it. */
package io.millrace.seed;
