/*
 * The ARC tile: what firmware publishes, and its answers to messages.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_arc.h
 *
 * Where tables and queues lie in CSM is firmware's choice, so it is ours: host
 * software finds them by pointers in scratch registers.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/log.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "hw/tenstorrent/tensix_arc.h"
#include "hw/tenstorrent/tensix_noc_tiles.h"

enum {
    WORD = 4,
    SPACE = 0,                     /* of the store */

    CSM_SIZE = 512 * KiB,
    SCRATCH_COUNT = 8,
    SCRATCH_RAM_COUNT = 64,

    POST_CODE_BOOTED = 0xc0de003f, /* prefix of firmware's codes, last step */
    BOOT_STATUS_READY = 5,         /* bit 2: started, bit 0: takes messages */

    REFCLK_NS = 20,                /* 50 MHz */
    HEARTBEAT_MS = 50,

    AICLK_IDLE = 800,              /* MHz */
    AICLK_BUSY = 1350,
    AXICLK = 900,
    ARCCLK = 800,
};

#define CSM 0x10000000u
#define RESET_UNIT 0x80030000u
#define SCRATCH (RESET_UNIT + 0x60)
#define REFCLK (RESET_UNIT + 0xe0)  /* low, high word of a counter */
#define MISC_CNTL (RESET_UNIT + 0x100)
#define MISC_CNTL_IRQ0 (1u << 16)   /* firmware is to see its queues */
#define SCRATCH_RAM(n) (RESET_UNIT + 0x400 + WORD * (n))
#define NIU_COUNT 2
#define NIU(noc) (0x80050000u + 0x8000 * (noc))

enum {
    RAM_BOOT_STATUS = 2,
    RAM_QUEUES = 11,
    RAM_VALUES = 12,
    RAM_TAGS = 13,
};

/* --- what is where --- */

typedef struct ArcPart {
    uint64_t base;
    uint32_t size;
    bool is_register, is_constant;
} ArcPart;

static const ArcPart parts[] = {
    { CSM, CSM_SIZE, },
    { SCRATCH, WORD * SCRATCH_COUNT, true },
    { REFCLK, 2 * WORD, true, true },
    { MISC_CNTL, WORD, true },
    { SCRATCH_RAM(0), WORD * SCRATCH_RAM_COUNT, true },
    { NIU(0) + TENSIX_NIU_NODE_ID, WORD, true, true },
    { NIU(0) + TENSIX_NIU_CFG_0, WORD, true, true },
    { NIU(1) + TENSIX_NIU_NODE_ID, WORD, true, true },
    { NIU(1) + TENSIX_NIU_CFG_0, WORD, true, true },
};

static const ArcPart *part_at(uint64_t addr, uint32_t size)
{
    for (unsigned i = 0; i < ARRAY_SIZE(parts); i++) {
        const ArcPart *part = &parts[i];

        if (addr >= part->base && addr - part->base < part->size &&
            size <= part->size - (addr - part->base)) {
            return part;
        }
    }
    return NULL;
}

const char *tensix_arc_check(uint64_t addr, uint32_t size)
{
    const ArcPart *part = part_at(addr, size);

    if (!part) {
        return "neither CSM nor a register of the ARC tile that is modelled";
    }
    return part->is_register && (addr % WORD || size % WORD)
           ? "registers take aligned words only" : NULL;
}

static uint32_t get_word(TensixArc *arc, uint32_t addr)
{
    uint32_t word;

    tensix_noc_store_read(&arc->memory, SPACE, addr, &word, sizeof(word));
    return le32_to_cpu(word);
}

/* There are always enough pages: the store is not larger than the parts. */
static void put_word(TensixArc *arc, uint32_t addr, uint32_t value)
{
    uint32_t word = cpu_to_le32(value);

    tensix_noc_store_write(&arc->memory, SPACE, addr, &word, sizeof(word));
}

/* --- telemetry --- */

enum {
    TAGS = CSM + 0x100,            /* version, count, then tag | index << 16 */
    TAGS_HEAD = 2 * WORD,
    VALUES = CSM + 0x200,
    TAGS_VERSION = 1,

