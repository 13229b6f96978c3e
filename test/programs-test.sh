#!/usr/bin/env bash
# What the programs do with good and with bad input.
#
# usage: programs-test.sh FOLDER
#
# FOLDER has the example programs. Everything goes to the current folder.
set -u -o pipefail

folder=${1:?usage: programs-test.sh FOLDER}
compare=$folder/fabric-compare
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
models=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/data/models
checks=0
failures=0

# check WHAT COMMAND...: the command must succeed.
check() {
    local what=$1
    shift
    checks=$((checks + 1))
    if ! "$@"; then
        failures=$((failures + 1))
        echo "FAILED: $what"
    fi
}

# fails LINES TEXT PROGRAM ARGUMENT...: the program must fail within 2 s and write nothing to its report folder; the
# first of at most so many lines on stderr has the text.
fails() {
    local most=$1 text=$2 program=$3 status lines first
    shift 3
    rm -rf report
    timeout "$limit" "$folder/$program" "$@" >stdout.txt 2>stderr.txt
    status=$?
    lines=$(wc -l <stderr.txt)
    first=$(head -n 1 stderr.txt)
    check "$program $*: exit status $status, expected 1" [ "$status" -eq 1 ]
    check "$program $*: $lines lines on stderr, expected 1..$most" [ "$lines" -ge 1 -a "$lines" -le "$most" ]
    check "$program $*: '$first' lacks '$text'" grep -q -F -e "$text" <(echo "$first")
    check "$program $*: wrote a report" [ ! -e report ]
    check "$program $*: wrote to stdout" [ ! -s stdout.txt ]
}

# refuses TEXT ARGUMENT...: fabric-compare says so in one line.
refuses() {
    local text=$1
    shift
    fails 1 "$text" fabric-compare --out=report "$@"
}

# runs PROGRAM ARGUMENT...: it must succeed and say nothing on stderr.
runs() {
    local program=$1
    shift
    check "$program $*: failed" timeout 300 "$folder/$program" "$@" >stdout.txt 2>stderr.txt
    check "$program $*: '$(head -n 1 stderr.txt)' on stderr" [ ! -s stderr.txt ]
}

# Sanitizers are slow to start.
limit=2
if grep -q -a -m 1 __asan_init "$compare"; then
    limit=20
fi

# -- bad input ---------------------------------------------------------------------------------------------

refuses "model 'no-such-model' is not known: expected one of" --model=no-such-model
refuses "model '/no/such/config.json' is not known: expected" --model=/no/such/config.json
refuses "$models/broken.json:4:" --model="$models/broken.json"
refuses "expected a regular file" --model="$PWD"
printf '{}' >empty.json
refuses "empty.json" --model=empty.json
printf '' >nothing.json
refuses "nothing.json" --model=nothing.json
head -c 4096 /dev/urandom >noise.json
refuses "noise.json" --model=noise.json

refuses "expected h100, a100, ascend-910b" --device=h1000
refuses "tflops" --device=tflops=-1
refuses "policy 'lifo', expected sequential, fifo" --policies=fifo,lifo
refuses "policy '', expected sequential, fifo" --policies=fifo,,fifo
refuses "congestion control 'fast', expected one of none dcqcn dcqcn-paper" --congestionControl=fast
refuses "--fabrics=ethernet, expected ib, roce or ib,roce" --fabrics=ethernet
refuses "--fabrics=ib,,roce, expected ib, roce or ib,roce" --fabrics=ib,,roce

for rate in 0 0Gbps -5Gbps fast 400 400Gb 400GBPS 1e30Gbps nanGbps 1bps 999Mbps 100001Gbps; do
    refuses "--rate=$rate, expected a rate 1Gbps..100000Gbps, such as 400Gbps" --rate="$rate"
done
for mtu in 5000 0 -1 4097 255 4096x 99999999999; do
    refuses "--mtu=$mtu, expected a whole number 256..4096" --mtu=$mtu
