/**
 * Files of settings in YAML, whatever is in them: each setting is declared once, with its key, type, default, bound and
 * meaning, and a reader takes nothing that is not declared. Whatever is wrong with a file ends in one
 * {@link io.millrace.settings.ConfigException} that names file, line, key, value, bound and remedy. Set-up threads.
 */
package io.millrace.settings;
