/*
 * Names of data formats, for reports.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "num/num.h"

const char *tensix_format_name(uint32_t format)
{
    static const char *const names[] = {
        [TENSIX_FMT_FP32] = "FP32", [TENSIX_FMT_FP16] = "FP16",
        [TENSIX_FMT_BFP8A] = "BFP8A", [TENSIX_FMT_BFP4A] = "BFP4A",
        [TENSIX_FMT_TF32] = "TF32", [TENSIX_FMT_BF16] = "BF16",
        [TENSIX_FMT_BFP8] = "BFP8", [TENSIX_FMT_BFP4] = "BFP4",
        [TENSIX_FMT_INT32] = "INT32", [TENSIX_FMT_INT16] = "INT16",
        [TENSIX_FMT_FP8] = "FP8", [TENSIX_FMT_BFP2A] = "BFP2A",
        [TENSIX_FMT_INT8] = "INT8", [TENSIX_FMT_BFP2] = "BFP2",
        [12] = "format 12", [13] = "format 13",
    };

    return names[format & 15];
}
