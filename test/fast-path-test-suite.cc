/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The price of a frame: in steady state at most two events for each hop, nothing from the heap, and
// no header made while nobody looks.

#include "support/link-rig.h"

#include "ns3/fabric-nic.h"
#include "ns3/heap-scheduler.h"
#include "ns3/packet.h"
#include "ns3/test.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AI_FABRIC_HAS_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define AI_FABRIC_HAS_ASAN
#endif

#ifdef AI_FABRIC_HAS_ASAN
/** Of the sanitizer's allocator_interface.h, which GCC does not install. */
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*onMalloc)(const volatile void*,
                                                                          std::size_t),
                                                         void (*onFree)(const volatile void*));
#endif

using namespace ns3;
using namespace ns3::linkrig;

namespace
{

uint64_t g_allocations = 0; //!< blocks taken from the heap by anybody in this process

} // namespace

#ifdef AI_FABRIC_HAS_ASAN

// The sanitizer has its own operators, which must stay, and hooks.
namespace
{

void
CountAllocation(const volatile void* /* block */, std::size_t /* bytes */)
{
    ++g_allocations;
}

void
IgnoreRelease(const volatile void* /* block */)
{
}

[[maybe_unused]] const int g_hooked =
    __sanitizer_install_malloc_and_free_hooks(&CountAllocation, &IgnoreRelease);

} // namespace

#else

/**
 * Replaces the global operator to count; everything in this process and its libraries comes here.
 * Not inlined, or the compiler sees malloc and free and complains that they do not match new and
 * delete.
 * @param bytes how many
 * @returns a block
 */
[[gnu::noinline]] void*
operator new(std::size_t bytes)
{
    ++g_allocations;
    if (void* block = std::malloc(bytes ? bytes : 1))
    {
        return block;
    }
    throw std::bad_alloc();
}

/** @param block from operator new */
[[gnu::noinline]] void
operator delete(void* block) noexcept
{
    std::free(block);
}

/** @param block from operator new */
[[gnu::noinline]] void
operator delete(void* block, std::size_t /* bytes */) noexcept
{
    std::free(block);
}

#endif

namespace
{

/** Who sends to whom. */
struct Traffic
{
    std::string name;                                 //!< for the report
    uint32_t hosts;                                   //!< around one switch
    std::vector<std::pair<uint32_t, uint32_t>> flows; //!< from, to
    int64_t delayNs;                                  //!< of each cable
};

/** What has been spent so far. */
struct Spent
{
    uint64_t events;      //!< executed
    uint64_t hops;        //!< frames sent by any port, without link control
    uint64_t pauses;      //!< pause frames sent by any port
    uint64_t allocations; //!< blocks from the heap
    uint64_t packets;     //!< ns-3 packets made
    uint64_t payload;     //!< bytes received
};

/**
 * @ingroup ai-fabric-tests
 * What a frame costs in steady state.
 */
class FastPathTestCase : public TestCase
{
  public:
    /**
     * @param fabric "ib" or "roce"
     * @param traffic who sends to whom
     */
    FastPathTestCase(const std::string& fabric, const Traffic& traffic)
        : TestCase(fabric + ": price of a frame, " + traffic.name),
          m_fabric(fabric),
          m_traffic(traffic)
    {
    }

  private:
    /** @returns what has been spent so far */
    Spent Measure(const Star& star, const std::vector<Ptr<FabricNic>>& nics) const
    {
        Spent spent{};
        for (std::size_t i = 0; i < star.devices.size(); ++i)
        {
            for (const Ptr<FabricNetDevice>& device : {star.devices[i], star.sw->GetPort(i)})
            {
                const FabricPort::Counters& counters = device->GetPort().GetCounters();
                spent.hops += counters.frames;
                spent.pauses += m_fabric == "roce" ? counters.controlFrames : 0;
            }
            spent.payload += nics[i]->GetCounters().rxBytes;
        }
        spent.packets = Create<Packet>()->GetUid(); // counts itself, and so cancels out
        spent.events = Simulator::GetEventCount();
        spent.allocations = g_allocations;
        return spent;
    }

