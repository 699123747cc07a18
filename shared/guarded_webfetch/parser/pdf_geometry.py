"""Boxes and transformations on a PDF page, in page units: y grows upwards."""

from typing import NamedTuple

Affine = tuple[float, float, float, float, float, float]  # x' = a x + c y + e, y' = b x + d y + f


class Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float

    def area(self) -> float:
        return max(0.0, self.right - self.left) * max(0.0, self.top - self.bottom)

    def common(self, other: "Box") -> "Box":
        """The common part; its area is 0 when there is none."""
        return Box(
            max(self.left, other.left),
            max(self.bottom, other.bottom),
            min(self.right, other.right),
            min(self.top, other.top),
        )

    def apart(self, other: "Box") -> bool:
        return self.right < other.left or other.right < self.left or self.top < other.bottom or other.top < self.bottom


def multiply(inner: Affine, outer: Affine | None) -> Affine:
    """First `inner`, then `outer`."""
    if outer is None:
        return inner
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def place(box: Box, outer: Affine | None) -> Box:
    """The box around `box` where `outer` puts it."""
    if outer is None:
        return box
    a, b, c, d, e, f = outer
    corners = [(x, y) for x in (box.left, box.right) for y in (box.bottom, box.top)]
    xs = [a * x + c * y + e for x, y in corners]
    ys = [b * x + d * y + f for x, y in corners]
    return Box(min(xs), min(ys), max(xs), max(ys))
