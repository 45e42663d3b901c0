# SPDX-License-Identifier: GPL-2.0-or-later
"""The program scripts/view: a page in a browser that shows a tile live.

    live        the machine behind a QMP socket, which may go and come back
    look        what the page shows: states, queues, register files, sources
    act         what its buttons do: stop, cont, steps, breaks, watches
    stepping    one instruction of one hart, by the gdb server
    server      HTTP: clients, and what they may request
    page/       the page itself: HTML, CSS, plain JavaScript

Each module uses those above it in this list and none below.
"""
