/*
 * What the qtests of the blackhole-tile machine share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qobject/qdict.h"
#include "tile-qtest.h"

static char *new_file(const char *template)
{
    char *path = NULL;
    int fd = g_file_open_tmp(template, &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    return path;
}

unsigned tile_number(void)
{
    const char *number = getenv("TENSIX_TILE");

    return number ? atoi(number) : 0;
}

uint64_t tile_address(uint64_t addr)
{
    enum { TILE_SHIFT = 40 };
    const uint64_t all_tiles = 1ull << 48;    /* the NoC's window */

    return addr < all_tiles ? addr + ((uint64_t)tile_number() << TILE_SHIFT)
                            : addr;
}

Tile tile_start(const char *args)
{
    Tile t = { .log = new_file("tile-log-XXXXXX"), .args = args };

    t.qts = qtest_initf("-M blackhole-tile,tiles=%ux1 "
                        "-d guest_errors,unimp -D %s %s", tile_number() + 1,
                        t.log, args ?: "");
    return t;
}

void tile_stop(Tile *t)
{
    qtest_quit(t->qts);
    unlink(t->log);
    g_free(t->log);
}

uint32_t tile_readl(Tile *t, unsigned hart, uint32_t addr)
{
    return qtest_readl(t->qts, TILE_VIEW(hart) + addr);
}

void tile_writel(Tile *t, unsigned hart, uint32_t addr, uint32_t value)
{
    qtest_writel(t->qts, TILE_VIEW(hart) + addr, value);
}

uint32_t tile_debug_readl(Tile *t, unsigned hart, uint32_t addr)
{
    g_autofree char *cmd = g_strdup_printf("x /1xw 0x%x", addr);
    QDict *reply = qtest_qmp(t->qts, "{ 'execute': 'human-monitor-command', "
                             "'arguments': { 'command-line': %s, "
                             "'cpu-index': %u } }", cmd,
                             tile_number() * TILE_HARTS + hart);
    const char *text = qdict_get_try_str(reply, "return");
    const char *value = text ? strchr(text, ':') : NULL;
    const char *end;
    unsigned long word;

    /* "00000000ffe80000: 0x00000001" */
    g_assert_nonnull(value);
    g_assert_cmpint(qemu_strtoul(value + 1, &end, 16, &word), ==, 0);
    qobject_unref(reply);
    return word;
}

void tile_wait_idle(Tile *t, unsigned thread)
{
    int64_t end = g_get_monotonic_time() + 20 * G_USEC_PER_SEC;

    while (tile_debug_readl(t, TRISC0 + thread, TILE_COP_DONE)) {
        g_assert_cmpint(g_get_monotonic_time(), <, end);
    }
}

unsigned tile_log_count(Tile *t, const char *text)
{
    g_autofree char *log = NULL;
    unsigned count = 0;

    g_assert_true(g_file_get_contents(t->log, &log, NULL, NULL));
    for (const char *p = log; (p = strstr(p, text)); p++) {
        count++;
    }
    return count;
}

/* Waits until query-migrate reports success. */
static void wait_for_migration(QTestState *qts)
{
    for (;;) {
        QDict *reply = qtest_qmp_assert_success_ref(
            qts, "{ 'execute': 'query-migrate' }");
        const char *status = qdict_get_try_str(reply, "status");
        bool completed = g_strcmp0(status, "completed") == 0;

        g_assert_cmpstr(status, !=, "failed");
        qobject_unref(reply);
        if (completed) {
            return;
        }
        g_usleep(1000);
    }
}

void tile_migrate(Tile *t)
{
    g_autofree char *path = new_file("tile-state-XXXXXX");
    g_autofree char *uri = g_strdup_printf("file:%s", path);
    g_autofree char *incoming = g_strdup_printf("-incoming defer %s",
                                                t->args ?: "");
    Tile to;

    qtest_qmp_assert_success(t->qts, "{ 'execute': 'migrate', "
                             "'arguments': { 'uri': %s } }",
                             uri);
    wait_for_migration(t->qts);
    tile_stop(t);
    to = tile_start(incoming);
    to.args = t->args;
    qtest_qmp_assert_success(to.qts, "{ 'execute': 'migrate-incoming', "
                             "'arguments': { 'uri': %s } }",
                             uri);
    wait_for_migration(to.qts);
    unlink(path);
    *t = to;
}
