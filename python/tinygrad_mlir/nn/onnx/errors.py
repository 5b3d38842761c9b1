"""What is raised for models and their inputs."""

__all__ = ["OnnxError", "UnsupportedOnnxError"]


class OnnxError(RuntimeError, ValueError):
    """A model that is not valid, or inputs that do not fit it."""


class UnsupportedOnnxError(OnnxError, NotImplementedError):
    """A model that uses something which this package does not have."""
