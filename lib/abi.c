/*
 * The functions that clients call: ttsim's single-chip ABI (its
 * docs/libttsim_api.md has the contract).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Here is the one TileLibrary of the process. Callers need not be in one
 * thread, but one after the other; a lock sees to that, mostly for fork().
 */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi.h"
#include "library.h"

#define NO_DEVICE 0xffffffffu

enum { DEFAULT_X = 1, DEFAULT_Y = 2 };

static TileLibrary library = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .fork_lock = PTHREAD_MUTEX_INITIALIZER,
    .emulator = { .host = -1, .dma = -1, .qmp = -1, .bell = -1,
                  .snapshot = { -1, -1 } },
    .link = -1,
    .fork_link = { -1, -1 },
    .log = -1,
};

/* --- a call --- */

/* False: a DMA callback of this thread calls, which would wait for itself. */
static bool lock(TileLibrary *l)
{
    if (__atomic_load_n(&l->serving, __ATOMIC_ACQUIRE) &&
        pthread_equal(l->server, pthread_self())) {
        complain(l, UNDEFINED_BEHAVIOR, 0, "called by a DMA callback");
        return false;
    }
    pthread_mutex_lock(&l->lock);
    return true;
}

/* The library, locked and with a machine; or NULL, after a complaint. */
static TileLibrary *enter(const char *function)
{
    TileLibrary *l = &library;

    if (!lock(l)) {
        return NULL;
    }
    l->function = function;
    if (l->state == LIBRARY_INHERITED) {
        family_start_own(l);
    }
    if (l->state == LIBRARY_RUNNING) {
        return l;
    }
    if (l->state == LIBRARY_OFF) {
        complain(l, CONFIGURATION, 0, "sim is not running");
    }
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

static void leave(TileLibrary *l)
{
    pthread_mutex_unlock(&l->lock);
}

/* --- start and end --- */

static void before_fork(void)
{
    family_before_fork(&library);
}

static void after_fork_in_parent(void)
{
    family_after_fork_in_parent(&library);
}

static void after_fork_in_child(void)
{
    family_after_fork_in_child(&library);
}

/* What clients read beside the library, and what the machine has. */
static void check_tiles(TileLibrary *l, const Tiles *listed)
{
    unsigned columns, rows;

    if (!listed->columns) {
        complain(l, CONFIGURATION, 0, "soc_descriptor.yaml: functional_workers "
                 "is no rectangle of at most 4x4 tiles: only the first exists");
    } else if (tiles_option(option("BLACKHOLE_TILE_OPTIONS"), &columns,
                            &rows) &&
               (columns != l->columns || rows != l->rows)) {
        complain(l, CONFIGURATION, 0, "BLACKHOLE_TILE_OPTIONS: tiles=%ux%u, "
                 "but soc_descriptor.yaml lists %ux%u: load tiles-%ux%u/"
                 "libblackhole-tile.so instead", columns, rows, l->columns,
                 l->rows, columns, rows);
    }
}

static void find_machine(TileLibrary *l)
{
    Tiles tiles = { DEFAULT_X, DEFAULT_Y, 1, 1 };
    bool found = find_tiles(&tiles);

    l->x = tiles.x;
    l->y = tiles.y;
    l->columns = tiles.columns ? tiles.columns : 1;
    l->rows = tiles.rows ? tiles.rows : 1;
    if (found) {
        check_tiles(l, &tiles);
    }
}

static void read_options(TileLibrary *l)
{
    const char *on_error = option("BLACKHOLE_TILE_ON_ERROR");

    l->exit_on_error = on_error && !strcmp(on_error, "exit");
    if (on_error && !l->exit_on_error && strcmp(on_error, "continue")) {
        complain(l, CONFIGURATION, 0, "BLACKHOLE_TILE_ON_ERROR=%s: exit or "
                 "continue is wanted", on_error);
    }
    find_machine(l);
}

static void stop_at_end(TileLibrary *l);

/* A process has one exit status; a child that fork() made has its own. */
static void end_of_process(int status, void *pid)
{
    TileLibrary *l = &library;

    if ((intptr_t)pid != getpid()) {
        return;
    }
    stop_at_end(l);
    if (!status && l->found) {
        fflush(NULL);
        _exit(EMULATOR_FINDINGS);
    }
}

/* What exit() calls must not be unloaded by dlclose(). */
static void check_at_exit(void)
{
    static pid_t registered;
    Dl_info here;

    if (registered != getpid() && dladdr(&library, &here) &&
        dlopen(here.dli_fname, RTLD_LAZY | RTLD_NODELETE)) {
        registered = getpid();
        on_exit(end_of_process, (void *)(intptr_t)registered);
    }
}

static void start(TileLibrary *l)
{
    l->clocks = 0;
    l->clocks_owed = 0;
    l->complaints = 0;
    read_options(l);
    bars_reset(l);
    l->state = LIBRARY_DEAD;
    if (emulator_start(l, &l->emulator, false)) {
        l->state = LIBRARY_RUNNING;
        tile_hello(l);
        if (l->checks) {
            check_at_exit();
        }
    }
}

static void stop(TileLibrary *l)
{
    if (l->state == LIBRARY_RUNNING) {
        family_send_snapshots(l);
        tile_status(l);
    }
    l->found |= emulator_end(&l->emulator) && l->checks;
    family_end(l);
    l->state = LIBRARY_OFF;
    close_file(&l->log);
    free(l->answer.data);
    free(l->dma.data);
    l->answer = l->dma = (Buffer) { 0 };
}

void libttsim_init(void)
{
    TileLibrary *l = &library;

    if (!lock(l)) {
        return;
    }
    l->function = __func__;
    if (l->state == LIBRARY_OFF) {
        family_watch_forks(before_fork, after_fork_in_parent,
                           after_fork_in_child);
        start(l);
    } else {
        complain(l, CONFIGURATION, 0, "sim is already running");
    }
    leave(l);
}

void libttsim_exit(void)
{
    TileLibrary *l = &library;

    if (!lock(l)) {
        return;
    }
    l->function = __func__;
    if (l->state == LIBRARY_OFF) {
        complain(l, CONFIGURATION, 0, "sim is not running");
    }
    stop(l);
    leave(l);
}

static void stop_at_end(TileLibrary *l)
{
    l->function = "libttsim_exit";
    if (l->state != LIBRARY_OFF && pthread_mutex_trylock(&l->lock) == 0) {
        stop(l);
        leave(l);
    }
}

/* At dlclose() and at the end of a process that did not call _exit(). */
static __attribute__((destructor)) void unload(void)
{
    stop_at_end(&library);
}

void libttsim_set_pci_dma_mem_callbacks(DmaRead *read, DmaWrite *write)
{
    TileLibrary *l = &library;

    if (!lock(l)) {
        return;
    }
    l->function = __func__;
    if (l->state == LIBRARY_OFF) {
        l->dma_read = read;
        l->dma_write = write;
    } else {
        complain(l, CONFIGURATION, 0, "sim is already running");
    }
    leave(l);
}

/* --- accesses --- */

uint32_t libttsim_pci_config_rd32(uint32_t bus_device_function,
                                  uint32_t offset)
{
    TileLibrary *l = enter(__func__);
    uint32_t value;

    if (!l) {
        return NO_DEVICE;
    }
    value = config_read(l, bus_device_function, offset);
    leave(l);
    return value;
}

void libttsim_pci_config_wr32(uint32_t bus_device_function, uint32_t offset,
                              uint32_t data)
{
    TileLibrary *l = enter(__func__);

    if (l) {
        config_write(l, bus_device_function, offset, data);
        leave(l);
    }
}

void libttsim_pci_mem_rd_bytes(uint64_t paddr, void *dst, uint32_t size)
{
    TileLibrary *l = enter(__func__);

    if (!l) {
        memset(dst, 0, size);
        return;
    }
    bars_access(l, paddr, dst, size, false);
    leave(l);
}

void libttsim_pci_mem_wr_bytes(uint64_t paddr, const void *src, uint32_t size)
{
    TileLibrary *l = enter(__func__);

    if (l) {
        bars_access(l, paddr, (void *)src, size, true);
        leave(l);
    }
}

void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t addr, void *dst,
                            uint32_t size)
{
    TileLibrary *l = enter(__func__);

    if (!l) {
        memset(dst, 0, size);
        return;
    }
    tile_read(l, x, y, addr, dst, size);
    leave(l);
}

void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t addr,
                            const void *src, uint32_t size)
{
    TileLibrary *l = enter(__func__);

    if (l) {
        tile_write(l, x, y, addr, src, size);
        leave(l);
    }
}

void libttsim_clock(uint32_t n_clocks)
{
    TileLibrary *l = enter(__func__);

    if (l) {
        l->clocks += n_clocks;
        tile_clock(l, n_clocks);
        leave(l);
    }
}
