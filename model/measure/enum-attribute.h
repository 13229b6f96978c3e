/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ENUM_ATTRIBUTE_H
#define ENUM_ATTRIBUTE_H

#include "ns3/enum.h"

namespace ns3
{

/** Up to ns-3.41 MakeEnumAccessor() finds the type of the enumeration itself, later it is told. */
template <typename E, typename C>
auto
ChooseEnumAccessor(E C::*member, int /* preferred */) -> decltype(MakeEnumAccessor<E>(member))
{
    return MakeEnumAccessor<E>(member);
}

/** The form for ns-3 up to 3.41. */
template <typename E, typename C>
auto
ChooseEnumAccessor(E C::*member, long /* otherwise */) -> decltype(MakeEnumAccessor(member))
{
    return MakeEnumAccessor(member);
}

/**
 * @ingroup ai-fabric
 * @param member an enumeration
 * @returns its accessor for an attribute, in every version of ns-3
 */
template <typename E, typename C>
auto
MakeFabricEnumAccessor(E C::*member) -> decltype(ChooseEnumAccessor(member, 0))
{
    return ChooseEnumAccessor(member, 0);
}

} // namespace ns3

#endif // ENUM_ATTRIBUTE_H
