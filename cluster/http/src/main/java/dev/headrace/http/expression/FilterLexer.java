package dev.headrace.http.expression;

import dev.headrace.http.expression.FilterToken.Kind;
import java.util.List;

/** Cuts a text into tokens, one at a time. For one thread. */
final class FilterLexer {
  private static final List<String> SIGNS =
      List.of("!=", "<=", ">=", "==", "=", "<", ">", "(", ")", ",", ".");

  private final String text;
  private int at;
  private FilterToken present;

  FilterLexer(String text) {
    this.text = text;
    this.present = read();
  }

  /** The token that comes next. */
  FilterToken peek() {
    return present;
  }

  /** Takes the token that comes next. */
  FilterToken take() {
    FilterToken taken = present;
    if (taken.kind() != Kind.END) {
      present = read();
    }
    return taken;
  }

  private FilterToken read() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    int start = at;
    if (at == text.length()) {
      return new FilterToken(Kind.END, start, "");
    }
    char first = text.charAt(at);
    if (first == '\'' || first == '"') {
      return quoted(first);
    }
    if (Character.isJavaIdentifierStart(first)) {
      return name();
    }
    if (isDigit(at) || ((first == '-' || first == '+' || first == '.') && isDigit(at + 1))) {
      return number();
    }
    for (String sign : SIGNS) {
      if (text.startsWith(sign, at)) {
        at += sign.length();
        return new FilterToken(Kind.SIGN, start, sign);
      }
    }
    throw new FilterSyntaxException(
        start, "\"" + Character.toString(text.codePointAt(at)) + "\" means nothing here");
  }

  private FilterToken quoted(char quote) {
    int start = at;
    StringBuilder content = new StringBuilder();
    at++;
    while (at < text.length()) {
      char next = text.charAt(at++);
      if (next != quote) {
        content.append(next);
      } else if (at < text.length() && text.charAt(at) == quote) {
        content.append(quote);
        at++;
      } else {
        return new FilterToken(Kind.TEXT, start, content.toString());
      }
    }
    throw new FilterSyntaxException(start, "This quote is never closed");
  }

  /** A name, and further ones behind dots that no space separates. */
  private FilterToken name() {
    int start = at;
    at++;
    while (at < text.length()) {
      boolean dot =
          text.charAt(at) == '.'
              && at + 1 < text.length()
              && Character.isJavaIdentifierStart(text.charAt(at + 1));
      if (!dot && !Character.isJavaIdentifierPart(text.charAt(at))) {
        break;
      }
      at++;
    }
    return new FilterToken(Kind.NAME, start, text.substring(start, at));
  }

  private FilterToken number() {
    int start = at;
    at++;
    while (at < text.length()) {
      char next = text.charAt(at);
      char before = text.charAt(at - 1);
      boolean sign = (next == '-' || next == '+') && (before == 'e' || before == 'E');
      if (!sign && next != '.' && !Character.isJavaIdentifierPart(next)) {
        break;
      }
      at++;
    }
    return new FilterToken(Kind.NUMBER, start, text.substring(start, at));
  }

  private boolean isDigit(int index) {
    return index < text.length() && text.charAt(index) >= '0' && text.charAt(index) <= '9';
  }
}
