/**
 * Asymmetric Namespace Access (NVM Express Base 2.0, section 8.1): states of groups by listener, in immutable
 * tables that a reactor loads as one reference a command.
 */
package io.millrace.nvmf.ana;
