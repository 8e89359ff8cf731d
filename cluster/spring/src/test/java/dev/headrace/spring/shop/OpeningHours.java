package dev.headrace.spring.shop;

import org.springframework.stereotype.Service;

/** A component of the shop that Spring finds by looking for it. */
@Service
final class OpeningHours {}
