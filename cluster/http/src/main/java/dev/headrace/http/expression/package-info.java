/**
 * Conditions and parts of entries as text, for callers without Java: {@code price >= 40 and key
 * startsWith 'EU-'}.
 *
 * <p>{@link dev.headrace.http.expression.FilterText} is the entrance: it turns text into what
 * {@link dev.headrace.api.stream.operator.Expressions} makes, by the formats of a cache. {@link
 * dev.headrace.http.expression.EntrySelection} reads the parameters of a request that choose
 * entries.
 *
 * <p>The grammar, in which letters of both cases differ, and spaces count within quotes only:
 *
 * <pre>
 * condition   := conjunction { "or" conjunction }
 * conjunction := negation { "and" negation }
 * negation    := "not" negation | "(" condition ")" | test
 * test        := part relation constant
 *              | part "between" constant "and" constant
 *              | part "in" "(" constant { "," constant } ")"
 *              | part "startsWith" constant
 *              | part "isNull" | part "isNotNull"
 * relation    := "=" | "!=" | "&lt;" | "&lt;=" | "&gt;" | "&gt;="
 *              | "eq" | "ne" | "lt" | "le" | "gt" | "ge"
 * part        := whole [ ".lengthBytes" ]
 * whole       := "key" [ "." path ] | "value" | "version" | "lifespan" | path
 *              | "field" "(" text ")" | "keyField" "(" text ")"
 * path        := name { "." name }
 * constant    := number | "true" | "false" | text
 * text        := "'" characters "'" | '"' characters '"', where a doubled quote stands for one
 * parts       := part { "," part }
 * </pre>
 *
 * <p>A constant has the type of the part that it is compared with: instants, UUIDs, enums, versions
 * and characters are written as text, bytes as text in Base64, a lifespan in seconds or as text
 * such as {@code 'PT90S'}.
 *
 * <p><b>Threading.</b> Static functions and immutable values.
 *
 * <p><b>Invariants.</b> Whatever the text is, the answer is a condition or a {@link
 * dev.headrace.http.expression.FilterSyntaxException} with a position; the time is linear in the
 * text, and nothing is nested deeper than the operators of a stream may be.
 */
@NullMarked
package dev.headrace.http.expression;

import org.jspecify.annotations.NullMarked;
