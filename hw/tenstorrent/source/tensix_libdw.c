/*
 * elfutils' libdw, loaded when the first ELF is read.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <dlfcn.h>
#include "qapi/error.h"
#include "tensix_libdw.h"

#define SONAME "libdw.so.1"

/* Where a function goes in the structure. */
typedef struct Slot {
    const char *name;
    size_t offset;
} Slot;

static const Slot slots[] = {
#define SLOT(function) { #function, offsetof(TensixLibdw, function) },
    TENSIX_LIBDW_FUNCTIONS(SLOT)
#undef SLOT
};

static bool find_functions(TensixLibdw *lib, Error **errp)
{
    for (size_t i = 0; i < ARRAY_SIZE(slots); i++) {
        void *function = dlsym(lib->handle, slots[i].name);

        if (!function) {
            error_setg(errp, SONAME " has no %s()", slots[i].name);
            return false;
        }
        memcpy((char *)lib + slots[i].offset, &function, sizeof(function));
    }
    return true;
}

TensixLibdw *tensix_libdw_load(Error **errp)
{
    TensixLibdw *lib = g_new0(TensixLibdw, 1);

    lib->handle = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!lib->handle) {
        error_setg(errp, "elfutils' libdw is needed for that: %s", dlerror());
    } else if (find_functions(lib, errp)) {
        lib->elf_version(EV_CURRENT);
        return lib;
    }
    tensix_libdw_free(lib);
    return NULL;
}

void tensix_libdw_free(TensixLibdw *lib)
{
    if (lib && lib->handle) {
        dlclose(lib->handle);
    }
    g_free(lib);
}