done
for mtu in 1000 1500 4095; do
    refuses "--mtu=$mtu, expected 256, 512, 1024, 2048 or 4096 bytes" --mtu=$mtu
done
for gpus in 0 -1 -8 8x 1.5 49152 4000000000 99999999999999999999; do
    refuses "--gpus=$gpus, expected a whole number 1..49151" --topology=star --gpus=$gpus
done
refuses "7 GPUs do not fit topology leaf-spine:2x2x4, which has 8 hosts" --gpus=7
refuses "8 GPUs do not fit topology leaf-spine:9999x1x9999" --topology=leaf-spine:9999x1x9999
for topology in ring leaf-spine leaf-spine:2x2 leaf-spine:0x2x4 leaf-spine:2x2x-4 leaf-spine:2x2x4x; do
    refuses "topology '$topology', expected star or leaf-spine:LxSxH" --topology=$topology
done
refuses "--cableMeters=-1, expected a number 0..100000" --cableMeters=-1
refuses "--cableMeters=nan, expected a number 0..100000" --cableMeters=nan
refuses "--sequenceLength=0, expected a whole number" --sequenceLength=0
refuses "--sequences=-1, expected a whole number" --sequences=-1
refuses "--layers=-1, expected a whole number" --layers=-1
refuses "1000 layers wanted of model qwen2.5-0.5b, which has 24" --layers=1000
refuses "--iterations=0, expected a whole number" --iterations=0
refuses "--iterations=-1, expected a whole number" --iterations=-1
refuses "--bucketMib=0, expected a number" --bucketMib=0
refuses "--incastBytes=-1, expected a whole number" --incastBytes=-1
refuses "--hostLatencyNs=-1, expected a number" --hostLatencyNs=-1
refuses "--ibSwitchLatencyNs=1e10, expected a number" --ibSwitchLatencyNs=1e10
refuses "--roceSwitchLatencyNs=x, expected a number" --roceSwitchLatencyNs=x
refuses "--seed=0, expected a whole number 1..4294944442" --seed=0
refuses "--seed=-1, expected a whole number 1..4294944442" --seed=-1
refuses "argument 'surplus', expected options of the form --NAME=VALUE" surplus

# What ns-3's CommandLine finds itself ends in its help.
fails 100 "--noSuchOption" fabric-compare --out=report --noSuchOption=1
fails 100 "--flowControl=maybe" fabric-compare --out=report --flowControl=maybe
fails 100 "--noSuchOption" first-fabric --noSuchOption=1
fails 100 "--noSuchOption" ib-buffer-sweep --out=report --noSuchOption=1

fails 1 '--rates: "4xABC" is no InfiniBand link speed' ib-buffer-sweep --out=report --rates=4xEDR,4xABC
fails 1 '--rates: "" is no' ib-buffer-sweep --out=report --rates=,
fails 1 "--lengths=1x" ib-buffer-sweep --out=report --lengths=10,1x
fails 1 "--buffers=1" ib-buffer-sweep --out=report --buffers=1
fails 1 "--mtu=3000, expected" ib-buffer-sweep --out=report --mtu=3000
fails 1 '--recoveries: "GoBack", expected' roce-loss --out=report --recoveries=GoBackN,GoBack
fails 1 "--losses=2" roce-loss --out=report --losses=1e-3,2

# Folders that can't be; permissions do not stop root.
printf 'in the way' >file
fails 1 "cannot make folder 'file'" fabric-compare --quick --out=file
fails 1 "cannot make folder 'file/below'" fabric-compare --quick --out=file/below
fails 1 "cannot make folder '/proc/report'" fabric-compare --quick --out=/proc/report
check "the file is as it was" [ "$(cat file)" = 'in the way' ]

# -- good input --------------------------------------------------------------------------------------------

