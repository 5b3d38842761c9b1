"""Models in ONNX's format: reading, calling, errors; values of operators are compared with NumPy."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper, parser
from tinygrad_mlir import JitError, Tensor, TinyJit, dtypes
from tinygrad_mlir.nn import state
from tinygrad_mlir.nn.onnx import OnnxError, OnnxRunner, UnsupportedOnnxError, from_onnx


def parse(text, opset=21, **domains):
    """A model of a graph in ONNX's text form."""
    imports = "".join(f', "{name}" : {version}' for name, version in domains.items())
    header = f'<ir_version: 8, opset_import: ["" : {opset}{imports}]>'
    return parser.parse_model(f"{header}\n{text}")


LINEAR = """
agraph (float[N, 3] x, float[N, 2] y) => (float[N, 2] z)
<float[3, 2] w = {1, 2, 3, 4, 5, 6}> { p = MatMul(x, w)  z = Add(p, y) }
"""


def test_runner_has_names():
    runner = OnnxRunner(parse(LINEAR))
    x, y = np.ones((4, 3), np.float32), np.zeros((4, 2), np.float32)
    results = runner({"x": Tensor(x), "y": y})
    assert list(results) == ["z"]
    assert results["z"].tolist() == [[9, 12]] * 4
    assert runner.graph_inputs["x"].shape == ("N", 3)
    assert runner.graph_inputs["x"].dtype == dtypes.float32
    assert runner.graph_outputs == ("z",)
    assert runner.opsets == {"": 21}


def test_function_has_positions_and_names():
    function = from_onnx(parse(LINEAR))
    x, y = Tensor.ones(1, 3), Tensor.ones(1, 2)
    assert function.input_names == ("x", "y")
    assert function(x, y).tolist() == function(x, y=y).tolist() == [[10, 13]]
    with pytest.raises(TypeError, match="2 inputs"):
        function(x, y, y)
    with pytest.raises(TypeError, match="twice"):
        function(x, x=x)


def test_several_outputs_are_a_tuple():
    function = from_onnx(parse("g (float[2] x) => (float[2] a, float[2] b) {a=Neg(x) b=Abs(x)}"))
    a, b = function([1.0, -2.0])
    assert a.tolist() == [-1, 2] and b.tolist() == [1, 2]


@pytest.mark.parametrize("kind", [str, lambda path: path, lambda path: path.read_bytes(), Tensor])
def test_files(tmp_path, kind):
    path = tmp_path / "model.onnx"
    onnx.save(parse(LINEAR), path)
    assert from_onnx(kind(path))(Tensor.ones(1, 3), Tensor.zeros(1, 2)).tolist() == [[9, 12]]


def test_external_data(tmp_path):
    values = np.random.default_rng(0).standard_normal((100, 80)).astype(np.float32)
    model = parse("g (float[1,100] x) => (float[1,80] y) <float[1] w={0}> {y=MatMul(x,w)}")
    model.graph.initializer[0].CopyFrom(numpy_helper.from_array(values, "w"))
    path = tmp_path / "model.onnx"
    onnx.save(model, path, save_as_external_data=True, location="data", size_threshold=0)
    assert (tmp_path / "data").stat().st_size >= values.nbytes
    x = np.ones((1, 100), np.float32)
    np.testing.assert_allclose(from_onnx(path)(x).numpy(), x @ values, rtol=1e-4, atol=1e-4)
    proto = onnx.load(path, load_external_data=False)
    assert from_onnx(proto, base_dir=tmp_path)(x).shape == (1, 80)
    (tmp_path / "data").unlink()
    with pytest.raises(OnnxError, match="tensor 'w'"):
        from_onnx(path)


def test_no_model(tmp_path):
    with pytest.raises(OSError):
        OnnxRunner(tmp_path / "none.onnx")
    path = tmp_path / "wrong.onnx"
    path.write_bytes(b"no model")
    with pytest.raises(OnnxError, match=r"wrong\.onnx"):
        OnnxRunner(path)


