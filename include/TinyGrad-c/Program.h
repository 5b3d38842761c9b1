/*===- Program.h - C API of devices, buffers and programs ---------*- C -*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/**
 * \file
 * Compiles a function over tensors, in an MlirModule, for a device and runs it
 * on the caller's memory.
 *
 * **Errors.** A function that can fail returns a TinyGradError, or null if it
 * has succeeded; the caller destroys it. The message names what is at fault and
 * what would be right. Results are written to pointers that come last, null
 * after an error. A null or negative argument is an error
 * (TinyGradErrorArgument) of functions that return errors; queries then return
 * null, 0, false or TinyGradDTypeNone. No exception leaves a function of this
 * API. After an error all objects are as usable as before.
 *
 * **Ownership.** What a function creates, the caller destroys; destroying null
 * does nothing. Objects may be destroyed in any order: a buffer keeps its
 * memory, a program its code. Devices live as long as the process.
 *
 * **Threads.** All functions may be called from several threads at once, for
 * different objects. Devices, programs and errors may be shared by several
 * threads (but destroyed by one, after the last use). So may a buffer while no
 * function writes to it. A compilation uses the module's context, so it must
 * not run at the same time as other changes in that context, such as another
 * compilation.
 */

#ifndef TINYGRAD_C_PROGRAM_H
#define TINYGRAD_C_PROGRAM_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*/
/* Errors                                                                     */
/*===----------------------------------------------------------------------===*/

/** Why a function has failed. */
typedef struct TinyGradError TinyGradError;

/** Kinds of errors. */
typedef enum TinyGradErrorCode {
  /** There is no error. */
  TinyGradErrorNone = 0,
  /** An argument of the C API is null, negative or out of range. */
  TinyGradErrorArgument = 1,
  /** The number of inputs, outputs or values, or the size of one, is wrong. */
  TinyGradErrorShape = 2,
  /** An element type is wrong. */
  TinyGradErrorDType = 3,
  /** A byte range lies outside of its buffer, or an access of a kernel. */
  TinyGradErrorIndex = 4,
  /** A device is unknown, not available or of the wrong kind, or it failed. */
  TinyGradErrorDevice = 5,
  /** The host or a device has no memory left. */
  TinyGradErrorOutOfMemory = 6,
  /** The module cannot be compiled. The message has the located diagnostics. */
  TinyGradErrorCompile = 7,
  /** A file could not be read or written. */
  TinyGradErrorIo = 8,
  /** Any other error, such as an invalid environment variable. */
  TinyGradErrorOther = 9
} TinyGradErrorCode;

/** The kind of an error; TinyGradErrorNone for null. */
MLIR_CAPI_EXPORTED TinyGradErrorCode
tinygradErrorGetCode(const TinyGradError *error);
/**
 * What is wrong, as UTF-8 that the error owns; an empty string for null. May
 * have several lines.
 */
MLIR_CAPI_EXPORTED const char *
tinygradErrorGetMessage(const TinyGradError *error);
/** Destroys an error. */
MLIR_CAPI_EXPORTED void tinygradErrorDestroy(TinyGradError *error);

/*===----------------------------------------------------------------------===*/
/* Element types                                                              */
/*===----------------------------------------------------------------------===*/

/** The element type of a tensor or buffer. */
typedef enum TinyGradDType {
  /** Not known: of a buffer that may be used as any type. */
  TinyGradDTypeNone = -1,
  /** One byte that holds 0 or 1. */
  TinyGradDTypeBool = 0,
  TinyGradDTypeInt8 = 1,
  TinyGradDTypeUInt8 = 2,
  TinyGradDTypeInt16 = 3,
  TinyGradDTypeUInt16 = 4,
  TinyGradDTypeInt32 = 5,
  TinyGradDTypeUInt32 = 6,
  TinyGradDTypeInt64 = 7,
  TinyGradDTypeUInt64 = 8,
  TinyGradDTypeFloat8E4M3 = 9,
  TinyGradDTypeFloat8E5M2 = 10,
  TinyGradDTypeFloat8E4M3FNUZ = 11,
  TinyGradDTypeFloat8E5M2FNUZ = 12,
  TinyGradDTypeFloat16 = 13,
  TinyGradDTypeBFloat16 = 14,
  TinyGradDTypeFloat32 = 15,
  TinyGradDTypeFloat64 = 16
} TinyGradDType;

