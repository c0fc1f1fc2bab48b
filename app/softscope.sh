#!/usr/bin/env bash
# The installed command: sets what must be set before the BLAS is loaded, and starts the program.
program=$(dirname "$(readlink -f "$0")")/../libexec/softscope
source "$program/blas.sh"
prefer_openmp_blas
use_avx512_where_it_is
exec "$program/softscope" "$@"
