/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/test.h"

/**
 * @file
 * @ingroup ai-fabric
 * The suites' main program where ns-3's own test-runner is not at hand. It takes the same options:
 * --list, --suite=NAME, --verbose, --fullness=LEVEL, --tempdir=DIR.
 */

/**
 * @param argc number of arguments
 * @param argv the arguments
 * @return 0 if all suites passed
 */
int
main(int argc, char* argv[])
{
    return ns3::TestRunner::Run(argc, argv);
}
