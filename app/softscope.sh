#!/usr/bin/env bash
# The installed command: sets what must be set before the BLAS is loaded, and starts the program.
program=$(dirname "$(readlink -f "$0")")/../libexec/softscope
source "$program/blas.sh"
prefer_openmp_blas
name_the_blas_core
exec "$program/softscope" "$@"
