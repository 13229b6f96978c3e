#!/usr/bin/env bash
# Install what is missing, build, run the main job and say where the report is.
#
# usage: bash examples/quickstart.sh [ARGUMENT...]
#
# The arguments are those of the program fabric-compare; --PrintHelp lists them.
set -eu -o pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/packages.sh"

# The report goes where --out says, seen from the folder of the caller.
out=
for argument in "$@"; do
    case $argument in
    --out=*) out=${argument#--out=} ;;
    esac
done
if [ -z "$out" ]; then
    out=$root/build/quickstart-report
    set -- "--out=$out" "$@"
fi

install_missing "${AI_FABRIC_BUILD_PACKAGES[@]}"

# A build folder that is in use keeps its settings; a new one needs no packages for tests.
build() {
    cd "$root"
    local settings=()
    [ -e build/CMakeCache.txt ] || settings=(-DAI_FABRIC_TESTS=OFF)
    configure build "${settings[@]}" && cmake --build build --target fabric-compare -j "$(nproc)"
}
echo "building in $root/build"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! (build) </dev/null >"$log" 2>&1; then
    cat "$log" >&2
    echo "quickstart: the build failed" >&2
    exit 1
fi

"$root/build/examples/fabric-compare" "$@"

if [ -d "$out" ]; then
    echo
    echo "report in $(cd "$out" && pwd):"
    find "$out" -mindepth 1 -maxdepth 1 -printf '  %f\n' | sort
fi