# constant FOLDER: the summary without what depends on the machine and the moment.
constant() {
    sed -E 's/"(wallSeconds|peakRssBytes)":[^,}]*//g' "$1/summary.json"
}

rm -rf first second lossy
runs fabric-compare --quick --seed=7 --out=first
check "one line per run, between titles and paths" [ "$(grep -c -E '^(ib|roce) +(sequential|fifo) ' stdout.txt)" -eq 4 ]
runs fabric-compare --quick --seed=7 --out=second
check "equal seeds give equal reports" cmp -s <(constant first) <(constant second)
check "equal seeds give equal collectives" cmp -s first/collectives.csv second/collectives.csv
check "the report is not empty" grep -q '"schema":"ai-fabric-summary/1"' first/summary.json
check "no half-written file" [ -z "$(find first second -name '*.part')" ]
check "nothing but the report" [ "$(find first -type f | wc -l)" -eq 2 ]

# All others send to GPU 0: without flow control frames are lost, and it ends all the same.
runs fabric-compare --quick --flowControl=false --incastBytes=4000000 --policies=fifo --out=lossy
check "frames are lost without flow control" grep -q -E '"drops":[1-9]' lossy/summary.json
check "what is lost is sent again" grep -q -E '"retransmits":[1-9]' lossy/summary.json
check "nothing was promised" [ "$(grep -o '"losslessDrops":0' lossy/summary.json | wc -l)" -eq 2 ]
check "no PFC, no credits" [ "$(grep -o -E '"(pauseFrames|creditStallSeconds)":null' lossy/summary.json | wc -l)" -eq 4 ]

# A timeline tells who waited: for credits on ib, for the end of a pause on roce.
runs fabric-compare --quick --timeline=true --incastBytes=40000000 --policies=fifo --out=drawn
check "one timeline per run, named on stdout" [ "$(grep -c '^drawn/timeline-\(ib\|roce\)-fifo.json$' stdout.txt)" -eq 2 ]
check "a GPU's buckets" grep -q '"ph":"X",.*"name":"bucket 0, ' drawn/timeline-ib-fifo.json
check "a port that waits for credits" grep -q '"ph":"X",.*"name":"held back"' drawn/timeline-ib-fifo.json
check "a port that is paused" grep -q '"ph":"X",.*"name":"paused"' drawn/timeline-roce-fifo.json

# Congestion control keeps queues short, so that fewer pauses are sent; what arrives is the same.
paused() {
    grep -o -E '"pauseFrames":[0-9]+' "$1/summary.json" | cut -d: -f2
}
runs fabric-compare --quick --fabrics=roce --incastBytes=40000000 --policies=fifo --out=uncontrolled
runs fabric-compare --quick --fabrics=roce --incastBytes=40000000 --policies=fifo --congestionControl=hpcc-vendor \
    --out=controlled
check "without congestion control PFC fires" [ "$(paused uncontrolled)" -gt 100 ]
check "with it, much less" [ "$(paused controlled)" -lt $(($(paused uncontrolled) / 10)) ]
check "frames are marked" grep -q -E '"ecnMarks":[1-9]' controlled/summary.json
check "senders are told" grep -q -E '"cnps":[1-9]' controlled/summary.json
check "nobody is told without" grep -q '"cnps":0' uncontrolled/summary.json
rm -rf sweep
runs ib-buffer-sweep --quick --out=sweep
check "the simulation is the closed form" [ "$(grep -c -E '^4x[EN]DR .* -?0\.0000 ' stdout.txt)" -eq 8 ]
check "a lane of one packet over 100 m" grep -q -E '^4xNDR +100 +8.0 +1 +30\.268 ' stdout.txt
runs roce-loss --quick --out=loss
check "selective repeat loses what is lost" grep -q -E '^SelectiveRepeat +10000\.0 +[0-9.]+ +0\.9(8|9)' stdout.txt
check "go-back-N loses much more" grep -q -E '^GoBackN +10000\.0 +[0-9.]+ +0\.[1-6]' stdout.txt

