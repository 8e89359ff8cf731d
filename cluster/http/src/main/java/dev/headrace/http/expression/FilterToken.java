package dev.headrace.http.expression;

/**
 * A part of a text.
 *
 * @param position the index of its first character
 * @param text what it says; of a quoted text what is within the quotes
 */
record FilterToken(Kind kind, int position, String text) {

  /** What it is. */
  enum Kind {
    /** A name, a path of names with dots, or a word of the grammar. */
    NAME,
    /** A number, perhaps with a sign. */
    NUMBER,
    /** A text in quotes. */
    TEXT,
    /** A relation, a bracket, a comma or a dot. */
    SIGN,
    /** Nothing follows. */
    END
  }

  boolean isName(String word) {
    return kind == Kind.NAME && text.equals(word);
  }

  boolean isSign(String sign) {
    return kind == Kind.SIGN && text.equals(sign);
  }

  /** As in a message. */
  String shown() {
    return switch (kind) {
      case END -> "the end";
      case TEXT -> "a text in quotes";
      default -> "\"" + (text.length() <= 40 ? text : text.substring(0, 40) + "…") + "\"";
    };
  }
}
