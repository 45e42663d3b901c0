/*
 * Vectors on the machine: addresses are accessed over the qtest protocol.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BRISC's address space is what qtest sees; TRISC stores go to the hart views.
 * What the coprocessor reports is read from QEMU's log.
 * TENSIX_VECTORS_MACHINE, if set, follows -M blackhole-tile.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/cutils.h"
#include "tests/qtest/libqtest.h"
#include "tests/tenstorrent/vectors/vectors.h"

#define REPORT_SIZE 160

typedef struct MachineTarget {
    VectorTarget target;
    QTestState *qts;
    FILE *log;
    char lacking[REPORT_SIZE], complaint[REPORT_SIZE];
} MachineTarget;

static const char *machine_write(VectorTarget *target, uint64_t addr,
                                 const void *data, size_t size)
{
    MachineTarget *t = container_of(target, MachineTarget, target);

    if (size == 4) {
        qtest_writel(t->qts, addr, ldl_le_p(data));
    } else {
        qtest_memwrite(t->qts, addr, data, size);
    }
    return NULL;
}

static const char *machine_read(VectorTarget *target, uint64_t addr,
                                void *data, size_t size)
{
    MachineTarget *t = container_of(target, MachineTarget, target);

    if (size == 4) {
        stl_le_p(data, qtest_readl(t->qts, addr));
    } else {
        qtest_memread(t->qts, addr, data, size);
    }
    return NULL;
}

/* Keeps the first report's text, without what is before it. */
static void note(char *to, const char *line)
{
    const char *text = g_strrstr(line, ": ");

    if (!*to) {
        pstrcpy(to, REPORT_SIZE, text ? text + 2 : line);
        to[strcspn(to, "\n")] = '\0';
    }
}

/* Reads what was logged since the last call. */
static void scan_log(MachineTarget *t)
{
    char line[1024];

    clearerr(t->log);
    while (fgets(line, sizeof(line), t->log)) {
        if (strstr(line, "unimplemented")) {
            note(t->lacking, line);
        } else if (strstr(line, "bad-access")) {
            note(t->complaint, line);
        }
    }
}

static void machine_begin(VectorTarget *target)
{
    MachineTarget *t = container_of(target, MachineTarget, target);

    scan_log(t);
    t->lacking[0] = t->complaint[0] = '\0';
}

static const char *machine_lacking(VectorTarget *target)
{
    MachineTarget *t = container_of(target, MachineTarget, target);

    scan_log(t);
    return t->lacking[0] ? t->lacking : NULL;
}

static const char *machine_complaint(VectorTarget *target)
{
    MachineTarget *t = container_of(target, MachineTarget, target);

    return t->complaint[0] ? t->complaint : NULL;
}

static void machine_reset(VectorTarget *target)
{
    MachineTarget *t = container_of(target, MachineTarget, target);

    qtest_system_reset(t->qts);
}

int main(int argc, char **argv)
{
    MachineTarget t = {
        .target = {
            .name = "machine", .write = machine_write, .read = machine_read,
            .begin = machine_begin, .lacking = machine_lacking,
            .complaint = machine_complaint, .reset = machine_reset,
        },
    };
    g_autofree char *path = g_strdup("/tmp/tensix-vectors-XXXXXX");
    int fd = g_mkstemp(path);
    int status;

    g_assert_cmpint(fd, >=, 0);
    t.log = fdopen(fd, "r");
    t.qts = qtest_initf("-M blackhole-tile%s -d guest_errors,unimp -D %s",
                        getenv("TENSIX_VECTORS_MACHINE") ?: "", path);
    status = vectors_main(&t.target, argc, argv);
    qtest_quit(t.qts);
    fclose(t.log);
    unlink(path);
    return status;
}
