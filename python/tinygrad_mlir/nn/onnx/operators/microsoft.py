"""Operators that ONNX Runtime adds to the standard, of the domain com.microsoft."""
