#!/usr/bin/env bash
# The installed command: sets what must be set before libraries are loaded, and starts the program.
program=$(dirname "$(readlink -f "$0")")/../libexec/softscope
source "$program/environment.sh"
prefer_openmp_blas
name_the_blas_core
keep_memory_in_huge_pages
spin_briefly
exec "$program/softscope" "$@"