    void DoRun() override
    {
        // The default scheduler, a std::map, allocates for every event. A heap in a vector does
        // not, so that whatever is counted is ours.
        ObjectFactory scheduler;
        scheduler.SetTypeId(HeapScheduler::GetTypeId());
        Simulator::SetScheduler(scheduler);
        const std::unique_ptr<FabricHelper> helper = MakeHelper(m_fabric, "400Gbps");
        helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(m_traffic.delayNs)));
        Star star(*helper, m_traffic.hosts);
        std::vector<Ptr<FabricNic>> nics;
        for (const Ptr<FabricNetDevice>& device : star.devices)
        {
            nics.push_back(CreateObject<FabricNic>());
            nics.back()->SetDevice(device);
        }
        for (const auto& flow : m_traffic.flows)
        {
            const Ptr<RcQueuePair> from = nics[flow.first]->CreateQueuePair();
            FabricNic::Connect(from, nics[flow.second]->CreateQueuePair());
            from->Post(uint64_t{1} << 40, 0);
        }
        Simulator::Stop(WARM_UP);
        Simulator::Run();
        Simulator::Stop(WINDOW);
        const Spent before = Measure(star, nics);
        Simulator::Run();
        const uint64_t allocations = g_allocations; // making the packet in Measure() allocates
        Spent after = Measure(star, nics);
        after.allocations = allocations;
        after.events -= 1; // the end of the window

        // A pause frame is a frame, too: it arrives. Flow-control packets of IB cost no event.
        NS_TEST_EXPECT_MSG_LT_OR_EQ(after.events - before.events,
                                    2 * (after.hops - before.hops) + after.pauses - before.pauses,
                                    "events: two for a frame's hop, one for a pause frame's");
        NS_TEST_EXPECT_MSG_EQ(after.allocations - before.allocations, 0, "the heap is left alone");
        NS_TEST_EXPECT_MSG_EQ(after.packets - before.packets, 1, "no header is made");
        // The window is worth measuring: all receivers are busy all the time.
        std::vector<bool> receives(m_traffic.hosts, false);
        for (const auto& flow : m_traffic.flows)
        {
            receives[flow.second] = true;
        }
        double expected = 0;
        for (const bool busy : receives)
        {
            expected +=
                busy ? 400e9 / 8 * WINDOW.GetSeconds() * 4096 / (4096 + Overhead(m_fabric)) : 0;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL((after.payload - before.payload) / expected,
                                  1,
                                  0.02,
                                  "links are full");
        for (uint32_t i = 0; i < m_traffic.hosts; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(star.sw->GetPort(i)->GetDrops(), 0, "lossless");
            NS_TEST_EXPECT_MSG_EQ(nics[i]->GetCounters().retransmitted, 0, "lossless");
        }
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "all frames are given back");
    }

    const Time WARM_UP = MicroSeconds(300); //!< buffers have filled, pools have grown
    const Time WINDOW = MicroSeconds(200);  //!< measured

    std::string m_fabric; //!< "ib" or "roce"
    Traffic m_traffic;    //!< who sends to whom
};

/**
 * @ingroup ai-fabric-tests
 * The counters can see what they must not find.
 */
class FastPathMeterTestCase : public TestCase
{
  public:
    FastPathMeterTestCase()
        : TestCase("heap blocks and packets are counted, those of ns-3's libraries, too")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t allocations = g_allocations;
        const Ptr<Packet> first = Create<Packet>(100);
        const uint64_t own = g_allocations;
        NS_TEST_EXPECT_MSG_GT(own, allocations, "a packet is on the heap");
        const Ptr<Packet> copy = first->Copy(); // made inside libns3-network
        NS_TEST_EXPECT_MSG_GT(g_allocations, own, "a copy is, too");
        NS_TEST_EXPECT_MSG_EQ(Create<Packet>()->GetUid() - first->GetUid(),
                              1,
                              "a copy is no new packet");
    }
};

/**
 * @ingroup ai-fabric-tests
 * The fast path of both fabrics.
 */
class FastPathTestSuite : public TestSuite
{
  public:
    FastPathTestSuite()
        : TestSuite("ai-fabric-fast-path", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new FastPathMeterTestCase());
        const auto incast = [](uint32_t senders, int64_t delayNs) {
            Traffic traffic{std::to_string(senders) + " hosts send to one, cables of " +
                                std::to_string(delayNs) + " ns",
                            senders + 1,
                            {},
                            delayNs};
            for (uint32_t i = 1; i <= senders; ++i)
            {
                traffic.flows.emplace_back(i, 0);
            }
            return traffic;
        };
        const std::vector<Traffic> traffics{
            {"one flow over a switch", 2, {{0, 1}}, 100},
            incast(16, 100),
            incast(16, 0),
            incast(63, 100),
            {"ring of four", 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, 100}};
        for (const std::string fabric : {"ib", "roce"})
        {
            for (const Traffic& traffic : traffics)
            {
                AddTestCase(new FastPathTestCase(fabric, traffic));
            }
        }
    }
};

FastPathTestSuite g_fastPathTestSuite; //!< the suite

} // namespace
