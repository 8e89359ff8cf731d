package dev.headrace.http.text;

import dev.headrace.api.codec.CodecLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds the shapes of formats. */
final class Shapes {
  private Shapes() {}

  /** The shape of a format, or null if it is not made of built-in ones. */
  static @Nullable Shape of(String format) {
    return of(CodecLayout.ofFormat(format));
  }

  private static @Nullable Shape of(CodecLayout layout) {
    if (layout == CodecLayout.Scalar.ENUM) {
      return Scalar.STRING; // constants travel by their names
    } else if (layout instanceof CodecLayout.Scalar scalar) {
      return Scalar.BY_FORMAT.get(scalar.name().toLowerCase(Locale.ROOT));
    } else if (layout instanceof CodecLayout.Composite record) {
      List<RecordShape.Component> components = new ArrayList<>();
      for (CodecLayout.Component each : record.components()) {
        Shape shape = of(each.layout());
        if (shape == null) {
          return null;
        }
        components.add(new RecordShape.Component(each.name(), shape, each.nullable()));
      }
      return new RecordShape(List.copyOf(components));
    }
    return null;
  }
}
