#! /usr/bin/env python3

# The example programs that ns-3's test.py runs; the CMake build outside a tree reads the same list.
# A program is a test only of this: it ends well, with the given arguments.
#
# (command, run it, run it under valgrind)
cpp_examples = [
    ("first-fabric", "True", "True"),
    ("fabric-compare --quick", "True", "False"),
    ("ib-latency --iterations=20 --sizes=8,4096", "True", "True"),
    ("ib-perftest --iterations=20 --megabytes=1 --sizes=8,4096,65536 --fabric=both", "True", "True"),
    ("ib-buffer-sweep --quick", "True", "True"),
    ("roce-loss --quick", "True", "True"),
    ("ib-vl-arbitration --warmUpUs=100 --windowUs=300", "True", "True"),
    ("ib-head-of-line --warmUpUs=100 --windowUs=100", "True", "True"),
    ("ib-sharp --hosts=4 --maxBytes=4096", "True", "True"),
    ("ib-cluster --shifts=8 --bytes=65536", "True", "False"),
    ("ib-deadlock --bytes=1000000", "True", "True"),
    ("roce-headroom --quick", "True", "True"),
    ("roce-storm --faults=storm --watchdogs=Off,Drop", "True", "False"),
    ("roce-deadlock --bytes=200000", "True", "False"),
    ("roce-ecmp --seeds=50 --bytes=200000", "True", "False"),
    ("roce-unfairness --seeds=1 --controlSeeds=1 --warmUpMs=1 --windowMs=1 --controlWarmUpMs=1 --controlWindowMs=1", "True", "False"),
    ("roce-dcqcn --flows=2,4 --warmUpMs=1 --windowMs=1", "True", "False"),
    ("ib-congestion --warmUpUs=300 --windowUs=200", "True", "False"),
    ("roce-sonic --kilobytes=500", "True", "True"),
    ("roce-congestion --windowUs=1000", "True", "True"),
]

# (script, run it)
python_examples = []