runs first-fabric
check "it prints a step" grep -q -E '^step [0-9.]+ ms, of which compute [0-9.]+ ms, [0-9]+ buckets$' stdout.txt

fails 1 "--switches=0" ib-latency --out=report --switches=0
fails 1 "--sizes=8x" ib-latency --out=report --sizes=8,8x
fails 1 "--generation=xdr" ib-latency --out=report --generation=xdr
runs ib-latency --iterations=20 --sizes=8,4096 --out=latency
check "a line for each generation, number of switches and size" [ "$(grep -c '^ib ' stdout.txt)" -eq 12 ]
check "an idle fabric has no jitter" [ "$(grep '^ib ' stdout.txt | awk '$6 != $8' | wc -l)" -eq 0 ]

fails 1 '--low:1: qos_vlarb_low: "15", expected a number in 0..14' ib-vl-arbitration --out=report --low=0:1,15:1
fails 1 "--highLimit=256" ib-vl-arbitration --out=report --highLimit=256
fails 1 "--mtu=3000, expected" ib-vl-arbitration --out=report --mtu=3000
fails 1 '--rate: "4xABC" is no InfiniBand link speed' ib-vl-arbitration --out=report --rate=4xABC
fails 1 "no service level has a virtual lane" ib-vl-arbitration --out=report --low=0:0 --high=0:0
fails 1 "QoS file nowhere.conf can not be read" ib-vl-arbitration --out=report --qosFile=nowhere.conf
printf '# four lanes\nqos TRUE\nqos_max_vls 4\nqos_high_limit 2\nqos_vlarb_high 0:255\n' >qos.conf
printf 'qos_vlarb_low 1:64,2:64,3:128\nqos_sl2vl 0,1,2,3,15,15,15,15,15,15,15,15,15,15,15,15\n' >>qos.conf
runs ib-vl-arbitration --qosFile=qos.conf --mtu=4096 --windowUs=1000 --out=arbitration
check "the high table has two packets of three" grep -q -E '^0 +0 +255 +- +66\.67 +66\.' stdout.txt
check "and the low one shares the rest by weights" grep -q -E '^3 +3 +- +128 +16\.67 +16\.' stdout.txt
echo 'qos_vlarb_low 1:64;2:64' >>qos.conf
fails 1 'qos.conf:8: qos_vlarb_low: "64;2:64", expected' ib-vl-arbitration --out=report --qosFile=qos.conf
fails 1 "--others=0" ib-head-of-line --out=report --others=0
runs ib-head-of-line --windowUs=300 --out=headOfLine
check "on the shared lane the victim has a quarter" grep -q -E '^shared +victim +25\.00 +2[45]\.' stdout.txt
check "on its own it has the line rate" grep -q -E '^its own +victim +100\.00 +(99|100)\.' stdout.txt
fails 1 "--hosts=9" ib-sharp --hosts=9 --hostsPerLeaf=4
fails 1 "expected ring, tree or sharp" ib-sharp --algorithms=ring,star
fails 1 "--minBytes=64" ib-sharp --minBytes=64 --maxBytes=8
rm -rf sharp
runs ib-sharp --hosts=8 --maxBytes=262144 --factor=32 --aggregationRate=100 --out=sharp
check "a line for each algorithm and size" [ "$(grep -c '^ib ' stdout.txt)" -eq 12 ]
check "the adder's limit is respected" [ "$(awk '$2 == "sharp" && $7 > 12.5' stdout.txt | wc -l)" -eq 0 ]
check "theory says where they cross" grep -q '^sharp and ring: \|^ring and sharp: ' stdout.txt
fails 1 "--verb=atomic, expected write" ib-perftest --out=report --verb=write,atomic
fails 1 "--fabric=ethernet, expected ib, roce or both" ib-perftest --out=report --fabric=ethernet
fails 1 "--sizes=" ib-perftest --out=report --sizes=8,x
fails 1 "--qps=0" ib-perftest --out=report --qps=0
runs ib-perftest --iterations=50 --megabytes=4 --sizes=8,4096,1048576 --fabric=both --hops=2 --out=perftest
check "a line for each fabric, verb and size, datagrams up to the MTU" [ "$(grep -c -E '^(ib|roce) ' stdout.txt)" -eq 28 ]
check "latencies are the sum of their parts within 2.5 ns" \
    [ "$(grep -E '^(ib|roce) .* (8|4096) +50 ' stdout.txt | awk '{ d = $9 - $12; n += d < -0.0025 || d > 0.0025 } END { print n + 0 }')" -eq 0 ]
