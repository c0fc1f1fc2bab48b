#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

/// libFuzzer's own mutation, which a mutator that knows the structure calls for a part of it.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace softscope::fuzz {

using Random = std::minstd_rand;

/// `text` as libFuzzer would change it, at most `most` bytes of it.
std::string mutated(std::string text, std::size_t most);

/// Writes `text` over the input if it fits, and says how long the input is now.
std::size_t store(const std::string& text, std::uint8_t* data, std::size_t size, std::size_t most);

/// A pickle with an instruction, or a few that belong together, put in or taken out somewhere; or
/// changed as bytes.
std::string mutatedPickle(const std::string& pickle, Random& random, std::size_t most);

/// Little-endian numbers.
std::string numberBytes(std::uint64_t value, std::size_t count);
std::uint64_t numberAt(const std::string& bytes, std::size_t offset, std::size_t count);

}  // namespace softscope::fuzz
