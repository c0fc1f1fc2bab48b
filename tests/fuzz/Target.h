#pragma once

#include <cstddef>
#include <cstdint>

/// libFuzzer, or Replay.cpp, calls this with each input. Every target is a file that defines it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