check "large messages fill the wire" \
    [ "$(grep -E ' 1048576 ' stdout.txt | awk '$5 < 0.95 * $6 || $5 > $6' | wc -l)" -eq 0 ]
fails 1 "/no/such/file:1: can not be read, expected a text file" ib-cluster --out=report --topology=/no/such/file
fails 1 "routing engine 'best', expected one of" ib-cluster --out=report --engine=best
fails 1 "--shifts=0" ib-cluster --out=report --shifts=1,0
cluster=$root/examples/topologies/mixed-fat-tree.ibnetdiscover
head -c 6000 "$cluster" >cut.ibnetdiscover
fails 1 "cut.ibnetdiscover:" ib-cluster --out=report --topology=cut.ibnetdiscover
sed '20s/\[36\]/[39]/' "$cluster" >crossed.ibnetdiscover
fails 1 "crossed.ibnetdiscover:20: it leads to port 39 of" ib-cluster --out=report --topology=crossed.ibnetdiscover
runs ib-cluster --shifts=8 --bytes=65536 --dumpLfts=tables.lft
check "it counts what there is" grep -q -F "6 switches, 32 hosts, 33 adapters (1 of them aggregation nodes), 1 routers; 66 links" stdout.txt
check "it says that nothing can deadlock" grep -q -F "free of deadlocks" stdout.txt
check "a table for each switch" [ "$(grep -c '^Unicast lids ' tables.lft)" -eq 6 ]

fails 1 "--figure=5, expected unfairness, victim or both" roce-unfairness --out=report --figure=5
fails 1 "DCQCN parameters 'fast', expected one of" roce-unfairness --out=report --congestionControl=fast
runs roce-unfairness --figure=unfairness --seeds=3 --controlSeeds=0 --warmUpMs=2 --windowMs=2 --out=unfairness
check "roce-unfairness: H4 with the paper's share" grep -q "H4 .*13.3 to 20  2 %  *ok" stdout.txt
fails 1 "--flows=2,x, expected numbers" roce-dcqcn --out=report --flows=2,x
fails 1 "--settings: 'Gain=1', expected NAME=VALUE" roce-dcqcn --out=report --settings=Gain=1
fails 1 "--settings: 'G=x', expected NAME=VALUE" roce-dcqcn --out=report --settings=G=x
fails 1 "--rate=40, expected a rate" roce-dcqcn --out=report --rate=40
fails 1 "DCQCN parameters 'fast', expected one of" roce-dcqcn --out=report --set=fast
runs roce-dcqcn --flows=2 --warmUpMs=1 --windowMs=2 --out=dcqcn
check "roce-dcqcn: no rates over time" grep -q '"flow 1"\|flow 1,' dcqcn/over-time.csv

fails 1 "routing engine 'nue', expected one of" ib-deadlock --out=report --engines=minhop,nue
fails 1 "--hops=5, expected less than the 5 switches" ib-deadlock --out=report --hops=5
rm -rf deadlock
runs ib-deadlock --bytes=1000000 --out=deadlock
check "with minhop the ring deadlocks, as its tables say" grep -q -E '^ib +minhop +1 +cycle +deadlock +[0-9]' stdout.txt
check "the cycle of the tables is named" \
    grep -q -F 'minhop, tables: VL 0: switch-0 port 1 -> switch-1 port 2 -> switch-2 port 2' stdout.txt
