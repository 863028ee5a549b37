package io.millrace.cli.control;

/**
 * Output formats; the names are values of an option.
 */
enum Format
{
    /** For people. */
    table,
    /** For programs. */
    json,
    /** For both. */
    yaml
}
