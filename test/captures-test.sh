#!/usr/bin/env bash
# tshark as the judge of the captures.
#
# usage: captures-test.sh PROGRAM
#
# PROGRAM (ai-fabric-capture-writer) simulates, captures, and writes checks.tsv: capture file, display filter, fields,
# and a file with the lines that tshark must print. Everything goes to the current folder. Exit status 77: no tshark.
set -u -o pipefail

program=${1:?usage: captures-test.sh PROGRAM}
if ! command -v tshark >/dev/null; then
    echo "captures-test.sh: tshark is missing, expected it in PATH; install: tshark" >&2
    exit 77
fi
checks=0
failures=0

# The user's own settings and plug-ins must not matter.
export HOME=$PWD XDG_CONFIG_HOME=$PWD/none WIRESHARK_CONFIG_DIR=$PWD/none

# see CAPTURE FILTER FIELD...: let tshark print the fields, or a line per packet if there are none. Booleans are True
# and False in newer versions.
see() {
    local capture=$1 filter=$2 arguments=() field
    shift 2
    [ $# -gt 0 ] && arguments=(-T fields)
    for field in "$@"; do
        arguments+=(-e "$field")
    done
    tshark -n -r "$capture" -o ip.check_checksum:TRUE -Y "$filter" "${arguments[@]}" 2>tshark.log |
        sed 's/\bTrue\b/1/g; s/\bFalse\b/0/g' >seen.txt || echo "tshark failed" >>seen.txt
}

# expect WHAT FILE: what was seen must equal the file.
expect() {
    checks=$((checks + 1))
    if ! diff seen.txt "$2" >difference.txt; then
        failures=$((failures + 1))
        echo "FAILED: $1 (< seen, > expected)"
        head -n 6 difference.txt
        grep -v 'Running as user' tshark.log
    fi
}

# Captures without CRCs are only looked through; those with CRCs are checked field by field.
for crc in 0 1; do
    folder=crc-$crc
    rm -rf "$folder"
    mkdir "$folder"
    "$program" --out="$folder" --crc=$crc || exit 1
    for capture in "$folder"/*.pcap; do
        # Nothing malformed, no error or warning of a dissector, no check sequence where none was captured, and in order.
        see "$capture" '_ws.malformed || _ws.short || _ws.expert.severity >= 0x600000 || eth.fcs || eth.trailer ||
            frame.time_delta < 0'
        expect "$capture: complaints" /dev/null
        # A CRC is there if and only if it was asked for: hardly any is 0 by chance.
        see "$capture" 'infiniband.invariant.crc' infiniband.invariant.crc
        zeros=$(grep -cx 0x00000000 seen.txt)
        all=$(wc -l <seen.txt)
        echo $((all > 0 && zeros == (crc ? 0 : all))) >seen.txt
        expect "$capture: $zeros of $all ICRCs are 0" <(echo 1)
    done
done
while IFS=$'\t' read -r capture filter fields expected; do
    # shellcheck disable=SC2086 # fields are words
    see "$folder/$capture" "$filter" $fields
    expect "$folder/$capture: $fields of packets with $filter" "$folder/$expected"
done <"$folder/checks.tsv"
echo "$((checks - failures)) of $checks checks passed"
[ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