/** The bytes of an element; 0 for TinyGradDTypeNone. */
MLIR_CAPI_EXPORTED size_t tinygradDTypeGetSize(TinyGradDType dtype);
/** The name: "float32", "bool"; "none" for TinyGradDTypeNone. */
MLIR_CAPI_EXPORTED const char *tinygradDTypeGetName(TinyGradDType dtype);
/** The dialect's element type; null for TinyGradDTypeNone. */
MLIR_CAPI_EXPORTED MlirType tinygradDTypeGetElementType(MlirContext context,
                                                        TinyGradDType dtype);
/** The dtype of an element type; TinyGradDTypeNone if it has none. */
MLIR_CAPI_EXPORTED TinyGradDType tinygradDTypeFromElementType(MlirType type);

/*===----------------------------------------------------------------------===*/
/* Devices                                                                    */
/*===----------------------------------------------------------------------===*/

/** A device. It lives as long as the process. */
typedef struct TinyGradDevice TinyGradDevice;

/**
 * The device called `name`, such as "CPU" or "CUDA:1", which is opened on first
 * use. Null names the default device: that of the environment variable DEV,
 * else the best one that is present. The error for an unknown name lists the
 * known ones.
 */
MLIR_CAPI_EXPORTED TinyGradError *tinygradDeviceGet(const char *name,
                                                    TinyGradDevice **device);
/** The canonical name, such as "CPU". */
MLIR_CAPI_EXPORTED const char *
tinygradDeviceGetName(const TinyGradDevice *device);
/**
 * Whether the device uses host memory: addresses of its buffers are the host's,
 * and tinygradBufferCreateExternal takes the host's memory without a copy.
 */
MLIR_CAPI_EXPORTED bool
tinygradDeviceIsHostVisible(const TinyGradDevice *device);
/** Waits for everything that has been started on the device. */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradDeviceSynchronize(TinyGradDevice *device);

/*===----------------------------------------------------------------------===*/
/* Buffers                                                                    */
/*===----------------------------------------------------------------------===*/

/** A handle on memory of a device. Several handles may share memory. */
typedef struct TinyGradBuffer TinyGradBuffer;

/**
 * New memory with undefined contents. The dtype is checked where the buffer is
 * used, unless it is TinyGradDTypeNone.
 */
MLIR_CAPI_EXPORTED TinyGradError *tinygradBufferCreate(TinyGradDevice *device,
                                                       size_t bytes,
                                                       TinyGradDType dtype,
                                                       TinyGradBuffer **buffer);
/** New memory with a copy of `bytes` bytes of the host's memory at `data`. */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradBufferCreateFromHost(TinyGradDevice *device, const void *data,
                             size_t bytes, TinyGradDType dtype,
                             TinyGradBuffer **buffer);
/**
 * The host's memory at `data` itself, without a copy. It must live until the
 * last handle on it is destroyed; then `release` is called once with
 * `userData`, on any thread, unless it is null. TinyGradErrorDevice, without a
 * call of `release`, if the device does not use host memory
 * (tinygradDeviceIsHostVisible).
 */
MLIR_CAPI_EXPORTED TinyGradError *tinygradBufferCreateExternal(
    TinyGradDevice *device, void *data, size_t bytes, TinyGradDType dtype,
    void (*release)(void *userData), void *userData, TinyGradBuffer **buffer);
