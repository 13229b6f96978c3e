#!/usr/bin/env bash
# Install what is missing, build and run every test.
#
# usage: bash test/run-tests.sh [--quick]
#
#   1. alone, Release, as users build it      build/
#   2. alone, with asserts, ASan and UBSan    build/sanitize/
#   3. in an ns-3 tree, with ns-3's asserts   ${XDG_CACHE_HOME:-~/.cache}/ai-fabric/  (not with --quick)
#
# AI_FABRIC_SAMPLES=DIR runs the readers over a folder of field files, too.
# The last line is "N passed, N failed"; the exit status is 0 if nothing failed.
set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
exec </dev/null

quick=no
for argument in "$@"; do
    case $argument in
    --quick) quick=yes ;;
    -h | --help)
        sed -n '2,11s/^# \{0,1\}//p' test/run-tests.sh
        exit 0
        ;;
    *)
        echo "run-tests.sh: unknown argument $argument; expected --quick" >&2
        exit 2
        ;;
    esac
done
if [ -n "${AI_FABRIC_SAMPLES:-}" ]; then
    if [ ! -d "$AI_FABRIC_SAMPLES" ]; then
        echo "run-tests.sh: AI_FABRIC_SAMPLES=$AI_FABRIC_SAMPLES is not a folder" >&2
        exit 2
    fi
    AI_FABRIC_SAMPLES=$(cd "$AI_FABRIC_SAMPLES" && pwd)
    export AI_FABRIC_SAMPLES
fi
source scripts/packages.sh

export CTEST_OUTPUT_ON_FAILURE=1
# The cache of the compiler lies with the other kept things. ns-3 writes its settings, so it is not the user's own.
export CCACHE_DIR=$AI_FABRIC_CACHE/ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
jobs=$(nproc)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0

heading() {
    printf '\n== [%4d s] %s\n' "$SECONDS" "$*"
}

# finish: the result in one line, and nothing after it.
finish() {
    heading "result"
    [ ${#failures[@]} -gt 0 ] && printf 'failed: %s\n' "${failures[@]}"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
failures=()

# count PART PASSED FAILED
count() {
    passed=$((passed + $2))
    failed=$((failed + $3))
    if [ "$3" -gt 0 ]; then
        failures+=("$1: $3")
    fi
}

# quietly COMMAND...: show the end of the output only if the command fails.
quietly() {
    if ! "$@" >"$log" 2>&1; then
        grep -n -m 20 -E 'error|Error|FAILED' "$log"
        echo "..."
        tail -n 40 "$log"
        return 1
    fi
}

# run_ctest PART FOLDER ARGUMENT...: the tests of a build folder.
run_ctest() {
    local part=$1 folder=$2 all bad skipped
    shift 2
    ctest --test-dir "$folder" -j "$jobs" "$@" 2>&1 | tee "$log" | grep -v -E ' +Passed +[0-9.]+ sec$|^ +Start +[0-9]+: '
    read -r bad all < <(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*/\1 \2/p' "$log")
    skipped=$(grep -c '\*\*\*Skipped' "$log")
    if [ -z "${all:-}" ]; then
        echo "$part: no tests were run"
        count "$part" 0 1
    else
        count "$part" $((all - bad - skipped)) "$bad"
    fi
}

# build_alone PART FOLDER ARGUMENT...: configure and compile without an ns-3 tree.
build_alone() {
    local part=$1 folder=$2
    shift 2
    if ! quietly configure "$folder" -DAI_FABRIC_TESTS=ON -DAI_FABRIC_EXAMPLES=ON -DAI_FABRIC_WERROR=ON "$@" ||
        ! quietly cmake --build "$folder" -j "$jobs"; then
        echo "$part does not build"
        count "$part: build" 0 1
        return 1
    fi
}

heading "packages"
packages=("${AI_FABRIC_BUILD_PACKAGES[@]}" "${AI_FABRIC_TEST_PACKAGES[@]}")
[ "$quick" = no ] && packages+=("${AI_FABRIC_TREE_PACKAGES[@]}")
if ! install_missing "${packages[@]}"; then
    count packages 0 1
    finish
fi

heading "Release build in build/"
if build_alone "Release" build -DCMAKE_BUILD_TYPE=Release; then
    heading "tests of the Release build"
    run_ctest "Release" build
fi

heading "sanitizer build in build/sanitize/"
if build_alone "sanitizers" build/sanitize -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-Og -g1" \
    "-DAI_FABRIC_SANITIZE=address;undefined"; then
    heading "tests under the address and undefined behavior sanitizers"
    ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:check_initialization_order=1 \
        UBSAN_OPTIONS=print_stacktrace=1 run_ctest "sanitizers" build/sanitize
fi

if [ "$quick" = no ]; then
    source scripts/ns3-tree.sh
    test_in_tree
fi
finish
