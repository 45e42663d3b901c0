/*
 * libFuzzer's interface: it calls the first two, and brings the third along.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef LIBFUZZER_H
#define LIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

/* Runs one input; returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Varies an input in place; returns its new size, `most` at most. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned int seed);

/* Varies bytes without knowing what they are. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

#endif
