#pragma once

#include <cstddef>
#include <cstdint>

/// What libFuzzer, or Replay.cpp, calls with each input. Every target is a file that defines it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
