# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of the harts' debug interface and of the debug bus: what a host
does through the NoC, as WH DebugInterface.md and DebugDaisychain.md say."""

from blackhole_tile import SOFT_RESET

NOC_VIEW = 1 << 48 | (2 << 6 | 1) << 36   # what the NoC sees of tile (1,2)
REGISTERS = 0xFFB12000
L1_MEM_REG0, L1_MEM_REG1, L1_MEM_REG2 = 0x48, 0x4C, 0x50
BUS_CNTL, RD_DATA = 0x54, 0x5C
ARRAY_RD_EN, ARRAY_RD_CMD, ARRAY_RD_DATA = 0x60, 0x64, 0x6C
CNTL_0, CNTL_1, STATUS_0, STATUS_1 = 0x80, 0x84, 0x88, 0x8C
INSTRN_CTRL0, INSTRN_CTRL1, INSTRN_STATUS = 0xA0, 0xA4, 0xA8
DISABLE_RESET, RESET_PC, RESET_PC_OVERRIDE = 0x224, 0x228, 0x234
TRIGGER, VALID = 1 << 31, 1 << 30

STATUS, COMMAND, ARG0, ARG1, RESULT, MODES = range(6)
ADDRESS = 10
HALT, STEP, CONTINUE, READ_GPR, WRITE_GPR, READ_MEMORY, WRITE_MEMORY, \
    CLEAR_GPRS, SET_PC = (1 << n for n in range(9))
SLOW_MODE = 1 << 31
PAUSED, PC_HIT, MEMORY_HIT, EBREAK_HIT = (1 << n for n in range(4))
MODE = {'pc': 8, 'read': 9, 'write': 10, 'access': 11}
PC = 32

RESET_BIT = {'brisc': 11, 'trisc0': 12, 'trisc1': 13, 'trisc2': 14,
             'ncrisc': 18}
PC_SIGNAL = {'brisc': 11, 'trisc0': 13, 'trisc1': 15, 'trisc2': 17,
             'ncrisc': 25}
DEBUGGED = ('brisc', 'trisc0', 'trisc1', 'trisc2')


def hit(number):
    """Status bit of a watchpoint."""
    return 0x100 << number


class Registers:
    """The tile's debug registers."""

    def __init__(self, tile):
        self.tile = tile

    def read(self, offset):
        return self.tile.read32(NOC_VIEW + REGISTERS + offset)

    def write(self, offset, value):
        self.tile.write32(NOC_VIEW + REGISTERS + offset, value)

    def release(self, *harts, start=0):
        """Out of soft reset; BRISC starts at 0, the T harts at `start`."""
        for thread in range(3):
            self.write(RESET_PC + 4 * thread, start)
        self.write(RESET_PC_OVERRIDE, 7)
        bits = sum(1 << RESET_BIT[hart] for hart in harts)
        self.tile.write32(NOC_VIEW + SOFT_RESET,
                          self.tile.read32(NOC_VIEW + SOFT_RESET) & ~bits)

    def hold(self, *harts):
        bits = sum(1 << RESET_BIT[hart] for hart in harts)
        self.tile.write32(NOC_VIEW + SOFT_RESET,
                          self.tile.read32(NOC_VIEW + SOFT_RESET) | bits)

    def bus(self, daisy, signal, word, mask=0xFFFFFFFF):
        """A signal, shifted to bit 0."""
        self.write(BUS_CNTL, 1 << 29 | word << 25 | daisy << 16 | signal)
        return (self.read(RD_DATA) & mask) // (mask & -mask)

    def bus_pc(self, hart):
        return self.bus(7, PC_SIGNAL[hart], 1, 0x3FFFFFFF)

    def push(self, thread, word):
        """One Tensix instruction by way of the debug bus."""
        self.write(INSTRN_CTRL0, 1 << thread)
        self.write(INSTRN_CTRL1, word)
        self.write(INSTRN_CTRL0, 0x11 << thread)
        self.tile.wait_for(lambda _: self.read(INSTRN_STATUS) >> 4 >> thread
                           & 1, what='the FIFO to drain')
        self.write(INSTRN_CTRL0, 0)


class Hart:
    """The debug interface of one hart."""

    def __init__(self, registers, hart):
        self.registers, self.name = registers, hart
        self.select = DEBUGGED.index(hart) << 17
        self.tile = registers.tile

    def write(self, dr, value):
        self.registers.write(CNTL_1, value)
        self.registers.write(CNTL_0, TRIGGER | 1 << 16 | self.select | dr)
        self.registers.write(CNTL_0, 0)

    def read(self, dr):
        self.registers.write(CNTL_0, TRIGGER | self.select | dr)
        self.registers.write(CNTL_0, 0)
        assert self.registers.read(STATUS_0) & VALID
        return self.registers.read(STATUS_1)

    def command(self, bits):
        self.write(COMMAND, SLOW_MODE | bits)

    def status(self):
        return self.read(STATUS)

    def wait(self, bits=PAUSED):
        """Until the hart is stopped; its status."""
        self.tile.wait_for(lambda _: self.status() & bits == bits, 20,
                           f'{self.name} with status {bits:#x}')
        return self.status()

    def halt(self):
        self.command(HALT)

    def cont(self):
        self.command(CONTINUE)

    def step(self):
        """Blackhole: two commands."""
        self.command(STEP)
        self.command(STEP)

    def gpr(self, number):
        self.write(ARG0, number)
        self.command(READ_GPR)
        return self.read(RESULT)

    def pc(self):
        return self.gpr(PC)

    def set_gpr(self, number, value):
        self.write(ARG1, value)
        self.write(ARG0, number)
        self.command(WRITE_GPR)

    def load(self, address):
        self.write(ARG0, address)
        self.command(READ_MEMORY)
        return self.read(RESULT)

    def store(self, address, value):
        self.write(ARG1, value)
        self.write(ARG0, address)
        self.command(WRITE_MEMORY)

    def watch(self, number, kind, address):
        """kind: of MODE, or None for off."""
        self.write(ADDRESS + number, address)
        modes = self.read(MODES) & ~(15 << 4 * number)
        self.write(MODES, modes | MODE.get(kind, 0) << 4 * number)
