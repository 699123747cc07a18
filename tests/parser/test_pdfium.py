"""The hand-written bindings against the generated ones of the installed pypdfium2."""

import ctypes

import pytest

from guarded_webfetch.parser import pdfium


def _size(kind):
    return 0 if kind is None else ctypes.sizeof(kind)


@pytest.mark.parametrize("name", pdfium.SIGNATURES)
def test_signature_is_that_of_the_generated_bindings(name):
    bindings = pytest.importorskip("pypdfium2_raw.bindings")
    result, arguments = pdfium.SIGNATURES[name]
    generated = getattr(bindings, name)
    assert [_size(kind) for kind in arguments] == [_size(kind) for kind in generated.argtypes]
    assert _size(result) == _size(generated.restype)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (pdfium.LibraryConfig, "FPDF_LIBRARY_CONFIG"),
        (pdfium.Matrix, "FS_MATRIX"),
        (pdfium.RectF, "FS_RECTF"),
        (pdfium.Pause, "IFSDK_PAUSE"),
    ],
)
def test_structures_lie_as_in_the_generated_bindings(ours, theirs):
    generated = getattr(pytest.importorskip("pypdfium2_raw.bindings"), theirs)
    offsets = [getattr(ours, field[0]).offset for field in ours._fields_]
    assert offsets == [getattr(generated, field[0]).offset for field in generated._fields_][: len(offsets)]
