/*
 * Loading a hart's ELF image, and which harts start with one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/units.h"
#include "elf.h"
#include "hw/core/generic-loader.h"
#include "hw/loader.h"
#include "hw/tenstorrent/tensix_file.h"
#include "hw/tenstorrent/tensix_tile.h"

/* Most of an image is its debug information, which is not loaded. */
#define MAX_IMAGE (1 * GiB)

static bool is_rv32_elf(const Elf32_Ehdr *hdr)
{
    return !memcmp(hdr->e_ident, ELFMAG, SELFMAG) &&
           hdr->e_ident[EI_CLASS] == ELFCLASS32 &&
           hdr->e_ident[EI_DATA] == ELFDATA2LSB &&
           le16_to_cpu(hdr->e_machine) == EM_RISCV;
}

static bool inside(uint64_t start, uint64_t size, uint64_t base, uint64_t len)
{
    return start >= base && size <= len && start - base <= len - size;
}

/* QEMU 10.2 loads more bytes of a segment than its memory has. */
static bool check_segment(TensixHart *hart, const Elf32_Phdr *ph, Error **errp)
{
    uint32_t start = le32_to_cpu(ph->p_paddr), size = le32_to_cpu(ph->p_memsz);

    if (le32_to_cpu(ph->p_filesz) > size) {
        error_setg(errp, "its segment at 0x%08x has %u bytes in the file, and "
                   "%u in memory", start, le32_to_cpu(ph->p_filesz), size);
        return false;
    }
    if (size && !inside(start, size, 0, TENSIX_L1_SIZE) &&
        !inside(start, size, TENSIX_LOCAL_RAM_BASE,
                memory_region_size(&hart->local_ram))) {
        error_setg(errp, "its segment of %u bytes at 0x%08x is outside the "
                   "memory of %s", size, start, tensix_hart_name(hart->id));
        return false;
    }
    return true;
}

static bool check_segments(TensixHart *hart, const Elf32_Ehdr *hdr,
                           const char *bytes, size_t len, Error **errp)
{
    uint32_t offset = le32_to_cpu(hdr->e_phoff);
    unsigned count = le16_to_cpu(hdr->e_phnum);

    if (le16_to_cpu(hdr->e_phentsize) != sizeof(Elf32_Phdr) || !count ||
        !inside(offset, (uint64_t)count * sizeof(Elf32_Phdr), 0, len)) {
        error_setg(errp, "it has no usable program headers");
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        Elf32_Phdr ph;

        memcpy(&ph, bytes + offset + i * sizeof(ph), sizeof(ph));
        if (le32_to_cpu(ph.p_type) == PT_LOAD &&
            !check_segment(hart, &ph, errp)) {
            return false;
        }
    }
    return true;
}

/* A hart fetches from L1 only, words of 4 bytes. */
static bool check_entry(const Elf32_Ehdr *hdr, Error **errp)
{
    uint32_t entry = le32_to_cpu(hdr->e_entry);

    if (entry % sizeof(uint32_t) || entry >= TENSIX_L1_SIZE) {
        error_setg(errp, "its entry point 0x%08x is not an aligned address in "
                   "L1, where harts execute", entry);
        return false;
    }
    return true;
}

static void warn_if_compressed(TensixHart *hart, const Elf32_Ehdr *hdr,
                               const char *file)
{
    if (le32_to_cpu(hdr->e_flags) & EF_RISCV_RVC) {
        warn_report("the image of %s, '%s', was built for compressed "
                    "instructions, which are Tensix instructions to this "
                    "hart: build with an -march without c",
                    tensix_hart_name(hart->id), file);
    }
}

static bool check_image(TensixHart *hart, const char *file, Error **errp)
{
    g_autofree char *bytes = NULL;
    Elf32_Ehdr hdr;
    size_t len;

    bytes = tensix_file_read(file, MAX_IMAGE, NULL, &len, errp);
    if (!bytes) {
        return false;
    }
    if (len < sizeof(hdr)) {
        error_setg(errp, "it is not an ELF file");
        return false;
    }
    memcpy(&hdr, bytes, sizeof(hdr));
    if (!is_rv32_elf(&hdr)) {
        error_setg(errp, "it is not a 32-bit RISC-V ELF file");
        return false;
    }
    warn_if_compressed(hart, &hdr, file);
    return check_entry(&hdr, errp) &&
           check_segments(hart, &hdr, bytes, len, errp);
}

bool tensix_tile_load_image(TensixHart *hart, const char *file,
                               uint32_t *entry, Error **errp)
{
    ERRP_GUARD();
    uint64_t elf_entry;
    ssize_t size;

    if (check_image(hart, file, errp)) {
        size = load_elf_as(file, NULL, NULL, NULL, &elf_entry, NULL, NULL,
                           NULL, ELFDATA2LSB, EM_RISCV, 0, 0, hart->cpu->as);
        if (size >= 0) {
            *entry = elf_entry;
            return true;
        }
        error_setg(errp, "%s", load_elf_strerror(size));
    }
    error_prepend(errp, "cannot load the image of %s, '%s': ",
                  tensix_hart_name(hart->id), file);
    return false;
}

/* --- harts that start --- */

static int set_loaded(Object *obj, void *opaque)
{
    TensixTile *tile = opaque;
    GenericLoaderState *loader = (GenericLoaderState *)
        object_dynamic_cast(obj, TYPE_GENERIC_LOADER);

    for (unsigned i = 0; loader && i < TENSIX_NUM_HARTS; i++) {
        TensixHart *hart = &tile->hart[i];

        if (loader->set_pc && loader->cpu_num == hart->cpu->cpu_index) {
            tensix_hart_set_image(hart, loader->addr);
        }
    }
    return 0;
}

/* With an image for BRISC, BRISC releases the others, as firmware does. */
void tensix_tile_choose_starters(Notifier *machine_done, void *data)
{
    TensixTile *tile = container_of(machine_done, TensixTile, machine_done);
    bool brisc_alone;

    object_child_foreach_recursive(object_get_root(), set_loaded, tile);
    brisc_alone = tensix_hart_has_image(&tile->hart[TENSIX_HART_BRISC]);
    for (unsigned i = 0; i < TENSIX_NUM_HARTS; i++) {
        TensixHart *hart = &tile->hart[i];

        tensix_hart_set_start_held(hart, !tensix_hart_has_image(hart) ||
                                   (brisc_alone && i != TENSIX_HART_BRISC));
    }
}
