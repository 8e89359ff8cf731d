package dev.headrace.http;

/** The contract of the key-value course on three nodes. */
final class ThreeNodeContractTest extends EntityContract {
  ThreeNodeContractTest() {
    super(3);
  }
}
