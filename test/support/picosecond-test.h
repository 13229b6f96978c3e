/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PICOSECOND_TEST_H
#define PICOSECOND_TEST_H

#include "ns3/nstime.h"

#include <gtest/gtest.h>

/**
 * Set picosecond resolution in SetUp() of a fixture. ns-3 allows that once, before the first
 * simulation of a process, so such a test has a process of its own: ctest gives it one. With others
 * in the same process it is skipped.
 */
#define USE_PICOSECONDS()                                                                          \
    do                                                                                             \
    {                                                                                              \
        if (ns3::Time::GetResolution() != ns3::Time::PS)                                           \
        {                                                                                          \
            if (::testing::UnitTest::GetInstance()->test_to_run_count() > 1)                       \
            {                                                                                      \
                GTEST_SKIP() << "needs a process of its own; run it by ctest";                     \
            }                                                                                      \
            ns3::Time::SetResolution(ns3::Time::PS);                                               \
        }                                                                                          \
    } while (false)

#endif // PICOSECOND_TEST_H
