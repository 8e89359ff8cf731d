package dev.headrace.spring.test;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.TypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.filter.TypeFilter;

/** Leaves out the components of the application, as {@link HeadraceTest} says. Immutable. */
final class HeadraceTestFilter extends TypeExcludeFilter {
  private final boolean leavesOut;
  private final List<TypeFilter> included;
  private final List<TypeFilter> excluded;

  /**
   * A filter.
   *
   * @param leavesOut whether it leaves out what no filter names
   * @param included what is found all the same
   * @param excluded what is left out all the same
   */
  HeadraceTestFilter(boolean leavesOut, List<TypeFilter> included, List<TypeFilter> excluded) {
    this.leavesOut = leavesOut;
    this.included = included;
    this.excluded = excluded;
  }

  @Override
  public boolean match(MetadataReader component, MetadataReaderFactory readers) throws IOException {
    return anyMatches(excluded, component, readers)
        || (leavesOut && !anyMatches(included, component, readers));
  }

  private static boolean anyMatches(
      List<TypeFilter> filters, MetadataReader component, MetadataReaderFactory readers)
      throws IOException {
    for (TypeFilter filter : filters) {
      if (filter.match(component, readers)) {
        return true;
      }
    }
    return false;
  }

  /** Contexts are compared by {@link SliceCustomizer}, not by the filters in them. */
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