def test_inputs_that_do_not_fit():
    runner = OnnxRunner(parse(LINEAR))
    x, y = Tensor.ones(4, 3), Tensor.ones(4, 2)
    with pytest.raises(OnnxError, match="'y' is missing"):
        runner({"x": x})
    with pytest.raises(OnnxError, match=r"no input is named 'v'.*\['x', 'y'\]"):
        runner({"x": x, "v": y})
    with pytest.raises(OnnxError, match=r"'x' has the shape \(4, 2\), not \('N', 3\)"):
        runner({"x": y, "y": y})
    with pytest.raises(OnnxError, match="'N' is 4"):
        runner({"x": x, "y": Tensor.ones(3, 2)})
    with pytest.raises(OnnxError, match="'x' is None"):
        runner({"x": None, "y": y})
    with pytest.warns(UserWarning, match="'x' is of dtypes.int"):
        runner({"x": x.int(), "y": y})
    with pytest.warns(
        UserWarning, match="'x' is of dtypes.double, the model's of dtypes.float"
    ) as w:
        runner({"x": np.ones((4, 3)), "y": y})
    assert w[0].filename == __file__
    with pytest.raises(TypeError, match="inputs are a dict of values by name, not a list"):
        runner([x, y])
    for wrong in [object(), [[1, 2, 3], [4]], np.array([["a", "b", "c"]])]:
        with pytest.raises(OnnxError, match="^input 'x': "):
            runner({"x": wrong, "y": y})


def test_integers_are_not_made_of_other_numbers():
    runner = OnnxRunner(parse("f (int64[2] x) => (int64[2] y) { y = Identity(x) }"))
    assert runner({"x": [1, 2]})["y"].tolist() == [1, 2]
    for wrong in [[1.5, 2.0], np.array([1.5, 2.0]), ["a", "b"]]:
        with pytest.raises(OnnxError, match="input 'x': .* cannot become dtypes.long"):
            runner({"x": wrong})


def test_malformed_models():
    with pytest.raises(TypeError, match="not an object of type int"):
        OnnxRunner(3)
    with pytest.raises(OnnxError, match="the model has no graph"):
        OnnxRunner(b"")
    model = parse(LINEAR)
    model.graph.initializer.append(helper.make_tensor("k", TensorProto.FLOAT, [6], [1.0] * 6))
    model.graph.initializer[-1].dims[:] = [-3, 2]
    with pytest.raises(OnnxError, match="tensor 'k' has the negative size -3"):
        OnnxRunner(model)
    endless = parser.parse_model("""
      <ir_version: 8, opset_import: ["" : 21, "own" : 1]> f (float[2] x) => (float[2] y) { y = own.g(x) }
      <domain: "own", opset_import: ["" : 21, "own" : 1]> g (a) => (b) { b = own.g(a) }
    """)
    with pytest.raises(OnnxError, match="functions call each other without an end"):
        OnnxRunner(endless)({"x": Tensor.ones(2)})


def test_unknown_operators():
    with pytest.raises(UnsupportedOnnxError) as error:
        OnnxRunner(parse("g (float[2] x) => (float[2] y) {[first] y=Rellu(x)}"))
    for part in ("'Rellu'", "ai.onnx", "opset 21", "'first'", "'Relu'"):
        assert part in str(error.value)
    assert isinstance(error.value, NotImplementedError)
    with pytest.raises(
        UnsupportedOnnxError, match="'StringConcat' of the domain 'ai.onnx', opset 20"
    ):
        OnnxRunner(parse("g (float[2] x) => (float[2] y) {y=StringConcat(x, x)}", 20))
    with pytest.raises(OnnxError, match="'own', which the model does not import"):
        OnnxRunner(parse("g (float[2] x) => (float[2] y) {y=own.Relu(x)}"))


def test_attributes_and_inputs_that_do_not_exist():
    with pytest.raises(UnsupportedOnnxError, match=r"no attribute 'alfa', but \['alpha'\]"):
        OnnxRunner(parse("g (float[2] x) => (float[2] y) {y=LeakyRelu<alfa=0.1>(x)}"))
    with pytest.raises(UnsupportedOnnxError, match="it has 1 inputs, not 2 to 2"):
        OnnxRunner(parse("g (float[2] x) => (float[2] y) {y=Add(x)}"))
    with pytest.raises(UnsupportedOnnxError, match="not of this opset anymore"):
        OnnxRunner(parse("g (float[2] x, float[1] s) => (float[2] y) {y=Upsample(x, s)}", 10))


def test_strings_are_refused():
    with pytest.raises(UnsupportedOnnxError, match="input 'x': elements of the type STRING"):
        OnnxRunner(parse("g (string[2] x) => (string[2] y) {y=Identity(x)}"))


def test_errors_name_the_node():
    runner = OnnxRunner(parse("g (float[N] x, float[M] y) => (float[N] z) {[sum] z=Add(x, y)}"))
    with pytest.raises(ValueError) as error:
        runner({"x": Tensor.ones(2), "y": Tensor.ones(3)})
    assert "node 'sum'" in error.value.__notes__[0]


def test_missing_package(tmp_path):
    (tmp_path / "onnx.py").write_text("raise ImportError('none')")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import tinygrad_mlir.nn.onnx"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError" in result.stderr and "pip install onnx" in result.stderr