    BOARD_P100 = 0x43,             /* no Ethernet, seven of eight banks */
    BOARD_SHIFT = 4,               /* of the board's id, upper word */
    BUNDLE_18_12 = 0x120c0000,
    GDDR_ENABLED = ((1 << TENSIX_DRAM_BANKS) - 1) & ~TENSIX_DRAM_FUSED_OFF,
    GDDR_TRAINED = 0x1555,         /* two bits per bank that is enabled */
    GDDR_MBPS = 16000,
    PCIE_0_ENDPOINT = 1,           /* (2,0) leads to the host, (11,0) nowhere */

    /* Nothing heats: a constant, in degrees Celsius */
    ROOM = 25,
    ROOM_FIXED_POINT = ROOM << 16,
    BANK_ROOM = ROOM << 8 | ROOM,  /* top and bottom die */
    BANKS_ROOM = BANK_ROOM << 16 | BANK_ROOM,
};

typedef enum ArcValue {
    VALUE_AICLK,
    VALUE_HEARTBEAT,
    VALUE_COLUMNS,
    VALUE_FIRST_CONSTANT,
} ArcValue;

/* The first ones are those that change. */
static const struct {
    uint16_t tag;
    uint32_t value;
} telemetry[] = {
    [VALUE_AICLK] = { 14, AICLK_IDLE },
    [VALUE_HEARTBEAT] = { 32 },
    [VALUE_COLUMNS] = { 34 },
    [VALUE_FIRST_CONSTANT] = { 1, BOARD_P100 << BOARD_SHIFT },
    { 2, 1 },                      /* BOARD_ID_LOW */
    { 11, ROOM_FIXED_POINT },      /* ASIC_TEMPERATURE */
    { 13, ROOM_FIXED_POINT },      /* BOARD_TEMPERATURE */
    { 15, AXICLK },
    { 16, ARCCLK },
    { 21, 0 },                     /* ETH_LIVE_STATUS */
    { 22, GDDR_TRAINED },
    { 23, GDDR_MBPS },
    { 28, BUNDLE_18_12 },
    { 35, 0 },                     /* ENABLED_ETH */
    { 36, GDDR_ENABLED },
    { 37, 0 },                     /* ENABLED_L2CPU */
    { 38, PCIE_0_ENDPOINT },
    { 40, 1 },                     /* NOC_TRANSLATION */
    { 42, BANKS_ROOM },            /* GDDR_0_1_TEMP */
    { 43, BANKS_ROOM },
    { 44, BANKS_ROOM },
    { 45, BANK_ROOM },             /* bank 7 is fused off */
    { 46, 0 },                     /* GDDR_0_1_CORR_ERRS */
    { 47, 0 },
    { 48, 0 },
    { 49, 0 },
    { 50, 0 },                     /* GDDR_UNCORR_ERRS */
    { 51, ROOM },                  /* MAX_GDDR_TEMP */
    { 52, 0 },                     /* ASIC_LOCATION */
    { 61, 0 },                     /* ASIC_ID_HIGH */
    { 62, 1 },                     /* ASIC_ID_LOW */
    { 63, AICLK_BUSY },            /* AICLK_LIMIT_MAX */
};

static uint32_t value_at(ArcValue value)
{
    return VALUES + WORD * value;
}

static void publish_telemetry(TensixArc *arc)
{
    put_word(arc, TAGS, TAGS_VERSION);
    put_word(arc, TAGS + WORD, ARRAY_SIZE(telemetry));
    for (unsigned i = 0; i < ARRAY_SIZE(telemetry); i++) {
        put_word(arc, TAGS + TAGS_HEAD + WORD * i, telemetry[i].tag | i << 16);
        put_word(arc, value_at(i), telemetry[i].value);
    }
    put_word(arc, SCRATCH_RAM(RAM_TAGS), TAGS);
    put_word(arc, SCRATCH_RAM(RAM_VALUES), VALUES);
}

/* Columns from both edges in turn: x is 1, 16, 2, 15 and so on. */
void tensix_arc_enable_column(TensixArc *arc, uint32_t x)
{
    uint32_t at = value_at(VALUE_COLUMNS);
    bool west = x >= TENSIX_NOC_WEST_FIRST && x <= TENSIX_NOC_WEST_LAST;
    bool east = x >= TENSIX_NOC_EAST_FIRST && x <= TENSIX_NOC_EAST_LAST;

    if (west) {
        put_word(arc, at, get_word(arc, at) |
                          1u << 2 * (x - TENSIX_NOC_WEST_FIRST));
    } else if (east) {
        put_word(arc, at, get_word(arc, at) |
                          2u << 2 * (TENSIX_NOC_EAST_LAST - x));
    }
}

