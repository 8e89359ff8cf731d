package dev.headrace.http.expression;

import dev.headrace.api.stream.operator.EntryCondition;
import dev.headrace.api.stream.operator.Expressions;
import dev.headrace.api.stream.operator.Operand;
import dev.headrace.http.expression.FilterToken.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads conditions and lists of parts; the grammar is that of the package. For one text and one
 * thread.
 */
public final class FilterText {
  /** The most characters of a text. */
  public static final int MAX_LENGTH = 8 << 10;

  private static final int MAX_DEPTH = 32;
  private static final int MAX_PARTS = 64;
  private static final String LENGTH = ".lengthBytes";

  private final FilterLexer tokens;
  private final EntryFields fields;

  private FilterText(String text, EntryFields fields) {
    if (text.length() > MAX_LENGTH) {
      throw new FilterSyntaxException(
          MAX_LENGTH, "A condition may have " + MAX_LENGTH + " characters");
    }
    this.tokens = new FilterLexer(text);
    this.fields = fields;
  }

  /**
   * Reads a condition.
   *
   * @param keyFormat the format of the cache's keys
   * @param valueFormat the format of its values
   * @throws FilterSyntaxException if it cannot be read, or compares what the cache does not have
   */
  public static EntryCondition condition(String text, String keyFormat, String valueFormat) {
    FilterText reader = new FilterText(text, new EntryFields(keyFormat, valueFormat));
    EntryCondition condition = reader.condition(1);
    reader.end("and, or");
    return condition;
  }

  /**
   * Reads a list of parts.
   *
   * @param keyFormat the format of the cache's keys
   * @param valueFormat the format of its values
   * @throws FilterSyntaxException if it cannot be read, or names what the cache does not have
   */
  public static List<Operand> parts(String text, String keyFormat, String valueFormat) {
    FilterText reader = new FilterText(text, new EntryFields(keyFormat, valueFormat));
    List<Operand> parts = new ArrayList<>();
    do {
      int position = reader.tokens.peek().position();
      Operand part = reader.part();
      if (parts.contains(part) || parts.size() == MAX_PARTS) {
        throw new FilterSyntaxException(
            position,
            parts.contains(part)
                ? "\"" + part + "\" is named twice"
                : "There are more than " + MAX_PARTS + " parts");
      }
      parts.add(part);
    } while (reader.takeSign(","));
    reader.end("a comma");
    return parts;
  }

  /**
   * The format of a part of keys or values, in a cache with these formats.
   *
   * @throws IllegalArgumentException if there is no such part
   */
  public static String format(Operand part, String keyFormat, String valueFormat) {
    return new EntryFields(keyFormat, valueFormat).format(part);
  }

  private EntryCondition condition(int depth) {
    List<EntryCondition> any = new ArrayList<>();
    do {
      any.add(conjunction(depth));
    } while (takeName("or"));
    return any.size() == 1 ? any.get(0) : new EntryCondition.Any(any);
  }

  private EntryCondition conjunction(int depth) {
    List<EntryCondition> all = new ArrayList<>();
    do {
      all.add(negation(depth));
    } while (takeName("and"));
    return all.size() == 1 ? all.get(0) : new EntryCondition.All(all);
  }

  private EntryCondition negation(int depth) {
    FilterToken next = tokens.peek();
    if (depth > MAX_DEPTH) {
      throw new FilterSyntaxException(
          next.position(), "Brackets and negations lie more than " + MAX_DEPTH + " deep");
    }
    if (takeName("not")) {
      return negation(depth + 1).not();
    }
    if (takeSign("(")) {
      EntryCondition within = condition(depth + 1);
      expectSign(")");
      return within;
    }
    return test();
  }

  private EntryCondition test() {
    Operand part = part();
    FilterToken word = tokens.take();
    return switch (word.kind() == Kind.TEXT || word.kind() == Kind.NUMBER ? "" : word.text()) {
      case "=", "==", "eq" -> part.eq(constant(part));
      case "!=", "ne" -> part.ne(constant(part));
      case "<", "lt" -> ordered(part, word).lt(constant(part));
      case "<=", "le" -> ordered(part, word).le(constant(part));
      case ">", "gt" -> ordered(part, word).gt(constant(part));
      case ">=", "ge" -> ordered(part, word).ge(constant(part));
      case "between" -> {
        Object least = constant(ordered(part, word));
        expectName("and");
        yield part.between(least, constant(part));
      }
      case "in" -> part.in(constants(part));
      case "startsWith" -> prefix(part, word);
      case "isNull" -> part.isNull();
      case "isNotNull" -> part.isNotNull();
      default ->
          throw new FilterSyntaxException(
              word.position(),
              "After \""
                  + part
                  + "\" comes =, !=, <, <=, >, >=, between, in, startsWith, isNull or isNotNull,"
                  + " not "
                  + word.shown());
    };
  }

