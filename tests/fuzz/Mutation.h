#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

/// libFuzzer's own mutation, which a structure-aware mutator calls for a part of the input.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace softscope::fuzz {

using Random = std::minstd_rand;

/// Returns `text` as libFuzzer would change it, with at most `most` bytes.
std::string mutated(std::string text, std::size_t most);

/// Writes `text` over the input if it fits, and returns the input's new length.
std::size_t store(const std::string& text, std::uint8_t* data, std::size_t size, std::size_t most);

/// Returns a pickle with an instruction, or a few related ones, inserted or removed somewhere; or
/// changed as bytes.
std::string mutatedPickle(const std::string& pickle, Random& random, std::size_t most);

/// Returns a number as `count` bytes in little-endian order.
std::string numberBytes(std::uint64_t value, std::size_t count);
std::uint64_t numberAt(const std::string& bytes, std::size_t offset, std::size_t count);

}  // namespace softscope::fuzz
