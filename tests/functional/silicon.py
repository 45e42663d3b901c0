# SPDX-License-Identifier: GPL-2.0-or-later
"""What host software reads of a Blackhole before its first kernel.

The sequence, its addresses and limits are those of tt-umd: the hang checks, the
ARC tile's boot status, its message queue and telemetry, what is fused off
(device/tt_device/firmware/blackhole_device_firmware.cpp, device/arc). An access
is a function read(tile, address, size) and write(tile, address, data).
"""

import struct

ARC, PCIE = (8, 0), (2, 0)
# By NoC: where the hang check reads, and who answers. Row 0 is not translated
HANG_CHECK = (2, 0), (14, 0)
PCIE_NODES = (2, 0), (14, 11)
NIU_HIGH = 0xFFFFFFFF_FF000000
NODE_ID, NIU_CFG = 0x44, 0x100
RESET_UNIT = 0x80030000
SCRATCH_0, REFCLK = RESET_UNIT + 0x60, RESET_UNIT + 0xE0
MISC_CNTL, FIRMWARE_IRQ = RESET_UNIT + 0x100, 1 << 16
SCRATCH_RAM = RESET_UNIT + 0x400
BOOT_STATUS, QUEUES, VALUES, TAGS = 2, 11, 12, 13

HUNG = 0xFFFFFFFF
HEADER, ENTRY = 32, 32             # bytes of a queue and of its entries
APPLICATION = 3                    # the queue that tt-umd uses
UNKNOWN_MESSAGE = 0xFF

BOARD_ID_HIGH, BOARD_ID_LOW, AICLK, BUNDLE, HEARTBEAT = 1, 2, 14, 28, 32
TENSIX_COLUMNS, ETH, GDDR, L2CPU, PCIE_USAGE = 34, 35, 36, 37, 38
GDDR_STATUS, ASIC_ID_HIGH, ASIC_ID_LOW, AICLK_MAX = 22, 61, 62, 63
P100 = 0x43

# Column of bit n of TENSIX_COLUMNS
COLUMNS = 1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10


class Silicon:
    """A chip that is brought up; an assertion says where it is not one."""

    def __init__(self, read, write, noc=0):
        self.read, self.write = read, write
        self.check_noc(noc)
        self.wait_for_firmware()
        self.find_queue()
        self.read_telemetry()

    def words(self, address, count=1, tile=ARC):
        data = self.read(tile, address, 4 * count)
        return struct.unpack(f'<{count}I', data)

    def put(self, address, *words):
        self.write(ARC, address, struct.pack(f'<{len(words)}I', *words))

    def check_noc(self, noc):
        node, = self.words(NIU_HIGH + NODE_ID, tile=HANG_CHECK[noc])
        assert node != HUNG
        assert (node & 63, node >> 6 & 63) == PCIE_NODES[noc], hex(node)

    def wait_for_firmware(self):
        self.postcode, = self.words(SCRATCH_0)
        status, = self.words(SCRATCH_RAM + 4 * BOOT_STATUS)
        assert status & 7 == 5, hex(status)

    # --- messages ---

    def find_queue(self):
        control, = self.words(SCRATCH_RAM + 4 * QUEUES)
        base, sizes = self.words(control, 2)
        self.entries = sizes & 0xFF
        self.queues = sizes >> 8 & 0xFF
        self.queue = base + APPLICATION * (HEADER + 2 * self.entries * ENTRY)

    def push(self, *message):
        written, = self.words(self.queue)
        self.put(self.queue + HEADER + written % self.entries * ENTRY,
                 *message, *[0] * (8 - len(message)))
        self.put(self.queue, (written + 1) % (2 * self.entries))

    def interrupt(self):
        self.put(MISC_CNTL, FIRMWARE_IRQ)

    def pop(self):
        """The next response, or None."""
        read, = self.words(self.queue + 4)
        if self.words(self.queue + 0x14)[0] == read:
            return None
        at = self.entries + read % self.entries
        response = self.words(self.queue + HEADER + at * ENTRY, 8)
        self.put(self.queue + 4, (read + 1) % (2 * self.entries))
        return response

    def message(self, *message):
        self.push(*message)
        self.interrupt()
        return self.pop()

    # --- telemetry ---

    def read_telemetry(self):
        tags, = self.words(SCRATCH_RAM + 4 * TAGS)
        self.values, = self.words(SCRATCH_RAM + 4 * VALUES)
        self.version, count = self.words(tags, 2)
        self.place = {word & 0xFFFF: word >> 16
                      for word in self.words(tags + 8, count)}
        assert all(place < count for place in self.place.values())

    def telemetry(self, tag):
        return self.words(self.values + 4 * self.place[tag])[0]

    def columns(self):
        """Columns of Tensix tiles that are not fused off."""
        mask = self.telemetry(TENSIX_COLUMNS)
        return sorted(x for n, x in enumerate(COLUMNS) if mask >> n & 1)

    def board(self):
        board = self.telemetry(BOARD_ID_HIGH) << 32 | \
            self.telemetry(BOARD_ID_LOW)
        return board >> 36 & 0xFFFFF
