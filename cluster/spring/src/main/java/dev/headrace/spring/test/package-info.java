/**
 * Tests of an application with a node of their own.
 *
 * <p>{@link dev.headrace.spring.test.HeadraceTest} is put on a test class. It needs Boot's test
 * libraries, which an application has among its tests only.
 *
 * <p><b>Threading.</b> As JUnit runs tests.
 */
@NullMarked
package dev.headrace.spring.test;

import org.jspecify.annotations.NullMarked;
