/**
 * Health with the classes of Boot 3.5, which Boot 4 has moved to other packages.
 *
 * <p>{@link dev.headrace.spring.boot3.HeadraceBoot3HealthAutoConfiguration} does what {@link
 * dev.headrace.spring.HeadraceHealthAutoConfiguration} does with Boot 4. An application has the
 * classes that one of them needs, and the other is passed over.
 *
 * <p><b>Threading.</b> Beans are made by one thread; what they are is thread-safe.
 *
 * <p><b>Invariants.</b> No class outside this package knows one of Boot 3's that Boot 4 does not
 * have.
 */
@NullMarked
package dev.headrace.spring.boot3;

import org.jspecify.annotations.NullMarked;
