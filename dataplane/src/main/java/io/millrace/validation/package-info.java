/**
 * Validation of names, texts and sizes of resources from any source (configuration, commands, desired state), and the
 * canonical text of addresses.
 * Independent of the resources.
 */
package io.millrace.validation;
