package dev.headrace.cli.demo;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What Unicode says about a code point.
 *
 * @param name such as LATIN SMALL LETTER A
 * @param block such as BASIC_LATIN
 * @param script such as Latin
 * @param category such as Ll
 */
record CodePoint(String name, String block, String script, String category) {
  private static final String[] CATEGORIES = {
    "Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Me", "Mc", "Nd", "Nl", "No", "Zs", "Zl", "Zp", "Cc",
    "Cf", "??", "Co", "Cs", "Pd", "Ps", "Pe", "Pc", "Po", "Sm", "Sc", "Sk", "So", "Pi", "Pf"
  };

  /**
   * All code points to which the JDK's Unicode version assigns a character. Surrogates are left
   * out, as they are halves of characters, and so is private use, which has no names.
   */
  static Map<Integer, CodePoint> all() {
    Map<Integer, CodePoint> all = new TreeMap<>();
    for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint++) {
      int type = Character.getType(codePoint);
      if (type != Character.UNASSIGNED
          && type != Character.SURROGATE
          && type != Character.PRIVATE_USE) {
        all.put(
            codePoint,
            new CodePoint(
                String.valueOf(Character.getName(codePoint)),
                String.valueOf(Character.UnicodeBlock.of(codePoint)),
                words(Character.UnicodeScript.of(codePoint).name()),
                CATEGORIES[type]));
      }
    }
    return all;
  }

  /** Such as "Egyptian hieroglyphs" of EGYPTIAN_HIEROGLYPHS. */
  private static String words(String constant) {
    return constant.charAt(0) + constant.substring(1).toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
