#pragma once

#include <stdexcept>
#include <string>

namespace softscope {

/// Something the user can act on. The message is one sentence that names what is wrong and, where
/// there is something to do about it, what to do. Core throws these; app shows them once, as a
/// banner or as a line on stderr.
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

/// A folder that is no data set to train on or to evaluate with.
class DataSetError : public FileError {
 public:
  using FileError::FileError;
};

/// Weights that fit no known network, or lack something the network needs.
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

/// Work that does not fit in a GPU's memory, and may in the CPU's.
class GpuMemoryError : public MemoryError {
 public:
  using MemoryError::MemoryError;
};

/// The part of the program that runs networks is not there.
class EngineError : public Error {
 public:
  using Error::Error;
};

/// A compute device that is not there.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// A training that cannot go on, or not as it was asked to.
class TrainingError : public Error {
 public:
  using Error::Error;
};

/// Work that stopped because it was asked to.
class Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled") {}
};

}  // namespace softscope
