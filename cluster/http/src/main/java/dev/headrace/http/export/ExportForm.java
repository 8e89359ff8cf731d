package dev.headrace.http.export;

import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.exchange.ProblemException;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The forms in which a cache's content is sent. */
enum ExportForm {
  /** A JSON object a line. */
  NDJSON("application/x-ndjson"),
  /** A JSON array. */
  JSON("application/json"),
  /** Lines of two columns. */
  CSV("text/csv"),
  /** Frames of encoded bytes. */
  BINARY("application/vnd.headrace.entries");

  private final String mediaType;

  ExportForm(String mediaType) {
    this.mediaType = mediaType;
  }

  String mediaType() {
    return this == CSV ? mediaType + "; charset=utf-8; header=present" : mediaType;
  }

  /** Makes a writer of entries for one response. */
  ElementWriter<Map.Entry<byte[], byte[]>> entries(OpenCache cache) {
    return this == BINARY ? new FrameWriter() : writer(new EntryText(cache));
  }

  /**
   * Makes a writer for one response.
   *
   * @throws ProblemException 400 if the form has entries only
   */
  <T> ElementWriter<T> writer(ElementText<T> text) {
    return switch (this) {
      case NDJSON -> new JsonWriter<>(text, false);
      case JSON -> new JsonWriter<>(text, true);
      case CSV -> new CsvWriter<>(text);
      case BINARY ->
          throw new ProblemException(
              400, "The form binary has entries as a whole: leave out select, or ask for JSON");
    };
  }

  /** Whether entries are sent as bytes, so that their formats need not be known. */
  boolean isBinary() {
    return this == BINARY;
  }

  /**
   * The form that a request asks for: by its parameter {@code format}, else by its {@code Accept}.
   *
   * @throws ProblemException 400 or 406 if there is no such form
   */
  static ExportForm of(@Nullable String format, @Nullable String accept) {
    if (format != null) {
      for (ExportForm form : values()) {
        if (form.name().toLowerCase(Locale.ROOT).equals(format)) {
          return form;
        }
      }
      throw new ProblemException(400, "The parameter format is ndjson, json, csv or binary");
    }
    if (accept == null || accept.isBlank()) {
      return NDJSON;
    }
    // In the order of the header, which is how people and programs write what they like best.
    for (String range : accept.toLowerCase(Locale.ROOT).split(",", -1)) {
      String type = range.split(";", -1)[0].strip();
      if (type.equals("*/*") || type.equals("application/*")) {
        return NDJSON;
      }
      for (ExportForm form : values()) {
        if (form.mediaType.equals(type) || (form == CSV && type.equals("text/*"))) {
          return form;
        }
      }
    }
    throw new ProblemException(
        406,
        "Entries come as application/x-ndjson, application/json, text/csv or"
            + " application/vnd.headrace.entries");
  }
}