/* Counters, before anything is read. */
static void count(TensixArc *arc)
{
    uint64_t ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    put_word(arc, value_at(VALUE_HEARTBEAT), ns / SCALE_MS / HEARTBEAT_MS);
    put_word(arc, REFCLK, ns / REFCLK_NS);
    put_word(arc, REFCLK + WORD, ns / REFCLK_NS >> 32);
}

/* --- messages --- */

enum {
    QUEUES = 4,
    QUEUE_ENTRIES = 8,
    ENTRY_WORDS = 8,
    ENTRY_SIZE = ENTRY_WORDS * WORD,
    POINTERS = 2 * QUEUE_ENTRIES,  /* they wrap there */

    QUEUE_CONTROL = CSM + 0x300,   /* address, then entries | queues << 8 */
    QUEUE_FIRST = CSM + 0x400,
    REQUEST_WRITTEN = 0x00,        /* indices, by address in a queue */
    RESPONSE_READ = 0x04,
    REQUEST_READ = 0x10,
    RESPONSE_WRITTEN = 0x14,
    REQUEST_ENTRIES = 0x20,
    RESPONSE_ENTRIES = REQUEST_ENTRIES + QUEUE_ENTRIES * ENTRY_SIZE,
    QUEUE_SIZE = RESPONSE_ENTRIES + QUEUE_ENTRIES * ENTRY_SIZE,

    STATUS_GOOD = 0,
    STATUS_REFUSED = 1,
    STATUS_UNKNOWN = 0xff,
};

/* Answers a message: a status, and further words. */
typedef uint32_t ArcHandler(TensixArc *arc, const uint32_t *request,
                            uint32_t *response);

static uint32_t accept_message(TensixArc *arc, const uint32_t *request,
                               uint32_t *response)
{
    return STATUS_GOOD;
}

static uint32_t test_message(TensixArc *arc, const uint32_t *request,
                             uint32_t *response)
{
    response[1] = request[1] + 1;
    return STATUS_GOOD;
}

static uint32_t go_busy(TensixArc *arc, const uint32_t *request,
                        uint32_t *response)
{
    put_word(arc, value_at(VALUE_AICLK), AICLK_BUSY);
    return STATUS_GOOD;
}

static uint32_t go_idle(TensixArc *arc, const uint32_t *request,
                        uint32_t *response)
{
    put_word(arc, value_at(VALUE_AICLK), AICLK_IDLE);
    return STATUS_GOOD;
}

/* The banks are memory, which needs no training. */
static uint32_t retrain_gddr(TensixArc *arc, const uint32_t *request,
                             uint32_t *response)
{
    return request[1] < TENSIX_DRAM_BANKS && GDDR_ENABLED >> request[1] & 1
           ? STATUS_GOOD : STATUS_REFUSED;
}

/* The answer to others is STATUS_UNKNOWN. */
static const struct {
    uint8_t code;
    ArcHandler *handle;
} messages[] = {
    { 0x11, accept_message },      /* NOP */
    { 0x21, accept_message },      /* POWER_SETTING */
    { 0x52, go_busy },
    { 0x54, go_idle },
    { 0x90, test_message },
    { 0xa0, accept_message },      /* ASIC_STATE0 */
    { 0xa3, accept_message },      /* ASIC_STATE3 */
    { 0xb6, retrain_gddr },        /* TOGGLE_GDDR_RESET */
};

static uint32_t handle_message(TensixArc *arc, const uint32_t *request,
                               uint32_t *response)
{
    uint8_t code = request[0];

    for (unsigned i = 0; i < ARRAY_SIZE(messages); i++) {
        if (messages[i].code == code) {
            return messages[i].handle(arc, request, response);
        }
    }
    qemu_log_mask(LOG_UNIMP, "tensix: ARC: message 0x%02x is not modelled\n",
                  code);
    return STATUS_UNKNOWN;
}

static void answer_message(TensixArc *arc, uint32_t from, uint32_t to)
{
    uint32_t request[ENTRY_WORDS], response[ENTRY_WORDS] = { 0 };

    for (unsigned i = 0; i < ENTRY_WORDS; i++) {
        request[i] = get_word(arc, from + WORD * i);
    }
    response[0] = handle_message(arc, request, response);
    for (unsigned i = 0; i < ENTRY_WORDS; i++) {
        put_word(arc, to + WORD * i, response[i]);
    }
}

