/*
 * Choice among the builds of the back-end units.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "derived/update.h"
#include "frontend/frontend.h"
#include "frontend/host_isa.h"
#include "hazard/hazard.h"
#include "observe/observe.h"
#include "tensix_internal.h"

const char *const tensix_isa_names[TENSIX_ISAS] = {
    [TENSIX_ISA_PORTABLE] = "portable",
    [TENSIX_ISA_AVX2] = "avx2",
    [TENSIX_ISA_AVX512] = "avx512",
};

#ifdef __x86_64__
/*
 * A machine without lzcnt would run it as another instruction.  Not every
 * compiler's __builtin_cpu_supports() knows it.
 */
static bool cpu_has_lzcnt(void)
{
    enum { EXTENDED_FEATURES = 0x80000001, ECX_LZCNT = 1 << 5 };
    unsigned eax, ebx, ecx, edx;

    return __get_cpuid(EXTENDED_FEATURES, &eax, &ebx, &ecx, &edx) &&
           (ecx & ECX_LZCNT);
}

/* What -march=x86-64-v3 and -v4 may use, as far as compilers make use of it. */
static bool cpu_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           cpu_has_lzcnt();
}

static bool cpu_has_avx512(void)
{
    return cpu_has_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
}
#else
static bool cpu_has_avx2(void)
{
    return false;
}

static bool cpu_has_avx512(void)
{
    return false;
}
#endif

bool tensix_isa_on_host(TensixIsa isa)
{
    switch (isa) {
    case TENSIX_ISA_AVX2:
        return cpu_has_avx2();
    case TENSIX_ISA_AVX512:
        return cpu_has_avx512();
    default:
        return isa == TENSIX_ISA_PORTABLE;
    }
}

#ifdef TENSIX_HAVE_OBSERVED
#define TABLES(level) \
    { tensix_exec_table##level, tensix_exec_table_observed##level }
#else
/* This core was built without one: changes are seen, rows are not noted. */
#define TABLES(level) { tensix_exec_table##level, tensix_exec_table##level }
#endif

/* Without an observer, and with one: that build notes what it writes. */
static TensixExecTable *const tables[TENSIX_ISAS][2] = {
    [TENSIX_ISA_PORTABLE] = TABLES(),
#ifdef TENSIX_HAVE_AVX2
    [TENSIX_ISA_AVX2] = TABLES(_avx2),
#endif
#ifdef TENSIX_HAVE_AVX512
    [TENSIX_ISA_AVX512] = TABLES(_avx512),
#endif
};

bool tensix_isa_available(TensixIsa isa)
{
    return tensix_isa_on_host(isa) && tables[isa][0];
}

static TensixExecTable *unchecked(const TensixCore *c)
{
    return tables[c->isa][c->observer != NULL];
}

/* While hazards are reported: it has passed its gate, or needs no gate. */
static TensixResult exec_checked(TensixCore *c, const TensixInsn *i)
{
    TensixResult result;

    tensix_hazard_issue(c, i);
    result = unchecked(c)[c->s.macro.active][i->word >> 24](c, i);
    if (result == TENSIX_RETRY) {
        tensix_hazard_retry(c, i);
    }
    return result;
}

static TensixExecTable checked[2] = {
    { [0 ... 255] = exec_checked },
    { [0 ... 255] = exec_checked },
};

static void choose_tables(TensixCore *c)
{
    tensix_set_tables(c, c->reports_hazards ? checked : unchecked(c));
}

bool tensix_set_isa(TensixCore *c, TensixIsa isa)
{
    if (!tensix_isa_available(isa)) {
        return false;
    }
    c->isa = isa;
    choose_tables(c);
    return true;
}

void tensix_choose_isa(TensixCore *c)
{
    int isa = TENSIX_ISAS - 1;

    while (!c->tables && !tensix_set_isa(c, isa)) {
        isa--;                     /* the portable build is always there */
    }
}

void tensix_set_hazards(TensixCore *c, bool enabled)
{
    tensix_choose_isa(c);          /* this may come before the first reset */
    c->reports_hazards = enabled;
    tensix_hazard_discard(c);
    choose_tables(c);
}

void tensix_set_observer(TensixCore *c, TensixObserver *o)
{
    tensix_choose_isa(c);          /* the same */
    c->observer = o;
    tensix_observe_resume(c);      /* of what it saw when it observed before */
    tensix_observe_restart(c);
    choose_tables(c);
    tensix_update_slow(c);
}

void tensix_observer_changed(TensixCore *c)
{
    tensix_observe_watches(c);
    tensix_update_slow(c);
}
