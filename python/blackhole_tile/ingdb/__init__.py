# SPDX-License-Identifier: GPL-2.0-or-later
"""gdb speaks Tensix: what scripts/tile.gdb loads into gdb.

load          loads it all
disassembler  x/i and disassemble show .ttinsn words
commands      tensix dest, lreg, why, cfg, sem, tile, step, ...
views, tables what they show
stops         tensix step, break, watch, delete
functions     $_dest(row, col), $_lreg(n, lane), $_tile(address, format)
printers      print of a C object whose type is called tile_FORMAT
vectors       vectors of sfpi.h: their LRegs and lanes
window        layout tensix: a window that follows the harts
link          how they ask the machine: `monitor`, and memory
insns         instruction words as text, without gdb
text          trees and tables of text, without gdb

Only modules insns and text can be imported outside of gdb.
"""