/**
 * A new handle on `bytes` bytes from `offset` on of a buffer.
 * TinyGradErrorIndex if it has no such bytes.
 */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradBufferCreateView(const TinyGradBuffer *base, size_t offset,
                         size_t bytes, TinyGradDType dtype,
                         TinyGradBuffer **buffer);

/** The size in bytes. */
MLIR_CAPI_EXPORTED size_t tinygradBufferGetSize(const TinyGradBuffer *buffer);
/** The dtype, or TinyGradDTypeNone. */
MLIR_CAPI_EXPORTED TinyGradDType
tinygradBufferGetDType(const TinyGradBuffer *buffer);
/** The device. */
MLIR_CAPI_EXPORTED TinyGradDevice *
tinygradBufferGetDevice(const TinyGradBuffer *buffer);
/**
 * The address in host memory, valid as long as the handle; null on a device
 * that does not use host memory. Call tinygradDeviceSynchronize before reading
 * what a program has written.
 */
MLIR_CAPI_EXPORTED void *tinygradBufferGetAddress(const TinyGradBuffer *buffer);
/**
 * Copies `bytes` bytes from the host's memory at `data` to the beginning of the
 * buffer. TinyGradErrorIndex if it has fewer.
 */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradBufferCopyIn(TinyGradBuffer *buffer, const void *data, size_t bytes);
/**
 * Copies the first `bytes` bytes to the host's memory at `data`, after what has
 * been started before. TinyGradErrorIndex if the buffer has fewer.
 */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradBufferCopyOut(const TinyGradBuffer *buffer, void *data, size_t bytes);
/** Destroys a handle. The memory is released with its last handle. */
MLIR_CAPI_EXPORTED void tinygradBufferDestroy(TinyGradBuffer *buffer);

/*===----------------------------------------------------------------------===*/
/* Compilation                                                                */
/*===----------------------------------------------------------------------===*/

/** How to compile. */
typedef struct TinyGradCompileOptions TinyGradCompileOptions;

/**
 * Options with their defaults, which come from the environment
 * (docs/runtime.md).
 */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradCompileOptionsCreate(TinyGradCompileOptions **options);
/** The function to compile; "main" by default. The name is copied. */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradCompileOptionsSetEntry(TinyGradCompileOptions *options,
                               const char *entry);
/** Do not optimize the schedules of kernels (NOOPT). */
MLIR_CAPI_EXPORTED void
tinygradCompileOptionsSetNoOptimization(TinyGradCompileOptions *options,
                                        bool value);
/** Verify the IR after every rewrite and every pass (SPEC). */
MLIR_CAPI_EXPORTED void
tinygradCompileOptionsSetVerifyEach(TinyGradCompileOptions *options,
                                    bool value);
/**
 * Check every memory access of kernels: one that is out of bounds makes the run
 * fail with TinyGradErrorIndex (SPEC=2).
 */
MLIR_CAPI_EXPORTED void
tinygradCompileOptionsSetCheckBounds(TinyGradCompileOptions *options,
                                     bool value);
/** Kernels compute with zeros in place of subnormal numbers (FTZ). */
MLIR_CAPI_EXPORTED void
tinygradCompileOptionsSetFlushSubnormals(TinyGradCompileOptions *options,
                                         bool value);
/**
 * A pass of the caller: called with the module that is compiled (a copy of the
 * one that was given) and `userData`. After a failure the compilation fails
 * with the diagnostics that were emitted.
 */
typedef MlirLogicalResult (*TinyGradModulePass)(MlirModule module,
                                                void *userData);
/**
 * Called after scheduling, when the module is at level 2; null is no call. Not
 * called for a module that comes at level 2 or 3.
 */
MLIR_CAPI_EXPORTED void
tinygradCompileOptionsSetAfterSchedule(TinyGradCompileOptions *options,
                                       TinyGradModulePass pass, void *userData);
/**
 * Called when kernels have their schedules, and the module is at level 3. Not
 * called for a module that comes at level 3.
 */
