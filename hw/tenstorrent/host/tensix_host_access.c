/*
 * Accesses of host software by coordinates and address.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory is copied; registers of this tile are accessed in aligned words, as
 * the NoC does it.  A load of a part of a word loads the word; a store of a
 * part is refused where there is a register.
 */

#include "qemu/osdep.h"
#include "tensix_host_internal.h"

enum {
    WORDS = 64,                    /* registers a part */
    WORD = 4,
};

static const TensixActor host = {
    .event = 1, .kind = TENSIX_BY_HOST, .hart = TENSIX_HART_NONE,
};
static const MemTxAttrs host_attrs = {
    .requester_id = TENSIX_REQUESTER_HOST
};
static const char nothing_there[] = "nothing there that the NoC can reach";

static const char *copy(TensixHostState *s, const HostAccess *a, uint64_t addr,
                        uint32_t size)
{
    TensixNocAddress at = { .x = a->at.x, .y = a->at.y, .addr = addr };

    return a->is_write
           ? tensix_noc_port_write(s->noc_port, &host, at, a->data, size)
           : tensix_noc_port_read(s->noc_port, &host, at, a->data, size);
}

static void advance(HostAccess *a, uint32_t size)
{
    a->data += size;
    a->done += size;
    a->room -= size;
}

static const char *copy_registers(AddressSpace *as, const HostAccess *a,
                                  uint64_t addr, uint32_t size)
{
    MemTxResult result = address_space_rw(as, addr, host_attrs,
                                          a->data, size, a->is_write);

    return result == MEMTX_OK ? NULL : nothing_there;
}

/* A word, or the part of one with which the access begins or ends. */
static const char *access_word(AddressSpace *as, HostAccess *a)
{
    uint64_t addr = a->at.addr + a->done;
    uint32_t skip = addr % WORD, size = MIN(WORD - skip, a->size - a->done);
    uint8_t word[WORD];

    if (size > a->room) {
        return NULL;
    }
    if (size < WORD && a->is_write) {
        return "registers take aligned words only";
    }
    if (a->is_write) {
        memcpy(word, a->data, WORD);
    }
    if (address_space_rw(as, addr - skip, host_attrs, word, WORD,
                         a->is_write) != MEMTX_OK) {
        return nothing_there;
    }
    if (!a->is_write) {
        memcpy(a->data, word + skip, size);
    }
    advance(a, size);
    return NULL;
}

static const char *access_words(AddressSpace *as, HostAccess *a)
{
    const char *error = NULL;

    for (int i = 0; i < WORDS && a->room && !error; i++) {
        error = access_word(as, a);
    }
    return error;
}

/* Bytes of RAM from addr on, such as a hart's; 0: a register is there. */
static uint32_t ram_at(AddressSpace *as, uint64_t addr, uint32_t size,
                       bool is_write)
{
    hwaddr xlat, len = MIN(size, HOST_PART);
    MemoryRegion *mr;

    RCU_READ_LOCK_GUARD();
    mr = address_space_translate(as, addr, &xlat, &len, is_write,
                                 host_attrs);
    return memory_region_is_ram(mr) ? len : 0;
}

static const char *access_registers(AddressSpace *as, HostAccess *a)
{
    uint64_t addr = a->at.addr + a->done;
    uint32_t ram = ram_at(as, addr, a->room, a->is_write);
    const char *error;

    if (!ram) {
        return access_words(as, a);
    }
    error = copy_registers(as, a, addr, ram);
    advance(a, ram);
    return error;
}

static bool is_within(const HostAccess *a, uint64_t begin, uint64_t end)
{
    return a->at.addr >= begin && a->at.addr < end &&
           a->size <= end - a->at.addr;
}

const char *tensix_host_access_part(TensixHostState *s, HostAccess *a)
{
    uint64_t addr = a->at.addr + a->done;
    uint32_t size = MIN(a->room, HOST_PART);
    TensixNocPort *tile = tensix_noc_tile(s->noc_port->noc, a->at);
    const char *error;

    if (tile) {
        if (is_within(a, HOST_MMIO_BASE, TENSIX_VIEW_SIZE)) {
            return access_registers(&tile->as, a);
        }
        if (!is_within(a, 0, TENSIX_L1_SIZE)) {
            return "outside L1 and MMIO of this tile";
        }
    }
    error = copy(s, a, addr, size);
    advance(a, size);
    return error;
}

/* --- requests --- */

const char *tensix_host_check_request(const TensixWireRequest *r)
{
    if (r->size > TENSIX_WIRE_MAX_DATA) {
        return "more than 1 GiB";
    }
    if (r->command == TENSIX_WIRE_WRITE && r->data.size < r->size) {
        return "less data than its size says";
    }
    if (r->x >= TENSIX_NOC_COORDINATES || r->y >= TENSIX_NOC_COORDINATES) {
        return "coordinates beyond 63";
    }
    if (r->size && r->address > UINT64_MAX - (r->size - 1)) {
        return "beyond the end of the address space";
    }
    return NULL;
}

char *tensix_host_describe(const TensixWireRequest *r, const char *error)
{
    return g_strdup_printf("%s of %u bytes at (%u,%u) 0x%" PRIx64 ": %s",
                           r->command == TENSIX_WIRE_WRITE ? "write" : "read",
                           r->size, r->x, r->y, r->address, error);
}