/* Entries between two indices; more than there can be if one is malformed. */
static uint32_t waiting(TensixArc *arc, uint32_t written, uint32_t read)
{
    return (get_word(arc, written) - get_word(arc, read)) % POINTERS;
}

static void advance(TensixArc *arc, uint32_t index)
{
    put_word(arc, index, (get_word(arc, index) + 1) % POINTERS);
}

static uint32_t entry_at(TensixArc *arc, uint32_t entries, uint32_t index)
{
    return entries + get_word(arc, index) % QUEUE_ENTRIES * ENTRY_SIZE;
}

/* Each message as soon as there is room for its answer. */
static void serve_queue(TensixArc *arc, uint32_t queue)
{
    uint32_t requests = waiting(arc, queue + REQUEST_WRITTEN,
                                queue + REQUEST_READ);

    if (requests > QUEUE_ENTRIES) {
        qemu_log_mask(LOG_GUEST_ERROR, "tensix: ARC: a message queue with %u "
                      "requests of at most %u\n", requests, QUEUE_ENTRIES);
        return;
    }
    while (requests-- && waiting(arc, queue + RESPONSE_WRITTEN,
                                 queue + RESPONSE_READ) < QUEUE_ENTRIES) {
        answer_message(arc,
                       entry_at(arc, queue + REQUEST_ENTRIES,
                                queue + REQUEST_READ),
                       entry_at(arc, queue + RESPONSE_ENTRIES,
                                queue + RESPONSE_WRITTEN));
        advance(arc, queue + REQUEST_READ);
        advance(arc, queue + RESPONSE_WRITTEN);
    }
}

static void serve_messages(TensixArc *arc)
{
    for (unsigned i = 0; i < QUEUES; i++) {
        serve_queue(arc, QUEUE_FIRST + i * QUEUE_SIZE);
    }
}

static void publish_queues(TensixArc *arc)
{
    put_word(arc, QUEUE_CONTROL, QUEUE_FIRST);
    put_word(arc, QUEUE_CONTROL + WORD, QUEUE_ENTRIES | QUEUES << 8);
    put_word(arc, SCRATCH_RAM(RAM_QUEUES), QUEUE_CONTROL);
}

/* --- accesses --- */

const char *tensix_arc_access(TensixArc *arc, uint64_t addr, void *data,
                              uint32_t size, bool is_write)
{
    const char *error = tensix_arc_check(addr, size);
    uint32_t control;

    if (error) {
        return error;
    }
    if (!is_write) {
        count(arc);
        tensix_noc_store_read(&arc->memory, SPACE, addr, data, size);
        return NULL;
    }
    if (part_at(addr, size)->is_constant) {
        return "a register of the ARC tile that cannot be written";
    }
    tensix_noc_store_write(&arc->memory, SPACE, addr, data, size);
    control = get_word(arc, MISC_CNTL);
    if (control & MISC_CNTL_IRQ0) {
        put_word(arc, MISC_CNTL, control & ~MISC_CNTL_IRQ0);
        serve_messages(arc);
    }
    return NULL;
}

/* --- start and end --- */

static void publish_nius(TensixArc *arc)
{
    for (unsigned noc = 0; noc < NIU_COUNT; noc++) {
        put_word(arc, NIU(noc) + TENSIX_NIU_NODE_ID,
                 tensix_noc_node_id(noc, TENSIX_NOC_ARC_X, TENSIX_NOC_ARC_Y));
        put_word(arc, NIU(noc) + TENSIX_NIU_CFG_0,
                 TENSIX_NIU_CFG_0_TRANSLATES);
    }
}

void tensix_arc_init(TensixArc *arc)
{
    tensix_noc_store_init(&arc->memory);
    arc->memory.max_pages = (CSM_SIZE + ARRAY_SIZE(parts) *
                             TENSIX_NOC_STORE_PIECE) / TENSIX_NOC_STORE_PAGE;
    put_word(arc, SCRATCH, POST_CODE_BOOTED);
    put_word(arc, SCRATCH_RAM(RAM_BOOT_STATUS), BOOT_STATUS_READY);
    publish_telemetry(arc);
    publish_queues(arc);
    publish_nius(arc);
}

void tensix_arc_finish(TensixArc *arc)
{
    tensix_noc_store_finish(&arc->memory);
}
