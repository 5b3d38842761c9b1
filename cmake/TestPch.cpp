//===- TestPch.cpp - owner of the precompiled header of tests -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A precompiled header belongs to a target, and a target has a source.
///
//===----------------------------------------------------------------------===//
