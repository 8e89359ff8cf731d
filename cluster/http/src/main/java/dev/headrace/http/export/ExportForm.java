package dev.headrace.http.export;

import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.exchange.AcceptedValue;
import dev.headrace.http.exchange.ProblemException;
import java.util.List;
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
   * @throws ProblemException 400 or 406 if there is no such form, or a q of the header is no number
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
    ExportForm liked = liked(AcceptedValue.parse(accept));
    if (liked == null) {
      throw new ProblemException(
          406,
          "Entries come as application/x-ndjson, application/json, text/csv or"
              + " application/vnd.headrace.entries");
    }
    return liked;
  }

  /**
   * The form that a client likes best. Of forms that it likes the same, the one that its header
   * names first, which is how people and programs write what they like best.
   *
   * @return null if it accepts none
   */
  private static @Nullable ExportForm liked(List<AcceptedValue> ranges) {
    ExportForm best = null;
    double most = 0;
    int first = 0;
    for (ExportForm form : values()) {
      int place = form.place(ranges);
      double quality = place < 0 ? 0 : ranges.get(place).quality();
      boolean sooner = quality == most && best != null && place < first;
      if (quality > most || sooner) {
        best = form;
        most = quality;
        first = place;
      }
    }
    return best;
  }

  /** The place of the most specific range of media types with this form; -1 if there is none. */
  private int place(List<AcceptedValue> ranges) {
    String any = mediaType.substring(0, mediaType.indexOf('/')) + "/*";
    int closest = 0;
    int place = -1;
    for (int i = 0; i < ranges.size(); i++) {
      String type = ranges.get(i).name();
      int close = type.equals(mediaType) ? 3 : type.equals(any) ? 2 : type.equals("*/*") ? 1 : 0;
      if (close > closest) {
        closest = close;
        place = i;
      }
    }
    return place;
  }
}
