package dev.headrace.http.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.http.exchange.ProblemException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which form of a cache's content a request asks for. */
final class ExportFormTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "|NDJSON",
        "*/*|NDJSON",
        "application/*|NDJSON",
        "text/*|CSV",
        "text/csv|CSV",
        "TEXT/CSV; header=present|CSV",
        "application/json|JSON",
        "application/vnd.headrace.entries|BINARY",
        "image/png, text/csv|CSV",
        "text/csv, application/json|CSV",
        "application/json, text/csv|JSON",
        "text/csv, */*|CSV",
        "text/html, application/xml;q=0.9, */*;q=0.8|NDJSON",
      })
  void theFirstThatIsNamedIsSentIfAllAreLikedTheSame(@Nullable String accept, ExportForm form) {
    assertThat(ExportForm.of(null, accept)).isEqualTo(form);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "text/csv;q=0.5, application/json|JSON",
        "application/x-ndjson;q=0.1, application/json;q=0.2, text/csv;q=0.3|CSV",
        "application/json ; q=0.8 , text/csv ; q=0.9|CSV",
        "text/csv;header=present;q=0.4, application/json;q=0.5|JSON",
        "*/*;q=0.1, text/csv|CSV",
        "*/*, application/x-ndjson;q=0.5|JSON",
        "application/x-ndjson;q=0, */*|JSON",
        "application/*;q=0, */*;q=0.1|CSV",
        "text/csv;q=0.000, application/vnd.headrace.entries;q=0.001|BINARY",
      })
  void whatIsLikedBestIsSentAndWhatIsNotAcceptableNever(String accept, ExportForm form) {
    assertThat(ExportForm.of(null, accept)).isEqualTo(form);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "image/png",
        "text/html, image/*;q=0.5",
        "text/csv;q=0",
        "*/*;q=0.0",
        "application/json;q=0, text/csv;q=0, image/png"
      })
  void whereNothingIsAcceptableTheFormsAreNamed(String accept) {
    assertProblem(406, "text/csv", () -> ExportForm.of(null, accept));
  }

  @ParameterizedTest
  @CsvSource({"ndjson,NDJSON", "json,JSON", "csv,CSV", "binary,BINARY"})
  void aParameterCountsMoreThanTheHeader(String format, ExportForm form) {
    assertThat(ExportForm.of(format, "image/png")).isEqualTo(form);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "xml", "CSV"})
  void aParameterThatNamesNoFormIsABadRequest(String format) {
    assertProblem(400, "ndjson, json, csv or binary", () -> ExportForm.of(format, null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/csv;q=much", "text/csv;q=", "application/json, text/csv;q=1,5;q=x"})
  void aQualityThatIsNoNumberIsABadRequest(String accept) {
    assertProblem(400, "no number", () -> ExportForm.of(null, accept));
  }

  private static void assertProblem(int status, String told, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ProblemException.class, problem -> assertThat(problem.status()).isEqualTo(status))
        .hasMessageContaining(told);
  }
}
