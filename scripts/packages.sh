# shellcheck shell=bash
# Shell functions to install what is missing. Sourced by examples/quickstart.sh and test/run-tests.sh.
#
# Only the package manager is asked, its settings stay as they are, nothing of the user is removed, and nothing is
# asked back. Without the right to install, the missing packages are named.

# Names separated by | are alternatives: the first that the package manager knows is taken.
AI_FABRIC_BUILD_PACKAGES=(g++ cmake ninja-build libns3-dev ns3 libgsl-dev libxml2-dev
    "libpython3.11-dev|libpython3-dev" libsqlite3-dev "libboost1.81-dev|libboost-dev")
AI_FABRIC_TEST_PACKAGES=(libgtest-dev tshark ccache)
AI_FABRIC_TREE_PACKAGES=(python3 dpkg-dev bzip2 xz-utils patch)

# Downloads and builds that are kept between runs.
AI_FABRIC_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/ai-fabric

# Arguments for CMake that the installation made necessary.
AI_FABRIC_CMAKE_ARGUMENTS=()

# is_installed NAME: is the package, or a program or header in its place, there?
is_installed() {
    local command=
    case $1 in
    g++ | cmake | tshark | ccache | python3 | patch | bzip2) command=$1 ;;
    ninja-build) command=ninja ;;
    dpkg-dev) command=dpkg-source ;;
    xz-utils) command=xz ;;
    libboost*-dev)
        [ -e /usr/include/boost/json.hpp ] || [ -e /usr/local/include/boost/json.hpp ] ||
            [ -e "${BOOST_ROOT:-/nonexistent}/include/boost/json.hpp" ]
        return
        ;;
    esac
    [ -n "$command" ] && command -v "$command" >/dev/null && return 0
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# choose_package "A|B": the alternative that can be installed; the first if none can.
choose_package() {
    local name
    for name in ${1//|/ }; do
        apt-cache show "$name" >/dev/null 2>&1 && echo "$name" && return
    done
    echo "${1%%|*}"
}

# list_missing NAME...: the arguments none of whose alternatives is installed.
list_missing() {
    local names name
    for names in "$@"; do
        for name in ${names//|/ }; do
            is_installed "$name" && continue 2
        done
        echo "$names"
    done
}

# apt_get ARGUMENT...: apt-get without questions; its output is in AI_FABRIC_APT_LOG.
apt_get() {
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" \
        </dev/null >"$AI_FABRIC_APT_LOG" 2>&1
}

# unpack_boost_headers PACKAGE: put the headers into the cache where another Boost stands in the package's way.
unpack_boost_headers() {
    local folder=$AI_FABRIC_CACHE/$1
    if [ ! -e "$folder/usr/include/boost/json.hpp" ]; then
        rm -rf "$folder" && mkdir -p "$folder" || return
        (cd "$folder" && apt-get -o APT::Sandbox::User=root download "$1" </dev/null >/dev/null 2>&1 &&
            dpkg-deb -x ./*.deb . && rm -f ./*.deb) || return
    fi
    [ -e "$folder/usr/include/boost/json.hpp" ] || return
    AI_FABRIC_CMAKE_ARGUMENTS+=("-DBOOST_ROOT=$folder/usr")
    echo "$1 is used from $folder"
}

# install_missing NAME...: install those that are missing; false with a message if one is still missing.
install_missing() {
    local missing packages=() names conflicts
    mapfile -t missing < <(list_missing "$@")
    [ ${#missing[@]} -eq 0 ] && return 0
    if ! command -v apt-get >/dev/null; then
        echo "missing: ${missing[*]}; this system has no apt-get, install their counterparts" >&2
        return 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        for names in "${missing[@]}"; do
            packages+=("$(choose_package "$names")")
        done
        echo "missing packages; as root: apt-get install ${packages[*]}" >&2
        return 1
    fi

    AI_FABRIC_APT_LOG=$(mktemp)
    apt_get update || echo "apt-get update: $(tail -n 1 "$AI_FABRIC_APT_LOG")" >&2
    for names in "${missing[@]}"; do
        packages+=("$(choose_package "$names")")
    done
    echo "installing: ${packages[*]}"
    if ! apt_get install -y --no-remove --no-install-recommends "${packages[@]}"; then
        # One that cannot be installed must not keep the others out.
        for names in "${packages[@]}"; do
            apt_get install -y --no-remove --no-install-recommends "$names" && continue
            case $names in
            libboost*) unpack_boost_headers "$names" && continue ;;
            esac
            echo "cannot install $names: $(grep -m 1 '^E:' "$AI_FABRIC_APT_LOG")" >&2
            apt_get -s install --no-install-recommends "$names"
            conflicts=$(sed -n 's/^Remv \([^ ]*\).*/\1/p' "$AI_FABRIC_APT_LOG" | paste -sd ' ')
            [ -n "$conflicts" ] && echo "$names is in conflict with: $conflicts" >&2
        done
    fi
    rm -f "$AI_FABRIC_APT_LOG"

    mapfile -t missing < <(list_missing "$@")
    for names in "${missing[@]}"; do
        case $names in
        libboost*) [ ${#AI_FABRIC_CMAKE_ARGUMENTS[@]} -gt 0 ] && continue ;;
        esac
        echo "still missing: ${missing[*]}" >&2
        return 1
    done
}

# configure BUILD-FOLDER ARGUMENT...: run CMake on the module, which lies in the current folder.
configure() {
    local build=$1
    shift
    # A build folder that came along when the module was copied belongs to another place.
    if [ -e "$build/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$build/CMakeCache.txt"; then
        rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
    fi
    [ -e "$build/CMakeCache.txt" ] || set -- -G Ninja "$@"
    if command -v ccache >/dev/null; then
        set -- -DCMAKE_CXX_COMPILER_LAUNCHER=ccache "$@"
    fi
    cmake -S . -B "$build" "${AI_FABRIC_CMAKE_ARGUMENTS[@]}" "$@"
}
