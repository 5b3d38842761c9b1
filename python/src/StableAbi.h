//===- StableAbi.h - macros that Python's stable ABI lacks ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One wheel serves all versions of Python from 3.12 on, by its stable ABI. In
/// place of the macros that read fields of objects, that has functions, which
/// check their arguments.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_PYTHON_STABLEABI_H
#define TINYGRAD_PYTHON_STABLEABI_H

#include <nanobind/nanobind.h>

#ifdef Py_LIMITED_API
#define PyBytes_AS_STRING PyBytes_AsString
#define PyBytes_GET_SIZE PyBytes_Size
#define PyFloat_AS_DOUBLE PyFloat_AsDouble
#define PyList_GET_ITEM PyList_GetItem
#define PyList_GET_SIZE PyList_Size
#define PyList_SET_ITEM PyList_SetItem
#define PyTuple_GET_ITEM PyTuple_GetItem
#define PyTuple_GET_SIZE PyTuple_Size
#define PyTuple_SET_ITEM PyTuple_SetItem
#endif

#endif // TINYGRAD_PYTHON_STABLEABI_H
