package io.millrace.cli.control.view;

/**
 * Output formats; the names are values of an option.
 */
public enum Format
{
    /** For people. */
    table,
    /** For programs. */
    json,
    /** For both. */
    yaml
}
