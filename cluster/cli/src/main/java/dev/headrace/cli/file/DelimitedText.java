package dev.headrace.cli.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** Finds places in CSV and TSV that the parser does not tell. */
final class DelimitedText {
  private DelimitedText() {}

  /**
   * Where a field starts.
   *
   * @param raw a text that starts with a well-formed record, perhaps after empty lines
   * @param index the field's number from 0
   * @return its offset in the text, or that of the record's end if it has fewer fields
   */
  static int field(CharSequence raw, int index, char delimiter) {
    int at = 0;
    while (at < raw.length() && isLineBreak(raw.charAt(at))) {
      at++;
    }
    boolean quoted = false;
    int field = 0;
    for (; at < raw.length() && field < index; at++) {
      char c = raw.charAt(at);
      if (c == '"') {
        quoted = !quoted;
      } else if (!quoted && isLineBreak(c)) {
        return at;
      } else if (!quoted && c == delimiter) {
        field++;
      }
    }
    return at;
  }

  /**
   * Says which quote since the mark is wrong. Unless it is one that is never closed, the text goes
   * back to the line behind the wrong record.
   *
   * @throws IOException if the end of that record cannot be read
   */
  static MalformedTextException quoteProblem(
      Utf8Text text, char delimiter, UncheckedIOException cause) throws IOException {
    CharSequence raw = text.sinceMark();
    int at = 0;
    int record = 0;
    while (at < raw.length()) {
      if (raw.charAt(at) == '"') {
        int open = at;
        at = afterClosingQuote(raw, open);
        if (at < 0) {
          return problem(text, open, "the quote that starts here is never closed", null, cause);
        }
        while (at < raw.length() && raw.charAt(at) == ' ') {
          at++;
        }
        if (at < raw.length() && raw.charAt(at) != delimiter && !isLineBreak(raw.charAt(at))) {
          return problem(
              text,
              at,
              "text follows a closing quote: write a quote inside a field twice",
              text.line(record, at),
              cause);
        }
      } else {
        while (at < raw.length() && raw.charAt(at) != delimiter && !isLineBreak(raw.charAt(at))) {
          at++;
        }
      }
      if (at < raw.length() && isLineBreak(raw.charAt(at))) {
        record = at + 1;
      }
      at++;
    }
    return problem(text, 0, "this record cannot be read: " + cause.getMessage(), null, cause);
  }

  private static int afterClosingQuote(CharSequence raw, int open) {
    for (int at = open + 1; at < raw.length(); at++) {
      if (raw.charAt(at) == '"') {
        if (at + 1 == raw.length() || raw.charAt(at + 1) != '"') {
          return at + 1;
        }
        at++;
      }
    }
    return -1;
  }

  private static MalformedTextException problem(
      Utf8Text text, int at, String problem, @Nullable String record, Exception cause) {
    MalformedTextException malformed =
        new MalformedTextException(text.place(text.mark() + at), problem, record);
    malformed.initCause(cause);
    return malformed;
  }

  static boolean isLineBreak(char c) {
    return c == '\n' || c == '\r';
  }
}