MLIR_CAPI_EXPORTED void
tinygradCompileOptionsSetAfterOptimize(TinyGradCompileOptions *options,
                                       TinyGradModulePass pass, void *userData);
/** Destroys options. */
MLIR_CAPI_EXPORTED void
tinygradCompileOptionsDestroy(TinyGradCompileOptions *options);

/** A function that is compiled for a device. */
typedef struct TinyGradProgram TinyGradProgram;

/**
 * Compiles a function of a module for a device: a graph of operations on ranked
 * tensors (level 1), or a host program with kernels (level 2, or 3 if they are
 * scheduled), whose inputs and outputs are flat buffers. What was done before
 * is not done again. The module is not changed; its context gets the dialects
 * that the compilation needs. Null `options` are the defaults.
 * TinyGradErrorCompile for everything that is invalid, unsupported or of
 * another level.
 */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradProgramCompile(MlirModule module, TinyGradDevice *device,
                       const TinyGradCompileOptions *options,
                       TinyGradProgram **program);
/** Destroys a program. The buffers that it has returned stay valid. */
MLIR_CAPI_EXPORTED void tinygradProgramDestroy(TinyGradProgram *program);

/*===----------------------------------------------------------------------===*/
/* Artifacts                                                                  */
/*===----------------------------------------------------------------------===*/

/**
 * A compiled function as plain data, which is kept in a file and run by another
 * process (docs/embedding.md). Its code is executed: load only files of those
 * whose programs you would run.
 */
typedef struct TinyGradArtifact TinyGradArtifact;

/**
 * Compiles as tinygradProgramCompile does, but for a target such as "cpu",
 * "cpu:x86-64-v3" or "cuda:sm_90", whose device need not be present.
 * TinyGradErrorCompile also for an unknown target.
 */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradArtifactCompile(MlirModule module, const char *target,
                        const TinyGradCompileOptions *options,
                        TinyGradArtifact **artifact);
/** Writes a file as a whole, or TinyGradErrorIo. */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradArtifactSave(const TinyGradArtifact *artifact, const char *path);
/**
 * Reads a file. TinyGradErrorIo, which names it, for one that is missing, no
 * artifact, of another version, cut off or damaged.
 */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradArtifactLoad(const char *path, TinyGradArtifact **artifact);
/** The same for the bytes of a file, which are copied. */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradArtifactLoadFromBytes(const void *data, size_t bytes,
                              TinyGradArtifact **artifact);
/** The target that it was compiled for, owned by the artifact. */
MLIR_CAPI_EXPORTED const char *
tinygradArtifactGetTarget(const TinyGradArtifact *artifact);
/**
 * Loads the code into a device. TinyGradErrorDevice, which says what is
 * missing, if the device cannot run it. The program does not need the artifact.
 */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradArtifactLink(const TinyGradArtifact *artifact, TinyGradDevice *device,
                     TinyGradProgram **program);
/** Destroys an artifact. */
MLIR_CAPI_EXPORTED void tinygradArtifactDestroy(TinyGradArtifact *artifact);

/*===----------------------------------------------------------------------===*/
/* What programs take                                                         */
/*===----------------------------------------------------------------------===*/

/** An input or output of a program. */
typedef struct TinyGradTensorInfo {
  TinyGradDType dtype;
  /** The number of dimensions. */
  intptr_t rank;
  /**
   * The sizes, owned by the program. Of a symbolic dimension, it is the largest
   * size: elements lie in row-major order with the strides of the largest
   * shape.
   */
  const int64_t *shape;
  /** The size of the buffer. */
  size_t bytes;
  /** Input: the program assigns to it. */
  bool isWritten;
} TinyGradTensorInfo;

/** A variable of symbolic sizes, with inclusive bounds. */
typedef struct TinyGradVariable {
  /** Owned by the program. */
  const char *name;
  int64_t min;
  int64_t max;
} TinyGradVariable;