  private Operand ordered(Operand part, FilterToken word) {
    boolean stored = part.source() == Operand.Source.KEY || part.source() == Operand.Source.VALUE;
    String format = stored && !part.length() ? fields.format(part) : "";
    if (format.equals("boolean") || format.equals("uuid") || format.startsWith("enum ")) {
      throw new FilterSyntaxException(
          word.position(), "\"" + part + "\" is a " + format + ", which only knows =, != and in");
    }
    return part;
  }

  private EntryCondition prefix(Operand part, FilterToken word) {
    Object prefix = constant(part);
    if (prefix instanceof byte[] bytes) {
      return part.startsWith(bytes);
    }
    boolean text =
        !part.length() && prefix instanceof String && fields.format(part).equals("string");
    if (!text) {
      throw new FilterSyntaxException(
          word.position(),
          "\"" + part + "\" is no string and no bytes, which begin with something");
    }
    return part.startsWith((String) prefix);
  }

  private List<Object> constants(Operand part) {
    expectSign("(");
    List<Object> constants = new ArrayList<>();
    do {
      constants.add(constant(part));
    } while (takeSign(","));
    expectSign(")");
    return constants;
  }

  private Object constant(Operand part) {
    return ConstantText.read(part, fields, tokens.take());
  }

  // ---- Parts of entries

  private Operand part() {
    FilterToken token = tokens.take();
    if (token.kind() != Kind.NAME) {
      throw new FilterSyntaxException(
          token.position(),
          "A field, key, value, version or lifespan belongs here, not " + token.shown());
    }
    boolean function = token.isName("field") || token.isName("keyField");
    Operand part =
        function && tokens.peek().isSign("(") ? called(token.text()) : named(token.text());
    boolean stored = part.source() == Operand.Source.KEY || part.source() == Operand.Source.VALUE;
    if (part.length() && !stored) {
      throw new FilterSyntaxException(token.position(), "Only keys and values have lengthBytes");
    }
    if (stored) {
      try {
        var unused = fields.format(part);
      } catch (IllegalArgumentException e) {
        throw new FilterSyntaxException(token.position(), String.valueOf(e.getMessage()));
      }
    }
    return part;
  }

  private static Operand named(String text) {
    boolean length = text.endsWith(LENGTH);
    String path = length ? text.substring(0, text.length() - LENGTH.length()) : text;
    Operand part =
        switch (path) {
          case "key" -> Expressions.key();
          case "value" -> Expressions.value();
          case "version" -> Expressions.version();
          case "lifespan" -> Expressions.lifespan();
          default ->
              path.startsWith("key.")
                  ? Expressions.keyField(path.substring("key.".length()))
                  : Expressions.field(path);
        };
    return length ? part.lengthBytes() : part;
  }

  /** A field whose name is a word of the grammar. */
  private Operand called(String function) {
    expectSign("(");
    FilterToken path = tokens.take();
    if (path.kind() != Kind.TEXT) {
      throw new FilterSyntaxException(
          path.position(), "The name of a field in quotes belongs here, not " + path.shown());
    }
    expectSign(")");
    Operand part =
        function.equals("field")
            ? Expressions.field(path.text())
            : Expressions.keyField(path.text());
    if (takeSign(".")) {
      expectName("lengthBytes");
      return part.lengthBytes();
    }
    return part;
  }

  // ---- Tokens

  private boolean takeName(String word) {
    boolean found = tokens.peek().isName(word);
    if (found) {
      tokens.take();
    }
    return found;
  }

  private boolean takeSign(String sign) {
    boolean found = tokens.peek().isSign(sign);
    if (found) {
      tokens.take();
    }
    return found;
  }

  private void expectName(String word) {
    if (!takeName(word)) {
      throw expected(word);
    }
  }

  private void expectSign(String sign) {
    if (!takeSign(sign)) {
      throw expected(sign);
    }
  }

  private void end(String others) {
    if (tokens.peek().kind() != Kind.END) {
      throw expected(others + " or the end");
    }
  }

  private FilterSyntaxException expected(String what) {
    FilterToken next = tokens.peek();
    return new FilterSyntaxException(next.position(), what + " belongs here, not " + next.shown());
  }
}
