//===- OwnDeclarations.cpp - clang-tidy beside a precompiled header -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A plugin of clang-tidy, which the suite `tidy` compiles and loads. Checks
/// ask for parents of a node, for which Clang looks at every declaration that
/// it traverses, and so reads a precompiled header whole; this takes longer
/// than compiling without one. Here only the declarations outside of system
/// headers are traversed, about which alone clang-tidy says something. The
/// headers that are precompiled are all of the system.
///
//===----------------------------------------------------------------------===//

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclGroup.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include <memory>
#include <string>
#include <vector>

using namespace clang;

namespace {
/// Sets the scope of traversals, before clang-tidy's own consumer begins.
class OwnDeclarations : public ASTConsumer {
public:
  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (Decl *declaration : group) {
      const SourceManager &sources =
          declaration->getASTContext().getSourceManager();
      SourceLocation location =
          sources.getExpansionLoc(declaration->getLocation());
      if (!sources.isInSystemHeader(location))
        declarations.push_back(declaration);
    }
    return true;
  }

  void HandleTranslationUnit(ASTContext &context) override {
    context.setTraversalScope(declarations);
  }

private:
  std::vector<Decl *> declarations;
};

class OwnDeclarationsAction : public PluginASTAction {
protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &,
                                                 StringRef) override {
    return std::make_unique<OwnDeclarations>();
  }
  bool ParseArgs(const CompilerInstance &,
                 const std::vector<std::string> &) override {
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }
};
} // namespace

static FrontendPluginRegistry::Add<OwnDeclarationsAction>
    registered("own-declarations", "traverses no declarations of systems");
