# shellcheck shell=bash
# Shell functions that build and test the module inside an ns-3 tree. Sourced by test/run-tests.sh, which gives
# heading, quietly, count, run_ctest, jobs, log and AI_FABRIC_CACHE.

AI_FABRIC_TREE=$AI_FABRIC_CACHE/ns-3.37
# Each module costs compile time. csma is not ours: ns-3's own src/test needs it as soon as applications and
# point-to-point are there.
AI_FABRIC_TREE_MODULES='core;network;internet;point-to-point;bridge;applications;stats;csma;ai-fabric'

# Default profile: asserts and logs are on. Its -O2 -g would only double the time of the first build.
AI_FABRIC_TREE_FLAGS=-O1

# fetch_tree: the ns-3 source package of the distribution, through a private copy of the package lists, so that the
# system's configuration stays as it is.
fetch_tree() {
    [ -e "$AI_FABRIC_TREE/ns3" ] && return
    local folder=$AI_FABRIC_CACHE/ns3-source apt file unpacked
    rm -rf "$folder" && mkdir -p "$folder/parts" "$folder/lists/partial" || return
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -e "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" >"$folder/parts/${file##*/}"
    done
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -e "$file" ] && sed -n 's/^deb\(-src\)\{0,1\}[[:space:]]/deb-src /p' "$file" >"$folder/parts/$(basename "$file" .list).list"
    done
    apt=(apt-get -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$folder/parts"
        -o "Dir::State::Lists=$folder/lists" -o APT::Sandbox::User=root -o Acquire::Retries=3)
    (
        cd "$folder" && "${apt[@]}" update && "${apt[@]}" source --download-only ns3 &&
            dpkg-source --no-check -x ns3_*.dsc unpacked
    ) || return
    unpacked=$(echo "$folder"/unpacked/ns-3.*/ns3)
    [ -e "$unpacked" ] || return
    # Moved last: what is there is complete.
    rm -rf "$AI_FABRIC_TREE" && mv "${unpacked%/ns3}" "$AI_FABRIC_TREE" && rm -rf "$folder"
}

# copy_module: bring contrib/ai-fabric up to date. Only files that differ are written, so only they are compiled.
copy_module() {
    local target=$AI_FABRIC_TREE/contrib/ai-fabric file
    mkdir -p "$target" || return
    while IFS= read -r file; do
        cmp -s "$file" "$target/$file" && continue
        mkdir -p "$target/$(dirname "$file")" && cp "$file" "$target/$file" || return
    done < <(find CMakeLists.txt cmake examples helper model test -type f ! -name '*.pyc')
    while IFS= read -r file; do
        [ -e "$file" ] || rm -f "$target/$file"
    done < <(cd "$target" && find . -type f)
}

# build_tree: configure if the settings changed, then compile.
build_tree() {
    local settings
    settings="$AI_FABRIC_TREE_MODULES $AI_FABRIC_TREE_FLAGS $(cmake --version | head -n 1) ${AI_FABRIC_CMAKE_ARGUMENTS[*]}"
    cd "$AI_FABRIC_TREE" || return
    unset CLICOLOR
    if [ ! -e cmake-cache/build.ninja ] || [ "$(cat cmake-cache/ai-fabric-settings 2>/dev/null)" != "$settings" ]; then
        ./ns3 configure --enable-tests --enable-examples --enable-modules="$AI_FABRIC_TREE_MODULES" \
            --filter-module-examples-and-tests=ai-fabric -- -G Ninja \
            "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=$AI_FABRIC_TREE_FLAGS" "${AI_FABRIC_CMAKE_ARGUMENTS[@]}" || return
        # The script ns3 asks for colors, which are compiler flags; CMake, when ninja calls it again for a new file,
        # does not, and everything would be compiled twice.
        cmake cmake-cache || return
        echo "$settings" >cmake-cache/ai-fabric-settings
    fi
    # Not all: ns-3's benchmarks and documentation programs are no concern of ours.
    local programs
    mapfile -t programs < <(basename -s .cc contrib/ai-fabric/examples/*.cc)
    ninja -C cmake-cache -j "$jobs" test-runner ai-fabric-unit-tests "${programs[@]}"
}

# run_test_py PART ARGUMENT...: ns-3's own test program in the tree.
run_test_py() {
    local part=$1 good bad status
    shift
    (cd "$AI_FABRIC_TREE" && rm -rf testpy-output && ./test.py --no-build --nocolor "$@") 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    good=$(grep -c '^\(\[[ 0-9/]*\] \)\{0,1\}PASS: ' "$log")
    bad=$(grep -c '^\(\[[ 0-9/]*\] \)\{0,1\}\(FAIL\|CRASH\): ' "$log")
    if [ $((good + bad)) -eq 0 ]; then
        echo "$part: no tests were run"
        bad=1
    elif [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
        echo "$part: test.py ended with status $status"
        bad=1
    fi
    count "$part" "$good" "$bad"
}

test_in_tree() {
    # The tree is shared by all copies of the module on this machine: one at a time.
    mkdir -p "$AI_FABRIC_CACHE" && exec 9>"$AI_FABRIC_CACHE/lock" && flock 9
    heading "ns-3 tree in $AI_FABRIC_TREE"
    if ! quietly fetch_tree; then
        echo "the source package ns3 could not be fetched"
        count "ns-3 tree: sources" 0 1
        return
    fi
    if ! copy_module || ! (quietly build_tree); then
        echo "the module does not build in the ns-3 tree"
        count "ns-3 tree: build" 0 1
        return
    fi
    heading "suites in the ns-3 tree"
    run_test_py "ns-3 tree: suites" --suite='ai-fabric-*'
    heading "examples in the ns-3 tree"
    run_test_py "ns-3 tree: examples" --constrain=example
    heading "unit tests in the ns-3 tree"
    run_ctest "ns-3 tree: unit tests" "$AI_FABRIC_TREE/cmake-cache/contrib/ai-fabric"
}
