/*
 * Host software's way into the tile: a server of tt-umd's socket protocol.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A client reads and writes the memory of tiles by coordinates and address: of
 * this tile what the NoC sees of it, of all others what lies behind the NoC.
 * The windows of the simulator are out of its reach.  The protocol:
 * tensix_wire.h and README.md beside it.
 *
 * QEMU interface:
 *  + property "chardev": whose other end is a client
 *  + property "socket": path of a UNIX socket for any number of clients
 *  + property "server": that socket is in a folder of tt-umd's simulation
 *    servers, which is made for it; "socket" names it then
 *  + property "dma": chardev of the peer that answers the tile's requests to
 *    the PCI Express tile
 *  + property "exit": end QEMU when the last client has disconnected
 *  + property "lockstep": the machine runs only when a client asks for it
 *  + property "soc-descriptor": file to serve in place of the built-in text
 *  + properties "noc-port", "reporter", "hart": links; it counts and stops all
 *    harts that take turns with this one
 */

#ifndef HW_TENSTORRENT_TENSIX_HOST_H
#define HW_TENSTORRENT_TENSIX_HOST_H

#include "qom/object.h"

#define TYPE_TENSIX_HOST "tensix-host"
OBJECT_DECLARE_SIMPLE_TYPE(TensixHostState, TENSIX_HOST)

#endif
