"""Rewriting graphs by rules."""

from __future__ import annotations

import inspect
import threading
from contextlib import ContextDecorator
from typing import Any

from tinygrad_mlir import _core
from tinygrad_mlir._core import Error, GraphNode, Tensor
from tinygrad_mlir.uop import Ops
from tinygrad_mlir.uop.ops import UOp, _check_same
from tinygrad_mlir.uop.upat import PatternMatcher, Rule

__all__ = ["REWRITE_LIMIT", "apply_patterns", "graph_rewrite", "rewrite_rules"]

# So many nodes may wait for their replacements, beyond those that a graph has.
REWRITE_LIMIT = 10_000


def describe_rule(rule: Rule | None) -> str:
    """The name of a rule's function, with its file and line."""
    if rule is None:
        return "rules for what it is computed from"
    name = getattr(rule, "__name__", repr(rule))
    try:
        file, line = inspect.getsourcefile(rule), inspect.getsourcelines(rule)[1]
    except (OSError, TypeError):
        return f"the rule {name}"
    return f"the rule {name} ({file}:{line})"


class _Rewriter:
    """One call of graph_rewrite().

    `results` has the final node for each one that is done. What replaces a node is rewritten in
    turn: `replaced` has the nodes that wait for that, each with the rule that was applied, or
    None where its sources have changed.
    """

    def __init__(self, down: PatternMatcher | None, up: PatternMatcher | None, ctx: Any) -> None:
        self.down, self.up, self.ctx = down, up, ctx
        self.results: dict[UOp, UOp] = {}
        self.replaced: dict[UOp, Rule | None] = {}
        # What is to be done: a node and what of it. Each entry finds the results of those that
        # were put above it.
        self.stack: list[tuple[str, UOp, UOp]] = []

    def apply(self, rules: PatternMatcher | None, uop: UOp, now: UOp) -> bool:
        """Whether a rule applies to a node, which is `now` with its new sources."""
        if rules is None:
            return False
        new, rule = rules.apply(now, self.ctx)
        if new is None:
            return False
        if type(new) is not UOp:
            raise TypeError(
                f"{describe_rule(rule)} returned {new!r} for {uop.op}: a rule returns a UOp, or "
                "None if it does not apply"
            )
        if new.shape != uop.shape or new.dtype is not uop.dtype:
            _check_same(uop, new, describe_rule(rule))
        self.replace(uop, new, rule)
        return True

    def replace(self, uop: UOp, new: UOp, rule: Rule | None) -> None:
        """Rewrites what replaces a node, and takes the result for the node."""
        self.replaced[uop] = rule
        self.stack += ("leave", uop, new), ("enter", new, new)
        if len(self.replaced) > self.limit:
            self.fail(f"after {len(self.replaced)} replacements, {new.op} {new.shape}", rule)

    def fail(self, what: str, rule: Rule | None) -> None:
        raise Error(f"infinite loop in graph_rewrite: {what} is rewritten by {describe_rule(rule)}")

    def rewrite(self, root: UOp) -> UOp:
        # With rules that see a node before its sources, all of them may wait.
        self.limit = REWRITE_LIMIT + 4 * len(root.toposort())
        self.stack.append(("enter", root, root))
        while self.stack:
            what, uop, now = self.stack.pop()
            if what == "leave":
                del self.replaced[uop]
                self.results[uop] = self.results[now]
                continue
            if uop in self.results:
                continue
            if what == "enter":
                if uop in self.replaced:
                    self.fail(
                        f"{uop.op} of shape {uop.shape}, which its replacement needs or is,",
                        self.replaced[uop],
                    )
                if self.apply(self.up, uop, uop):
                    continue
                self.stack.append(("rebuild", uop, uop))
                # What is assigned has no other users in the program that assigns.
                if uop.op not in (Ops.ASSIGN, Ops.AFTER):
                    self.stack.extend(("enter", x, x) for x in reversed(uop.src))
                continue
            src = uop.src
            new_src = tuple(self.results.get(x, x) for x in src)
            if new_src != src:
                now = uop.replace(src=new_src)
                if self.up is not None or now in self.results:
                    self.replace(uop, now, None)
                    continue
            if not self.apply(self.down, uop, now):
                self.results[uop] = self.results[now] = now
        return self.results[root]


