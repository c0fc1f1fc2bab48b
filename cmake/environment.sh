# Shared by ./run, ./test and the installed launcher: what the libraries under Softscope need to hear before they are
# loaded.

# LibTorch runs on whatever libblas.so.3 is. With OpenBLAS on pthreads its two thread pools fight, so the one on
# OpenMP goes first for our processes, whichever the system prefers.
prefer_openmp_blas() {
  local folder
  folder=$(echo /usr/lib/*/openblas-openmp)
  if [ -d "$folder" ]; then
    export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  fi
}

# OpenBLAS 0.3.21 takes processors newer than itself for old ones: AMD's with AVX-512 at half their speed, Intel's since
# Sapphire Rapids with nothing beyond SSE3 at a quarter. It listens only before it is loaded, and runs on any processor
# that has the instructions of the core it is told.
name_the_blas_core() {
  [ -n "${OPENBLAS_CORETYPE:-}" ] && return
  local has
  has=" $(grep -m1 '^flags' /proc/cpuinfo || true) "
  if [[ $has == *" avx512vl "* && $has == *" avx512dq "* ]]; then
    export OPENBLAS_CORETYPE=SKYLAKEX
  elif [[ $has == *" avx2 "* && $has == *" fma "* ]] && grep -q GenuineIntel /proc/cpuinfo; then
    export OPENBLAS_CORETYPE=HASWELL
  fi
}

# Large tensors on huge pages, which glibc asks for only where it is told to (a training takes a tenth less time), and
# freed ones kept for the next layer instead of being given back and cleared again (a forward pass takes a tenth less).
keep_memory_in_huge_pages() {
  [[ ${GLIBC_TUNABLES:-} == *glibc.malloc* ]] && return
  local settings=glibc.malloc.hugetlb=1:glibc.malloc.trim_threshold=268435456:glibc.malloc.mmap_threshold=33554432
  export GLIBC_TUNABLES="${GLIBC_TUNABLES:+$GLIBC_TUNABLES:}$settings"
}

# A thread that waits for the others of its team spins, for milliseconds by default; where another program has work for
# that core, everything takes up to twenty times as long. Some microseconds are enough.
spin_briefly() {
  [ -n "${GOMP_SPINCOUNT:-}${OMP_WAIT_POLICY:-}" ] && return
  export GOMP_SPINCOUNT=5000
}
