/**
 * What names, texts and sizes of resources may be, whichever way they come: configuration, commands, desired state.
 * Knows no resource.
 */
package io.millrace.validation;
