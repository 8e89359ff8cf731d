package dev.headrace.http.cache;

import dev.headrace.http.exchange.AcceptedValue;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.text.TextForm;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The forms in which a value travels. */
enum MediaType {
  /** As people read it. */
  TEXT("text/plain"),
  /** As JSON; records by their fields. */
  JSON("application/json"),
  /** The encoded bytes. */
  RAW("application/octet-stream");

  private final String name;

  MediaType(String name) {
    this.name = name;
  }

  /** The media type that a reply names. */
  String header() {
    return this == TEXT ? name + "; charset=utf-8" : name;
  }

  /** The form of a value for whom all are equal. */
  static MediaType natural(TextForm form) {
    if (!form.isKnown() || form.isBytes()) {
      return RAW;
    }
    return form.isStructured() ? JSON : TEXT;
  }

  /**
   * The form that a client likes best.
   *
   * @param accept its header; null for any
   * @throws ProblemException 406 if it likes none that the format has
   */
  static MediaType accepted(@Nullable String accept, TextForm form) {
    if (accept == null || accept.isBlank()) {
      return natural(form);
    }
    MediaType best = null;
    double most = 0;
    for (MediaType candidate : candidates(form)) {
      double quality = quality(accept, candidate.name);
      if (quality > most) {
        most = quality;
        best = candidate;
      }
    }
    if (best == null) {
      throw new ProblemException(
          406, "Values of this cache come as " + names(candidates(form)) + " only");
    }
    return best;
  }

  /** The forms of a format, the natural one first. */
  private static List<MediaType> candidates(TextForm form) {
    List<MediaType> all = new ArrayList<>(List.of(natural(form)));
    for (MediaType each : values()) {
      if (form.isKnown() && !all.contains(each)) {
        all.add(each);
      }
    }
    return all;
  }

  private static String names(List<MediaType> all) {
    return String.join(", ", all.stream().map(each -> each.name).toList());
  }

  /** How much a client likes a media type; the most specific range of its header counts. */
  private static double quality(String accept, String name) {
    String any = name.substring(0, name.indexOf('/')) + "/*";
    int closest = 0;
    double quality = 0;
    for (AcceptedValue value : AcceptedValue.parse(accept)) {
      String type = value.name();
      int close = type.equals(name) ? 3 : type.equals(any) ? 2 : type.equals("*/*") ? 1 : 0;
      if (close > closest) {
        closest = close;
        quality = value.quality();
      }
    }
    return quality;
  }

  /**
   * The form of a body.
   *
   * @param contentType its header; null for the natural one
   * @throws ProblemException 415 if it is none of these
   */
  static MediaType sent(@Nullable String contentType, TextForm form) {
    MediaType named = named(contentType);
    return named == null ? natural(form) : named;
  }

  /** The form that a header names; null if there is none. */
  static @Nullable MediaType named(@Nullable String contentType) {
    if (contentType == null || contentType.isBlank()) {
      return null;
    }
    String type = contentType.split(";", -1)[0].strip().toLowerCase(Locale.ROOT);
    for (MediaType each : values()) {
      if (each.name.equals(type)) {
        return each;
      }
    }
    throw new ProblemException(
        415, "Send a value as " + names(List.of(values())) + " and say so in Content-Type");
  }

  /**
   * Writes a value.
   *
   * @throws ProblemException 409 if the stored bytes are none of the format
   */
  byte[] write(byte[] value, TextForm form) {
    try {
      return written(value, form);
    } catch (RuntimeException e) { // whatever a format finds wrong with bytes
      throw new ProblemException(
          409, "The stored bytes are no value of " + form.format() + "; ask for " + RAW.name, e);
    }
  }

  private byte[] written(byte[] value, TextForm form) {
    return switch (this) {
      case RAW -> value;
      case TEXT -> form.text(value).getBytes(StandardCharsets.UTF_8);
      case JSON -> {
        StringBuilder json = new StringBuilder();
        form.appendJson(value, json);
        yield json.toString().getBytes(StandardCharsets.UTF_8);
      }
    };
  }

  /**
   * Reads a value.
   *
   * @throws ProblemException 400 if it is none of the format
   */
  byte[] read(byte[] body, TextForm form) {
    try {
      return switch (this) {
        case RAW -> {
          if (form.isKnown()) {
            form.check(body);
          }
          yield body;
        }
        case TEXT -> form.parseText(body);
        case JSON -> form.parseJson(body);
      };
    } catch (IllegalArgumentException e) {
      throw new ProblemException(
          400, "The body is no value of " + form.format() + ": " + e.getMessage(), e);
    }
  }
}