def test_opsets_differ():
    by_attribute = "g (float[2,3] x) => (float[N] y) {y=ReduceSum<axes=[1], keepdims=0>(x)}"
    by_input = """g (float[2,3] x) => (float[N] y)
    <int64[1] axes = {1}> {y=ReduceSum<keepdims=0>(x, axes)}"""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for text, opset in ((by_attribute, 11), (by_input, 13)):
        assert from_onnx(parse(text, opset))(x).tolist() == [3, 12]
    softmax = "g (float[2,3] x) => (float[2,3] y) {y=Softmax<axis=0>(x)}"
    assert from_onnx(parse(softmax, 11))(x).numpy().sum() == pytest.approx(1)
    assert from_onnx(parse(softmax, 13))(x).numpy().sum() == pytest.approx(3)


SHAPES = """
g (float[B, T, 4] x) => (float[B, M] y) <int64[1] zero = {0}, int64[1] last = {-1}> {
  s = Shape(x)
  b = Gather(s, zero)
  t = Concat<axis=0>(b, last)
  y = Reshape(x, t)
}"""


def test_shapes_are_known_to_a_jit():
    function = from_onnx(parse(SHAPES))
    captured = TinyJit(lambda x: function(x) * 2)
    for i in range(4):
        assert captured(Tensor.full((2, 3, 4), float(i)).realize()).tolist() == [[2 * i] * 12] * 2
    assert function(Tensor.ones(5, 2, 4)).shape == (5, 8)


def test_a_jit_refuses_sizes_that_are_computed():
    function = from_onnx(parse("g (float[4] x, int64[2] s) => (float[N,M] y) {y=Reshape(x, s)}"))
    x, sizes = Tensor.ones(4).realize(), Tensor([2, 2], dtype=dtypes.int64).realize()
    assert function(x, sizes).shape == (2, 2)
    captured = TinyJit(lambda x, s: function(x, s) + 1)
    captured(x, sizes)
    with pytest.raises(JitError):
        captured(x, sizes)
    known = TinyJit(lambda x: function(x, [4, 1]) + 1)
    assert [known(x).shape for _ in range(3)] == [(4, 1)] * 3


IF = """
g (bool c, float[2] x) => (float[2] y) {
  y = If (c) <
    then_branch = a () => (float[2] u) {u = Neg(x)},
    else_branch = b () => (float[2] v) {v = Add(x, x)}
  >
}"""


def test_if():
    function = from_onnx(parse(IF))
    assert function(Tensor(True), [1.0, 2.0]).tolist() == [-1, -2]
    assert function(Tensor(False), [1.0, 2.0]).tolist() == [2, 4]
    captured = TinyJit(function.__call__)
    x = Tensor([1.0, 2.0]).realize()
    for c in (True, False, True, False):
        expected = [-1, -2] if c else [2, 4]
        assert captured(Tensor(c).contiguous().realize(), x).tolist() == expected


LOOP = """
g (int64 n, float[2] x) => (float[2] y, float[N, 2] all) <bool go = {1}> {
  y, all = Loop (n, go, x) <body = b (int64 i, bool c, float[2] v)
    => (bool d, float[2] w, float[2] row) {
      d = Identity(c)
      w = Add(v, x)
      row = Identity(w)
    }>
}"""


def test_loop():
    function = from_onnx(parse(LOOP))
    y, rows = function(3, [1.0, 2.0])
    assert y.tolist() == [4, 8] and rows.tolist() == [[2, 4], [3, 6], [4, 8]]
    y, rows = function(0, [1.0, 2.0])
    assert y.tolist() == [1, 2] and rows.shape == (0, 2)


FUNCTION = """
<ir_version: 8, opset_import: ["" : 21, "own" : 1]>
g (float[2] x) => (float[2] y) { y = own.twice<by = 3.0>(x) }
<domain: "own", opset_import: ["" : 21]>
twice <by> (a) => (b) { c = Constant<value_float: float = @by>()  d = Mul(a, c)  b = Add(d, d) }
"""


def test_functions_of_a_model():
    assert from_onnx(parser.parse_model(FUNCTION))([1.0, 2.0]).tolist() == [6, 12]


def test_sequences_and_optional_values():
    text = """g (seq(float[N]) s) => (float[M] y, seq(float[N]) t) <int64 one = {1}, float[1] e = {7}>
    { t = SequenceInsert(s, e, one)  y = ConcatFromSequence<axis=0>(t) }"""
    y, t = from_onnx(parse(text))([[1.0, 2.0], [3.0]])
    assert y.tolist() == [1, 2, 7, 3] and [part.tolist() for part in t] == [[1, 2], [7], [3]]


