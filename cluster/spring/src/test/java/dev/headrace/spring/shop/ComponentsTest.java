package dev.headrace.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.spring.shop.ShopApplication.Table;
import dev.headrace.spring.test.HeadraceTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.RestController;

/** Which components of the application a test has. */
final class ComponentsTest {

  /** Says nothing of them. */
  @Nested
  @HeadraceTest
  @Import(Table.class)
  final class WithoutFilters {
    @Autowired private ObjectProvider<OpeningHours> hours;

    @Test
    void componentsAreLeftOut() {
      assertThat(hours.getIfAvailable()).isNull();
    }
  }

  /** Names one of them. */
  @Nested
  @HeadraceTest(
      includeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = OpeningHours.class))
  @Import(Table.class)
  final class WithAFilterThatFinds {
    @Autowired private ObjectProvider<OpeningHours> hours;

    @Test
    void theNamedOneIsFound() {
      assertThat(hours.getIfAvailable()).isNotNull();
    }
  }

  /** Wants all but one. */
  @Nested
  @HeadraceTest(
      useDefaultFilters = false,
      excludeFilters = @Filter({Service.class, RestController.class}))
  @Import(Table.class)
  final class WithAFilterThatLeavesOut {
    @Autowired private ObjectProvider<OpeningHours> hours;

    @Test
    void theNamedOneIsLeftOut() {
      assertThat(hours.getIfAvailable()).isNull();
    }
  }
}
