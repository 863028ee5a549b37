/**
 * Validation of names, texts and sizes of resources from any source: configuration, commands, desired state.
 * Independent of the resources.
 */
package io.millrace.validation;
