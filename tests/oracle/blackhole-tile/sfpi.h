/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blackhole-tile/sfpi/constants.hpp"
#include "blackhole-tile/sfpi/functions.hpp"
#include "blackhole-tile/sfpi/macro.hpp"
#include "blackhole-tile/sfpi/tile.hpp"