/** The number of inputs: the arguments of the function. */
MLIR_CAPI_EXPORTED intptr_t
tinygradProgramGetNumInputs(const TinyGradProgram *program);
/** The number of outputs: the results of the function. */
MLIR_CAPI_EXPORTED intptr_t
tinygradProgramGetNumOutputs(const TinyGradProgram *program);
/** The number of variables, which are in the order of their names. */
MLIR_CAPI_EXPORTED intptr_t
tinygradProgramGetNumVariables(const TinyGradProgram *program);
/** Describes an input; returns false, and writes nothing, if there is none. */
MLIR_CAPI_EXPORTED bool tinygradProgramGetInput(const TinyGradProgram *program,
                                                intptr_t index,
                                                TinyGradTensorInfo *info);
/** Describes an output; returns false, and writes nothing, if there is none. */
MLIR_CAPI_EXPORTED bool tinygradProgramGetOutput(const TinyGradProgram *program,
                                                 intptr_t index,
                                                 TinyGradTensorInfo *info);
/** Describes a variable; returns false, and writes nothing, if there is none.
 */
MLIR_CAPI_EXPORTED bool
tinygradProgramGetVariable(const TinyGradProgram *program, intptr_t index,
                           TinyGradVariable *variable);
/**
 * Writes the sizes of an input for these values of the variables to `shape`,
 * which has room for its rank.
 */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradProgramGetInputShape(const TinyGradProgram *program, intptr_t index,
                             intptr_t numValues, const int64_t *values,
                             int64_t *shape);
/** The same for an output. */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradProgramGetOutputShape(const TinyGradProgram *program, intptr_t index,
                              intptr_t numValues, const int64_t *values,
                              int64_t *shape);

/*===----------------------------------------------------------------------===*/
/* Runs                                                                       */
/*===----------------------------------------------------------------------===*/

/**
 * Runs a program on a buffer for each input and a value for each variable, and
 * writes a new handle for each output to `outputs`, which the caller destroys;
 * nulls after an error. The program may still be running on return, see
 * tinygradDeviceSynchronize. An output may share memory with an input, where
 * the function returns one. TinyGradErrorShape for a wrong number of inputs,
 * values or outputs, a wrong size, and a value outside of its bounds;
 * TinyGradErrorDType or TinyGradErrorDevice for a buffer of the wrong type or
 * device, for one whose address is not aligned to its elements, and for one
 * that is assigned to and shares memory with another.
 */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradProgramRun(TinyGradProgram *program, intptr_t numInputs,
                   TinyGradBuffer *const *inputs, intptr_t numValues,
                   const int64_t *values, intptr_t numOutputs,
                   TinyGradBuffer **outputs);

/** Memory of the host. */
typedef struct TinyGradHostArray {
  void *data;
  /** The size of the input or output, as TinyGradTensorInfo has it. If no size
   * but the first one that is not 1 is symbolic, it may be less: as few bytes
   * as the elements of the actual shape take. */
  size_t bytes;
  /** Has to be that of the input or output, or TinyGradDTypeNone. */
  TinyGradDType dtype;
} TinyGradHostArray;

/**
 * Runs a program on memory of the host, and waits for its end. On a device that
 * uses host memory, inputs are not copied. Outputs are copied to `outputs`, at
 * the end, so that one may be the memory of an input; inputs that the program
 * assigns to are changed. Errors are those of tinygradProgramRun.
 */
MLIR_CAPI_EXPORTED TinyGradError *
tinygradProgramRunOnHost(TinyGradProgram *program, intptr_t numInputs,
                         const TinyGradHostArray *inputs, intptr_t numValues,
                         const int64_t *values, intptr_t numOutputs,
                         const TinyGradHostArray *outputs);

#ifdef __cplusplus
}
#endif

#endif /* TINYGRAD_C_PROGRAM_H */