check "that of the run is the same ring" grep -q -E 'minhop, run: node 0 port [01] VL 0 -> node [14] ' stdout.txt
check "up and down only, it does not" grep -q -E '^ib +updn +1 +no cycle +done +- +10 +10 ' stdout.txt
check "with a second lane it does not" grep -q -E '^ib +lash +2 +no cycle +done +- +10 +10 ' stdout.txt

runs roce-headroom --quick --out=headroom
check "enough, and a frame less is not" [ "$(grep -c -E '^[14]00Gbps .* 0 +1 +[0-9]+$' stdout.txt)" -eq 4 ]
check "the worked table" grep -q -E '^400Gbps +100 +58440 ' stdout.txt
fails 1 "--model=best, expected ideal or standard" roce-headroom --out=report --model=best
fails 1 '--rates: "fast"' roce-headroom --out=report --rates=fast

fails 1 '--watchdogs: "Bark", expected one of Off, Drop, Forward, Alert' roce-storm --out=report --watchdogs=Off,Bark
fails 1 '--faults: "rain", expected one of storm, slow' roce-storm --out=report --faults=rain
fails 1 "--hosts=1" roce-storm --out=report --hosts=1
rm -rf storm
runs roce-storm --out=storm
check "a storm stops everything without a watchdog" grep -q -E '^roce +storm +Off +[0-9.]+ +0\.0 ' stdout.txt
check "and nothing else with one" [ "$(awk '$2 == "storm" && ($3 == "Drop" || $3 == "Forward") && $5 > 0.9 * $4' stdout.txt | wc -l)" -eq 2 ]
check "it is found in time" [ "$(awk '$2 == "storm" && $3 != "Off" && ($10 < 200 || $10 > 240)' stdout.txt | wc -l)" -eq 0 ]
check "a slow receiver spreads upstream" [ "$(awk '$2 == "slow" && $5 < 0.5 * $4 && $8 == 5' stdout.txt | wc -l)" -eq 1 ]
check "nothing is lost for want of room" [ "$(awk '$1 == "roce" && $14 != 0' stdout.txt | wc -l)" -eq 0 ]

fails 1 "--hops=3, expected less than the 3 switches" roce-deadlock --out=report --hops=3
fails 1 "--rates" roce-deadlock --out=report --rates=0
rm -rf loop
runs roce-deadlock --out=loop
check "the ring deadlocks" grep -q -E '^roce +ring +Off +- +deadlock +[0-9.]+ +1 ' stdout.txt
check "the watchdog resolves it" grep -q -E '^roce +ring +Drop +- +deadlock, resolved .* 6 +6 ' stdout.txt
check "the loop carries 4 Gb/s" grep -q -E '^roce +loop +Off +4\.0 +runs empty ' stdout.txt
check "but not 6" grep -q -E '^roce +loop +Off +6\.0 +deadlock ' stdout.txt

fails 1 '--modes: "Magic", expected one of Ecmp' roce-ecmp --out=report --modes=Magic
fails 1 "--paths=0" roce-ecmp --out=report --paths=0
rm -rf ecmp
runs roce-ecmp --out=ecmp
check "hashes are as good as chance" [ "$(awk '/^(Crc|Toep)/ { d = $5 - $7; if (d < 0) d = -d; if (d > 3.5 * $6) print }' stdout.txt | wc -l)" -eq 0 ]
check "spraying fills the line if disorder is accepted" \
    [ "$(awk '($2 == "RoundRobin" || $2 == "Adaptive") && $3 == "SelectiveRepeat" && $8 > 98 && $10 == 0' stdout.txt | wc -l)" -eq 2 ]

