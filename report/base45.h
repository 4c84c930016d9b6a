/* Base45 (RFC 9285): bytes as the characters that a QR code's alphanumeric mode has. In byte mode, readers
 * take the bytes for text in some character set and rewrite them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Three characters for two bytes, two for a last one. */
#define BASE45_LENGTH(bytes) ((bytes) / 2 * 3 + (bytes) % 2 * 2)

/* Writes BASE45_LENGTH(n) characters, without a terminator. */
void base45_encode(char *to, const uint8_t *bytes, size_t n);

/* Writes up to `room` bytes; their number goes to *n. False: a character that base45 has not, a group that
 * stands for no byte or pair, a length that no bytes have, or too little room. */
bool base45_decode(uint8_t *to, size_t room, size_t *n, const char *text, size_t len);
