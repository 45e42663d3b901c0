/*
 * How long libblackhole-tile.so takes: start, words, blocks, clocks, forks.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     library-times LIBRARY      a line each: name, microseconds (best of runs)
 *
 * On the ABI alone, so it measures ttsim's libttsim.so as well, but for the
 * rows that ttsim has no function for on Blackhole.
 */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BAR0 0x100000000ull
#define TLB_REGISTERS (BAR0 + 0x1fc00000)
#define WINDOW (2ull << 20)

enum {
    RUNS = 5,
    BLOCK = 1 << 20,
    L1_WINDOW = 0, MMIO_WINDOW, DRAM_WINDOW,
    TILE = 1 | 2 << 6,             /* coordinates, as in a window's register */
    DRAM = 0,
    SOFT_RESET = 0x1121b0,         /* in MMIO_WINDOW */
};

typedef struct Library {
    void (*init)(void);
    void (*leave)(void);
    uint32_t (*config)(uint32_t bdf, uint32_t offset);
    void (*read)(uint64_t paddr, void *data, uint32_t size);
    void (*write)(uint64_t paddr, const void *data, uint32_t size);
    void (*clock)(uint32_t n);
} Library;

static Library lib;
static uint8_t block[BLOCK];

static void *symbol(void *handle, const char *name)
{
    void *found = handle ? dlsym(handle, name) : NULL;

    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    return found;
}

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static uint64_t set_window(unsigned index, uint64_t address, uint32_t tile)
{
    uint64_t local = address / WINDOW;
    uint32_t words[] = { local, local >> 32 | tile << 11, 0 };

    for (unsigned n = 0; n < 3; n++) {
        lib.write(TLB_REGISTERS + 12 * index + 4 * n, &words[n], 4);
    }
    return BAR0 + index * WINDOW;
}

static void read_l1_word(void)
{
    lib.read(BAR0 + L1_WINDOW * WINDOW + 0x1ffb8, block, 4);
}

static void poll_l1_word(void)
{
    read_l1_word();
    lib.clock(1);
}

static void write_l1_word(void)
{
    lib.write(BAR0 + L1_WINDOW * WINDOW + 0x1ffb8, block, 4);
}

static void read_register(void)
{
    lib.read(BAR0 + MMIO_WINDOW * WINDOW + SOFT_RESET, block, 4);
}

static void read_dram_word(void)
{
    lib.read(BAR0 + DRAM_WINDOW * WINDOW, block, 4);
}

static void write_l1_block(void)
{
    lib.write(BAR0 + L1_WINDOW * WINDOW, block, BLOCK);
}

static void read_l1_block(void)
{
    lib.read(BAR0 + L1_WINDOW * WINDOW, block, BLOCK);
}

static void write_dram_block(void)
{
    lib.write(BAR0 + DRAM_WINDOW * WINDOW, block, BLOCK);
}

static void read_dram_block(void)
{
    lib.read(BAR0 + DRAM_WINDOW * WINDOW, block, BLOCK);
}

/* A child that uses its machine once. */
static void fork_and_use(void)
{
    pid_t child = fork();

    if (child == 0) {
        write_l1_word();
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void fork_and_leave(void)
{
    pid_t child = fork();

    if (child == 0) {
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void measure(const char *name, void (*work)(void), unsigned count)
{
    double best = 1e30;

    for (unsigned run = 0; run < RUNS; run++) {
        double start = now_us(), time;

        for (unsigned n = 0; n < count; n++) {
            work();
        }
        time = (now_us() - start) / count;
        best = time < best ? time : best;
    }
    printf("%-18s %12.3f\n", name, best);
    fflush(stdout);
}

static void load(const char *path)
{
    void *handle = dlopen(path, RTLD_LAZY);

    lib.init = symbol(handle, "libttsim_init");
    lib.leave = symbol(handle, "libttsim_exit");
    lib.config = symbol(handle, "libttsim_pci_config_rd32");
    lib.read = symbol(handle, "libttsim_pci_mem_rd_bytes");
    lib.write = symbol(handle, "libttsim_pci_mem_wr_bytes");
    lib.clock = symbol(handle, "libttsim_clock");
}

static void start(void)
{
    lib.init();
    if (lib.config(0, 0) != 0xb1401e52) {
        fprintf(stderr, "no Blackhole\n");
        exit(1);
    }
    set_window(L1_WINDOW, 0, TILE);
    set_window(MMIO_WINDOW, 0xffa00000, TILE);
    set_window(DRAM_WINDOW, 0, DRAM);
}

static void start_and_end(void)
{
    start();
    lib.leave();
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: library-times LIBRARY\n");
        return 2;
    }
    load(argv[1]);
    measure("start-and-end", start_and_end, 1);
    start();
    memset(block, 0x5a, sizeof(block));
    measure("l1-word-read", read_l1_word, 100000);
    measure("l1-word-poll", poll_l1_word, 10000);
    measure("l1-word-write", write_l1_word, 1000);
    measure("register-read", read_register, 1000);
    measure("dram-word-read", read_dram_word, 1000);
    measure("l1-1mib-write", write_l1_block, 5);
    measure("l1-1mib-read", read_l1_block, 5);
    measure("dram-1mib-write", write_dram_block, 5);
    measure("dram-1mib-read", read_dram_block, 5);
    measure("fork-only", fork_and_leave, 10);
    measure("fork-and-use", fork_and_use, 1);
    lib.leave();
    return 0;
}