sonic=$root/examples/sonic
files="--configDb=$sonic/config_db.json --qos=$sonic/qos.json --pgProfiles=$sonic/pg_profile_lookup.ini"
fails 1 "/no/such/buffers.json: can not be opened" roce-sonic --out=report --buffers=/no/such/buffers.json
sed '/"mode": "static"/s/static/fixed/' "$sonic/buffers.json" >mode.json
fails 1 'mode.json:24: BUFFER_POOL|egress_lossless_pool mode: "fixed", expected dynamic or static' \
    roce-sonic --out=report $files --buffers=mode.json
head -c 2000 "$sonic/buffers.json" >half.json
fails 1 "half.json:" roce-sonic --out=report $files --buffers=half.json
grep -v 40m "$sonic/pg_profile_lookup.ini" >short.ini
fails 1 "buffers.json:10: CABLE_LENGTH|AZURE Ethernet24: short.ini has no profile of 40m at 100000 Mb/s, expected one of" \
    roce-sonic --out=report $files --buffers="$sonic/buffers.json" --pgProfiles=short.ini
sed 's/0  *8192$/x/' "$sonic/pg_profile_lookup.ini" >threshold.ini
fails 1 'threshold.ini:3: threshold "x", expected' roce-sonic --out=report --pgProfiles=threshold.ini
fails 1 "--cable=5, expected a length" roce-sonic --out=report --cable=5
fails 1 'no port "Ethernet1", expected one of Ethernet0 .. Ethernet28' roce-sonic --out=report --ports=Ethernet0,Ethernet1
fails 1 "--senders=9" roce-sonic --out=report --senders=9
rm -rf sonic
runs roce-sonic --out=sonic
check "it counts what there is" grep -q -F "priority groups: 8 rows (0 lossless), and 8 made" stdout.txt
check "the lossless incast loses nothing" [ "$(grep -c -E '^Ethernet[0-9]+ +3 +yes .* 0 +0 +[0-9]+ +[0-9.]+$' stdout.txt)" -eq 4 ]
check "senders are paused" grep -q -E '^Ethernet4 +3 +yes +100 +[0-9]+ +[0-9]+ +0 +0 +[1-9]' stdout.txt
runs roce-sonic --out=sonic --dscp=0
check "the lossy one does, at the output" grep -q -E '^Ethernet0 +1 +no +100 +[0-9]+ +[0-9]+ +[1-9]' stdout.txt
fails 1 "congestion control 'cubic', expected one of none" roce-congestion --out=report --control=hpcc,cubic
fails 1 "--senders=0" roce-congestion --out=report --senders=0
fails 1 "--rate=fast, expected a rate" roce-congestion --out=report --rate=fast
fails 1 "--kminBytes=5, expected at most" roce-congestion --out=report --kminBytes=5
rm -rf incast
runs roce-congestion --warmUpUs=1000 --windowUs=1000 --out=incast
check "a line for each control" [ "$(grep -c '^roce ' stdout.txt)" -eq 6 ]
check "nothing is dropped" [ "$(awk '$1 == "roce" && $12 != 0' stdout.txt | wc -l)" -eq 0 ]
check "only without control there are pauses" \
    [ "$(awk '$1 == "roce" && ($11 > 0) != ($2 == "none")' stdout.txt | wc -l)" -eq 0 ]
check "HPCC keeps less of a queue than Swift, and Swift than none" \
    [ "$(awk '$1 == "roce" { q[$2] = $6 } END { print q["hpcc"] < q["swift"] && q["swift"] < q["none"] }' stdout.txt)" -eq 1 ]

# The README shows it word for word.
check "the README's first-fabric.cc is not the program" \
    diff <(sed -n '/^```cpp$/,/^```$/{/^```/d;p}' "$root/README.md") "$root/examples/first-fabric.cc"

echo "$((checks - failures)) of $checks checks passed"
[ "$failures" -eq 0 ]
