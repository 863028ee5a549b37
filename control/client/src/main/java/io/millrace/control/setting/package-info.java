/**
 * How values of settings are written, read and bounded; used alike by files, commands and messages. Stateless.
 */
package io.millrace.control.setting;
