/*
 * What the qtests of the blackhole-tile machine share: a tile's address map, a
 * machine whose guest-error log can be read, and debug reads.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TILE_QTEST_H
#define TILE_QTEST_H

#include "tests/qtest/libqtest.h"

/* Harts in CPU order; a hart's 4 GiB lie at TILE_VIEW(hart). */
enum { BRISC, NCRISC, TRISC0, TRISC1, TRISC2, TILE_HARTS };
#define TILE_VIEW(hart) ((uint64_t)((hart) + 1) << 32)
#define TILE_THREADS 3

#define TILE_LOCAL_RAM 0xffb00000u
#define TILE_PCBUF_OVERRIDE 0xffb12090u
#define TILE_SOFT_RESET 0xffb121b0u
#define TILE_DEST_WINDOW 0xffbd8000u
#define TILE_PUSH 0xffe40000u
#define TILE_PCBUF 0xffe80000u
#define TILE_PCBUF_STRIDE 0x10000u
#define TILE_COP_DONE (TILE_PCBUF + 0x04)
#define TILE_MOP_DONE (TILE_PCBUF + 0x08)
#define TILE_SEMAPHORE(i) (TILE_PCBUF + 0x20 + 4 * (i))
#define TILE_MAILBOX(i) (0xffec0000u + 0x1000 * (i))
#define TILE_CFG 0xffef0000u
#define TILE_APERTURE 0xf00000000ull

/*
 * The tile under test: the only one, or with TENSIX_TILE=N in the environment
 * the last of N + 1 in a row.  Addresses in a test are the tile's own.
 */
unsigned tile_number(void);
uint64_t tile_address(uint64_t addr);

#define qtest_readb(qts, addr) qtest_readb(qts, tile_address(addr))
#define qtest_readw(qts, addr) qtest_readw(qts, tile_address(addr))
#define qtest_readl(qts, addr) qtest_readl(qts, tile_address(addr))
#define qtest_readq(qts, addr) qtest_readq(qts, tile_address(addr))
#define qtest_writeb(qts, addr, v) qtest_writeb(qts, tile_address(addr), v)
#define qtest_writew(qts, addr, v) qtest_writew(qts, tile_address(addr), v)
#define qtest_writel(qts, addr, v) qtest_writel(qts, tile_address(addr), v)
#define qtest_writeq(qts, addr, v) qtest_writeq(qts, tile_address(addr), v)
#define qtest_memread(qts, addr, data, size) \
    qtest_memread(qts, tile_address(addr), data, size)
#define qtest_memwrite(qts, addr, data, size) \
    qtest_memwrite(qts, tile_address(addr), data, size)
#define qtest_memset(qts, addr, value, size) \
    qtest_memset(qts, tile_address(addr), value, size)

#define TILE_SOFT_RESET_ALL 0x47800u
#define TILE_WOULD_BLOCK 0xffffffffu

typedef struct Tile {
    QTestState *qts;
    char *log;                     /* path of the guest-error log */
    const char *args;              /* its further arguments */
} Tile;

/* Starts the machine with further arguments (NULL: none), kept by reference. */
Tile tile_start(const char *args);
void tile_stop(Tile *t);

/* Accesses as a hart makes them. */
uint32_t tile_readl(Tile *t, unsigned hart, uint32_t addr);
void tile_writel(Tile *t, unsigned hart, uint32_t addr, uint32_t value);

/* How a debugger reads it: the monitor's "x" through that hart's CPU. */
uint32_t tile_debug_readl(Tile *t, unsigned hart, uint32_t addr);

/* Waits until a thread of the coprocessor has done all that it has. */
void tile_wait_idle(Tile *t, unsigned thread);

/* Lines of the log that contain text, so far. */
unsigned tile_log_count(Tile *t, const char *text);

/* Saves the machine to a file and continues in a new one that loads it. */
void tile_migrate(Tile *t);

#endif
