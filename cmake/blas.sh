# Shared by ./run, ./test and the installed launcher: what the BLAS under LibTorch needs to hear before it is loaded.

# LibTorch runs on whatever libblas.so.3 is. With OpenBLAS on pthreads its two thread pools fight, so the one on
# OpenMP goes first for our processes, whichever the system prefers.
prefer_openmp_blas() {
  local folder
  folder=$(echo /usr/lib/*/openblas-openmp)
  if [ -d "$folder" ]; then
    export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  fi
}

# OpenBLAS 0.3.21 does not recognise newer AMD processors that have AVX-512 and takes half their speed. It listens
# only before it is loaded; the same instructions are those of its SKYLAKEX.
use_avx512_where_it_is() {
  [ -n "${OPENBLAS_CORETYPE:-}" ] && return
  if grep -q AuthenticAMD /proc/cpuinfo && grep -qw avx512vl /proc/cpuinfo && grep -qw avx512dq /proc/cpuinfo; then
    export OPENBLAS_CORETYPE=SKYLAKEX
  fi
}
