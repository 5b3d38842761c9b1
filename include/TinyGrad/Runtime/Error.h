//===- Error.h - exceptions of the runtime and the tensor API ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The exceptions that reach a user of the runtime and of the tensor API. All
/// of them derive from tinygrad::Error, so one handler catches everything this
/// project throws on purpose. Texts name the thing at fault: the shape, the
/// dtype, the file, the device. After an exception every object involved is
/// still usable.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_ERROR_H
#define TINYGRAD_RUNTIME_ERROR_H

#include <cstddef>
#include <stdexcept>
#include <string>

namespace tinygrad {

/// Root of all exceptions thrown on purpose by this project. Thrown itself for
/// mistakes that fit none of the classes below, such as an environment
/// variable that is not a number.
class Error : public std::runtime_error {
public:
  explicit Error(const std::string &message) : std::runtime_error(message) {}
  ~Error() override;
};

/// Shapes, sizes or axes do not fit each other.
class ShapeError : public Error {
public:
  using Error::Error;
  ~ShapeError() override;
};

/// An element type is not accepted by an operation, or two types differ where
/// they must agree.
class DTypeError : public Error {
public:
  using Error::Error;
  ~DTypeError() override;
};

/// An index, a slice or a byte range lies outside of what it indexes.
class IndexError : public Error {
public:
  using Error::Error;
  ~IndexError() override;
};

/// A device is unknown, not available, of the wrong kind, or failed.
class DeviceError : public Error {
public:
  using Error::Error;
  ~DeviceError() override;
};

/// A device has no memory for an allocation, even after its cached memory was
/// freed.
class OutOfMemoryError : public DeviceError {
public:
  /// \p bytesAsked is 0 if it is not an allocation that failed; \p bytesInUse
  /// is the size of all live buffers of \p deviceName; \p reason names the
  /// limit that was reached and may be empty.
  OutOfMemoryError(const std::string &deviceName, std::size_t bytesAsked,
                   std::size_t bytesInUse, const std::string &reason);
  ~OutOfMemoryError() override;

  std::size_t bytesAsked() const { return asked; }
  std::size_t bytesInUse() const { return inUse; }

private:
  std::size_t asked;
  std::size_t inUse;
};

/// A kernel could not be compiled, linked or loaded.
class CompileError : public Error {
public:
  using Error::Error;
  ~CompileError() override;
};

/// A file is missing, unreadable, malformed, or cannot be written.
class IoError : public Error {
public:
  using Error::Error;
  ~IoError() override;
};

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_ERROR_H
