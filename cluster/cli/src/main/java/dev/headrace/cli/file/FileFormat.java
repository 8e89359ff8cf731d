package dev.headrace.cli.file;

import java.util.Locale;
import java.util.Optional;

/** How entries are written in a file. */
public enum FileFormat {
  /** Fields between commas, quoted where necessary (RFC 4180); the first line names them. */
  CSV,
  /** As CSV, with tabulators. */
  TSV,
  /** One JSON object a line. */
  NDJSON;

  /** The format that a file's extension stands for. */
  public static Optional<FileFormat> ofFile(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return switch (lower.substring(lower.lastIndexOf('.') + 1)) {
      case "csv" -> Optional.of(CSV);
      case "tsv", "tab" -> Optional.of(TSV);
      case "ndjson", "jsonl" -> Optional.of(NDJSON);
      default -> Optional.empty();
    };
  }

  /** What separates fields. */
  char delimiter() {
    return this == TSV ? '\t' : ',';
  }
}
