#!/bin/sh
# Runs examples 06, 07 and 08 on the local GPUs. Example 08 runs as one process, and as one process per GPU. It
# needs NCCL: the script searches libnccl.so.2, unless the variable NCCL names it.
# Exit status 0: all examples that ran are correct; 1: an example failed, or there is no GPU.
set -u

here=$(cd "$(dirname "$0")" && pwd)
program="--ptx $here/row_sums.ptx --plan $here/row_sums.json"
failed=0
tried=

try() {
    # $program holds several words; its paths are in this directory.
    # shellcheck disable=SC2086
    if "$here/gpu" "$@" $program; then
        tried="$tried [$*]"
    else
        failed=$((failed + 1))
    fi
    echo
}

try 06
try 07

nccl=${NCCL:-$(find /usr /opt "${HOME:-/nowhere}" -name libnccl.so.2 2>/dev/null | head -n 1)}
if [ -n "$nccl" ] && [ -e "$nccl" ]; then
    # The example loads NCCL as libnccl.so.
    links=$(mktemp -d)
    trap 'rm -r "$links"' EXIT
    ln -s "$nccl" "$links/libnccl.so"
    LD_LIBRARY_PATH=$links:$(dirname "$nccl"):${LD_LIBRARY_PATH:-}
    export LD_LIBRARY_PATH
    try 08
    try 08 --processes
    left=
else
    left="; 08 was not tried, since no libnccl.so.2 was found (NCCL=/where/libnccl.so.2 names it)"
fi

if [ "$failed" -gt 0 ]; then
    echo "gpu-examples: $failed WRONG or not possible, right:${tried:- none}$left"
    exit 1
fi
echo "gpu-examples: all right:$tried$left"
