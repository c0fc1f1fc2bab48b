#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace softscope {

/// An error that the user can act on. The message is one sentence that says what is wrong and, if
/// something can be done about it, what to do. Core throws these; app shows them once, as a banner
/// or as a line on stderr.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that cannot be opened, read or written.
class FileError : public Error {
 public:
  FileError(const std::string& path, const std::string& reason) : Error(path + ": " + reason) {}
};

/// A checkpoint whose bytes are damaged or are not a checkpoint.
class CheckpointError : public FileError {
 public:
  using FileError::FileError;
};

/// A picture that cannot be decoded.
class PictureError : public FileError {
 public:
  using FileError::FileError;
};

/// A folder that is not a data set for training or evaluation.
class DataSetError : public FileError {
 public:
  using FileError::FileError;
};

/// Weights that fit no known network, or lack something that the network needs.
class ModelError : public Error {
 public:
  using Error::Error;
};

/// A question the model or the map cannot answer: no such layer, an input it cannot take, a matrix
/// too large for its budget.
class InspectionError : public Error {
 public:
  using Error::Error;
};

/// Work that does not fit in memory.
class MemoryError : public InspectionError {
 public:
  using InspectionError::InspectionError;
};

/// Work that does not fit in a GPU's memory but may fit in the CPU's.
class GpuMemoryError : public MemoryError {
 public:
  using MemoryError::MemoryError;
};

/// The part of the program that runs networks is missing.
class EngineError : public Error {
 public:
  using Error::Error;
};

/// A compute device that does not exist.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// A training run that cannot continue, or not as requested.
class TrainingError : public Error {
 public:
  using Error::Error;
};

/// Work that stopped because cancellation was requested.
class Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled") {}
};

/// Returns what to tell people about an error: its message, or a sentence if it has none, as for a
/// lack of memory.
std::string sentenceOf(const std::exception& error);

/// A fault of a compute device or of a library, which says nothing about the input: the same work
/// may succeed once the program or the device has been started again. It is no InspectionError, so
/// that nothing takes it for an answer.
class ComputeError : public Error {
 public:
  using Error::Error;
};

}  // namespace softscope
