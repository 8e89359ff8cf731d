package dev.headrace.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * A table as lines of text that fit a terminal: words to the left, numbers to the right. If it is
 * too wide, it first leaves out columns that say nothing, then continues the words of its last
 * column on further lines, and cuts other words, the longest first.
 */
final class TextTable {
  /** As many columns of characters as every terminal has. */
  static final int MAX_WIDTH = 80;

  private static final int LEAST_WORD = 8;
  private static final int LEAST_LAST = 20;
  private static final String INDENT = "  ";
  private static final String CUT = "..";

  private final List<List<String>> rows;
  private final IntPredicate isNumber;

  /**
   * A table.
   *
   * @param rows the first is the header
   * @param isNumber whether a column has numbers
   * @param saysNothing whether a column can be left out, given the texts below its header
   */
  TextTable(List<List<String>> rows, IntPredicate isNumber, Predicate<List<String>> saysNothing) {
    List<Integer> columns = IntStream.range(0, rows.get(0).size()).boxed().toList();
    if (sum(widths(rows)) > MAX_WIDTH) {
      columns =
          columns.stream()
              .filter(
                  column ->
                      !saysNothing.test(rows.stream().skip(1).map(row -> row.get(column)).toList()))
              .toList();
    }
    List<Integer> left = columns;
    this.rows = rows.stream().map(row -> left.stream().map(row::get).toList()).toList();
    this.isNumber = column -> isNumber.test(left.get(column));
  }

  /** The lines, each with its end. */
  String text() {
    int[] widths = fitting(widths(rows));
    StringBuilder text = new StringBuilder();
    int last = widths.length - 1;
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < last; i++) {
        String word = cut(row.get(i), widths[i]);
        line.append(INDENT).append(padded(word, widths[i], isNumber.test(i)));
      }
      int before = line.length();
      for (String part : parts(row.get(last), widths[last])) {
        line.append(INDENT).append(padded(part, widths[last], isNumber.test(last)));
        text.append(line.toString().stripTrailing()).append('\n');
        line.replace(0, line.length(), " ".repeat(before));
      }
    }
    return text.toString();
  }

  /** A text whose lines fit a terminal: longer ones go on, indented, in further lines. */
  static String wrapped(String text) {
    StringBuilder wrapped = new StringBuilder();
    for (String line : text.split("\n", -1)) {
      String stripped = line.stripLeading();
      String indent = line.substring(0, line.length() - stripped.length());
      List<String> parts =
          line.length() <= MAX_WIDTH
              ? List.of(stripped)
              : parts(stripped, MAX_WIDTH - indent.length() - INDENT.length());
      wrapped.append(indent).append(parts.get(0)).append('\n');
      for (String part : parts.subList(1, parts.size())) {
        wrapped.append(indent).append(INDENT).append(part).append('\n');
      }
    }
    return wrapped.substring(0, wrapped.length() - 1);
  }

  private static String padded(String word, int width, boolean number) {
    String padding = " ".repeat(width - word.length());
    return number ? padding + word : word + padding;
  }

  /** A text in lines of a width, broken after words where that is possible. */
  private static List<String> parts(String text, int width) {
    List<String> parts = new ArrayList<>();
    String rest = text;
    while (rest.length() > width) {
      int space = rest.lastIndexOf(' ', width);
      int end = space <= 0 ? width : space;
      parts.add(rest.substring(0, end));
      rest = rest.substring(end).strip();
    }
    parts.add(rest);
    return parts;
  }

  private static int[] widths(List<List<String>> rows) {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return widths;
  }

  private static int sum(int[] widths) {
    return IntStream.of(widths).map(width -> width + INDENT.length()).sum();
  }

  /** Takes from the last column, then from the widest of words until all fit or none can give. */
  private int[] fitting(int[] wanted) {
    int[] widths = wanted.clone();
    int last = widths.length - 1;
    if (!isNumber.test(last)) {
      int over = Math.max(0, sum(widths) - MAX_WIDTH);
      widths[last] = Math.max(Math.min(LEAST_LAST, widths[last]), widths[last] - over);
    }
    while (sum(widths) > MAX_WIDTH) {
      List<Integer> words = new ArrayList<>();
      for (int i = 0; i < last; i++) {
        if (!isNumber.test(i) && widths[i] > LEAST_WORD) {
          words.add(i);
        }
      }
      if (words.isEmpty()) {
        return widths;
      }
      int widest = words.get(0);
      for (int column : words) {
        widest = widths[column] > widths[widest] ? column : widest;
      }
      widths[widest]--;
    }
    return widths;
  }

  private static String cut(String word, int width) {
    return word.length() <= width ? word : word.substring(0, width - CUT.length()) + CUT;
  }
}
