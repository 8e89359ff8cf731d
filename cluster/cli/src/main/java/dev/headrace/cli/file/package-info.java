/**
 * Entries as text: reading them from CSV, TSV and NDJSON, and writing them as CSV and NDJSON.
 *
 * <p>Nothing here knows a cluster. Sources and sinks are used by one thread at a time. Whatever is
 * malformed is reported with its line and column, both counted from 1, columns in code points.
 */
@NullMarked
package dev.headrace.cli.file;

import org.jspecify.annotations.NullMarked;
