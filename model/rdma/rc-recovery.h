/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RC_RECOVERY_H
#define RC_RECOVERY_H

#include <cstdint>

namespace ns3
{

/** What a reliable connection does about lost packets; the same at both ends. */
enum RcRecovery : uint8_t
{
    GO_BACK_N,        //!< everything from the lost packet on is sent again (IBA vol 1, 9.7)
    GO_BACK_ZERO,     //!< the whole message is sent again, as early RDMA NICs did (Guo et al.,
                      //!< SIGCOMM 2016, section 4.1)
    SELECTIVE_REPEAT, //!< only what is lost is sent again (Mittal et al., IRN, SIGCOMM 2018)
};

/**
 * @param recovery any value
 * @returns its name as the attribute "Recovery" takes it
 */
inline const char*
ToString(RcRecovery recovery)
{
    return recovery == RcRecovery::GO_BACK_N      ? "GoBackN"
           : recovery == RcRecovery::GO_BACK_ZERO ? "GoBackZero"
                                                  : "SelectiveRepeat";
}

} // namespace ns3

#endif // RC_RECOVERY_H
