#!/bin/sh
# Runs examples 06, 07 and 08 on the GPUs of this machine, from the files beside this one. 08 runs as one process and as
# one for each GPU, and needs NCCL: libnccl.so.2 is looked for, or named by the variable NCCL.
# Exit status 0: what could be tried is right; 1: something is not, or there is no GPU.
set -u

here=$(cd "$(dirname "$0")" && pwd)
program="--ptx $here/row_sums.ptx --plan $here/row_sums.json"
failed=0
tried=

try() {
    # $program is several words, and its paths are of this folder.
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
    # It is loaded under its name for linkers.
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