def test_int4_weights():
    array = np.array([[-8, 7, 1], [2, -3, 0]])
    weight = helper.make_tensor("w", TensorProto.INT4, [2, 3], array.flatten())
    model = parse("""g (float[1,2] x) => (float[1,3] y) <float s = {0.5}, float[1] w = {0}>
    {d=DequantizeLinear(w, s) y=MatMul(x, d)}""")
    model.graph.initializer[1].CopyFrom(weight)
    assert from_onnx(model)([[1.0, 10.0]]).tolist() == [[6, -11.5, 0.5]]
    bad = parse("g (int4[2] x) => (int4[2] y) {y=Relu(x)}")
    with pytest.raises(UnsupportedOnnxError, match="INT4"):
        from_onnx(bad)([1, 2])


def test_weights_can_be_trained():
    function = from_onnx(parse(LINEAR))
    assert list(function.weights) == ["w"]
    weight = function.weights["w"]
    loss = function(Tensor.ones(1, 3), Tensor.zeros(1, 2)).sum()
    (gradient,) = loss.gradient(weight)
    assert gradient.tolist() == [[1, 1]] * 3
    weight.assign(weight * 0)
    assert function(Tensor.ones(1, 3), Tensor.zeros(1, 2)).tolist() == [[0, 0]]
    assert any("w" in name for name in state.get_state_dict(function.runner))


DEVICES = """
g (float[2,3] x) => (float[2,2] z) <float[3, 2] w = {1, 2, 3, 4, 5, 6}, float s = {0.5}> {
  p = MatMul(x, w)
  q = Mul(p, s)
  c = Constant<value_floats = [1.0, 2.0]>()
  n = Constant<value_int = 2>()
  o = Constant<value_int = 1>()
  r = Range(o, n, o)
  f = Cast<to = 1>(r)
  u = Add(q, c)
  z = Add(u, f)
}"""


def test_models_move_to_devices():
    runner = OnnxRunner(parse(DEVICES))
    x = np.ones((2, 3), np.float32)
    expected = [[6.5, 9.0]] * 2
    assert runner({"x": x})["z"].tolist() == expected
    result = runner.to("SIM")({"x": x})["z"]
    assert result.device == runner.weights["w"].device == "SIM"
    assert result.tolist() == expected
    assert runner({"x": Tensor(x, device="SIM")})["z"].tolist() == expected
    assert runner.to("CPU")({"x": Tensor(x, device="CPU")})["z"].tolist() == expected


def test_initial_values_may_be_given():
    text = "g (float[2] x, float[2] w = {3, 4}) => (float[2] y) {y=Mul(x, w)}"
    runner = OnnxRunner(parse(text, 9))
    assert list(runner.graph_inputs) == ["x"]
    assert runner({"x": [1.0, 2.0]})["y"].tolist() == [3, 8]
    assert runner({"x": [1.0, 2.0], "w": [1.0, 1.0]})["y"].tolist() == [1, 2]


def test_debug_prints_nodes(capsys):
    OnnxRunner(parse(LINEAR))({"x": Tensor.ones(1, 3), "y": Tensor.ones(1, 2)}, debug=1)
    assert capsys.readouterr().out.splitlines() == [
        "0: MatMul([1, 3], constant [3, 2])",
        "1: Add([1, 2], [1, 2])",
    ]


def test_no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        from_onnx(parse(LINEAR))(Tensor.ones(1, 3), Tensor.ones(1, 2)).realize()


def test_max_roi_pool():
    text = """g (float[1,1,4,6] x, float[2,5] r) => (float[2,1,2,2] y)
    {y=MaxRoiPool<pooled_shape=[2,2], spatial_scale=0.5>(x, r)}"""
    x = np.arange(24, dtype=np.float32).reshape(1, 1, 4, 6)
    regions = np.array([[0, 0, 0, 6, 6], [0, 8, 4, 30, 30]], np.float32)
    y = from_onnx(parse(text))(x, regions).numpy()
    # Columns 0 to 3 and rows 0 to 3; then columns 4 to 15 and rows 2 to 15, of which most are out.
    assert y.tolist() == [[[[7, 9], [19, 21]]], [[[23, 0], [0, 0]]]]


def test_large_constants_of_any_type():
    for dtype in (np.float16, np.float64, np.int32, np.uint8, np.bool_):
        array = (np.arange(6000) % 2).astype(dtype)
        model = parse(
            "g (int64[1] i) => (float[1] y) <float[1] w={0}> {v=Gather(w, i) y=Cast<to=1>(v)}"
        )
        model.graph.initializer[0].CopyFrom(numpy_helper.from_array(array, "w"))
        index = Tensor([4001], dtype=dtypes.int64)
        assert from_onnx(model)(index).tolist() == [1]
