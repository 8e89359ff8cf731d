package dev.headrace.http;

/** The contract of the key-value course on two nodes. */
final class EntityContractTest extends EntityContract {
  EntityContractTest() {
    super(2);
  }
}