def graph_rewrite(
    sink: UOp,
    pm: PatternMatcher,
    ctx: Any = None,
    bottom_up: bool = False,
    name: str | None = None,
    bpm: PatternMatcher | None = None,
) -> UOp:
    """The node after applying rules to it and all that it is computed from, until none applies.

    Rules see a node after its sources were rewritten; with `bottom_up`, before that. `bpm` has
    rules that are applied before, in addition to `pm`. `ctx` is passed to rules that ask for it.
    `name` is accepted and has no effect. What is below an assignment that has not run is left as
    it is.

    A replacement has to have the shape and dtype of what it replaces: otherwise a ShapeError or
    DTypeError names the rule and both nodes. Rules that never come to an end raise an Error, a
    rule that returns something else a TypeError.
    """
    if type(sink) is not UOp:
        raise TypeError(f"graph_rewrite() takes a UOp, such as x.uop, not a {type(sink).__name__}")
    for rules in (pm,) if bpm is None else (pm, bpm):
        if not isinstance(rules, PatternMatcher):
            raise TypeError(f"graph_rewrite() takes a PatternMatcher, not a {type(rules).__name__}")
    return _Rewriter(None if bottom_up else pm, pm if bottom_up else bpm, ctx).rewrite(sink)


def apply_patterns(patterns: str, *tensors: Tensor, name: str = "patterns") -> None:
    """Rewrites what tensors are computed by with patterns of MLIR's dialect `pdl`, given as text,
    until none matches: `pdl.pattern` operations over operations of the dialect `tg`.

    MLIR compiles and runs the patterns; no Python is called. They have to keep values and types.
    All tensors on the way to those given get the rewritten operations, and gradients are those of
    them. Memory, assignments that have not run, and values of with_gradient() with what they are
    computed by stay as they are. Nothing is computed.

    Raises a CompileError with the line and column, in a text called `name`, for what cannot be
    parsed or is no pattern, for results that are invalid or of another type, and for patterns that
    never end. The tensors are as before then.
    """
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise TypeError(f"apply_patterns() takes Tensors, not {tensor!r}")
    _core.apply_patterns(list(tensors), patterns, name)


class rewrite_rules(ContextDecorator):
    """Rules for all that this thread computes within a `with` statement or a decorated function.

    Before a graph is scheduled, the nodes of the tensors that are to be realized, and of what is
    assigned on the way there, are rewritten as by graph_rewrite(). The rewritten graph is what is
    compiled, cached and differentiated; so the rules have to keep values. Of nested statements,
    the rules of the inner one are applied first. Rules run with Python's lock, before the lock of
    the graph is taken; what they realize is not rewritten. Functions captured by TinyJit are
    rewritten when they are captured.

    Instead of a PatternMatcher, `pm` may be the text of patterns for apply_patterns().

    An error of a rule, of graph_rewrite() or apply_patterns(), is raised by `realize()` or what else asks for
    values.
    """

    def __init__(self, pm: PatternMatcher | str, ctx: Any = None, bottom_up: bool = False) -> None:
        if not isinstance(pm, (PatternMatcher, str)):
            raise TypeError(
                "rewrite_rules() takes a PatternMatcher or the text of patterns, not a "
                f"{type(pm).__name__}"
            )
        self.pm, self.ctx, self.bottom_up = pm, ctx, bottom_up

    def _rewrite(self, node: GraphNode) -> GraphNode:
        # The scopes at the time of the call: they may have been entered in any order.
        uop = UOp.of(node)
        for scope in reversed(_scopes.active):
            if isinstance(scope.pm, str):
                tensor = Tensor(uop)
                apply_patterns(scope.pm, tensor)
                uop = UOp.of(_core.GraphNode(tensor))
            else:
                uop = graph_rewrite(uop, scope.pm, scope.ctx, scope.bottom_up)
        return uop.node

    def __enter__(self) -> rewrite_rules:
        _scopes.active.append(self)
        _core.push_rewrite(self._rewrite)
        return self

    def __exit__(self, *exception: Any) -> None:
        _core.pop_rewrite()
        _scopes.active.pop()


class _Scopes(threading.local):
    """The rules of a thread, innermost last."""

    def __init__(self) -> None:
        self.active: list[rewrite_rules] = []


_scopes = _Scopes()
