"""The few pdfium functions the PDF reader needs, bound straight to the library that pypdfium2 ships.

The generated bindings of pypdfium2 declare 450 functions and load subprocess, tempfile and urllib on the way: 45 ms of
CPU for every PDF, against 7 ms here. A test compares every signature below with those generated bindings.
"""

import ctypes
import importlib.util
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_float, c_int, c_size_t, c_uint, c_ulong
from ctypes import c_void_p as handle
from functools import cache
from pathlib import Path
from typing import Any, Final

_INT = POINTER(c_int)
_UINT = POINTER(c_uint)
_FLOAT = POINTER(c_float)
_DOUBLE = POINTER(c_double)
_ULONG = POINTER(c_ulong)


class LibraryConfig(Structure):
    """FPDF_LIBRARY_CONFIG, version 2."""

    _fields_ = (("version", c_int), ("font_paths", handle), ("isolate", handle), ("v8_slot", c_uint))


class Matrix(Structure):
    """FS_MATRIX: x' = a x + c y + e, y' = b x + d y + f."""

    _fields_ = tuple((name, c_float) for name in "abcdef")


class RectF(Structure):
    """FS_RECTF in page units; top is above bottom."""

    _fields_ = tuple((name, c_float) for name in ("left", "top", "right", "bottom"))


class Quad(Structure):
    """FS_QUADPOINTSF: four corners in page units."""

    _fields_ = tuple((name, c_float) for name in ("x1", "y1", "x2", "y2", "x3", "y3", "x4", "y4"))


_NO_FONT_FOLDERS: Final = (c_char_p * 1)(None)
NEED_TO_PAUSE: Final = ctypes.CFUNCTYPE(c_int, handle)


class Pause(Structure):
    """IFSDK_PAUSE, version 1: asked about every hundred drawn objects whether rendering should stop for now."""

    _fields_ = (("version", c_int), ("need_to_pause", NEED_TO_PAUSE), ("user", handle))


# name -> result, arguments. Handles are opaque; a failed look-up is None or 0.
SIGNATURES: Final[dict[str, tuple[Any, list[Any]]]] = {
    "FPDF_InitLibraryWithConfig": (None, [POINTER(LibraryConfig)]),
    "FPDF_LoadMemDocument64": (handle, [handle, c_size_t, c_char_p]),
    "FPDF_GetLastError": (c_ulong, []),
    "FPDF_CloseDocument": (None, [handle]),
    "FPDF_GetPageCount": (c_int, [handle]),
    "FPDF_GetMetaText": (c_ulong, [handle, c_char_p, handle, c_ulong]),
    "FPDF_LoadPage": (handle, [handle, c_int]),
    "FPDF_ClosePage": (None, [handle]),
    "FPDF_GetPageBoundingBox": (c_int, [handle, POINTER(RectF)]),
    "FPDF_GetPageWidthF": (c_float, [handle]),
    "FPDF_GetPageHeightF": (c_float, [handle]),
    "FPDF_PageToDevice": (c_int, [handle, *[c_int] * 5, c_double, c_double, _INT, _INT]),
    "FPDFPage_CountObjects": (c_int, [handle]),
    "FPDFPage_GetObject": (handle, [handle, c_int]),
    "FPDFFormObj_CountObjects": (c_int, [handle]),
    "FPDFFormObj_GetObject": (handle, [handle, c_ulong]),
    "FPDFPageObj_GetType": (c_int, [handle]),
    "FPDFPageObj_GetMatrix": (c_int, [handle, POINTER(Matrix)]),
    "FPDFPageObj_GetBounds": (c_int, [handle, _FLOAT, _FLOAT, _FLOAT, _FLOAT]),
    "FPDFPageObj_GetFillColor": (c_int, [handle, _UINT, _UINT, _UINT, _UINT]),
    "FPDFPageObj_GetStrokeColor": (c_int, [handle, _UINT, _UINT, _UINT, _UINT]),
    "FPDFPageObj_HasTransparency": (c_int, [handle]),
    "FPDFPageObj_GetStrokeWidth": (c_int, [handle, _FLOAT]),
    "FPDFPageObj_SetStrokeWidth": (c_int, [handle, c_float]),
    "FPDFPageObj_Transform": (None, [handle, *[c_double] * 6]),
    "FPDFPageObj_SetIsActive": (c_int, [handle, c_int]),
    "FPDFPageObj_CountMarks": (c_int, [handle]),
    "FPDFPageObj_GetMark": (handle, [handle, c_ulong]),
    "FPDFPageObj_RemoveMark": (c_int, [handle, handle]),
    "FPDFPageObjMark_GetName": (c_int, [handle, handle, c_ulong, _ULONG]),
    "FPDFPageObjMark_CountParams": (c_int, [handle]),
    "FPDFPageObjMark_GetParamIntValue": (c_int, [handle, c_char_p, _INT]),
    "FPDFPageObjMark_GetParamStringValue": (c_int, [handle, c_char_p, handle, c_ulong, _ULONG]),
    "FPDFPageObj_GetClipPath": (handle, [handle]),
    "FPDFClipPath_CountPaths": (c_int, [handle]),
    "FPDFClipPath_CountPathSegments": (c_int, [handle, c_int]),
    "FPDFClipPath_GetPathSegment": (handle, [handle, c_int, c_int]),
    "FPDFPathSegment_GetPoint": (c_int, [handle, _FLOAT, _FLOAT]),
    "FPDFPath_GetDrawMode": (c_int, [handle, _INT, _INT]),
    "FPDFTextObj_GetFontSize": (c_int, [handle, _FLOAT]),
    "FPDFTextObj_GetTextRenderMode": (c_int, [handle]),
    "FPDFTextObj_SetTextRenderMode": (c_int, [handle, c_int]),
    "FPDFTextObj_GetFont": (handle, [handle]),
    "FPDFFont_GetIsEmbedded": (c_int, [handle]),
    "FPDFTextObj_GetRenderedBitmap": (handle, [handle, handle, handle, c_float]),
    "FPDFText_LoadPage": (handle, [handle]),
    "FPDFText_ClosePage": (None, [handle]),
    "FPDFText_CountChars": (c_int, [handle]),
    "FPDFText_GetText": (c_int, [handle, c_int, c_int, handle]),
    "FPDFText_GetUnicode": (c_uint, [handle, c_int]),
    "FPDFText_GetTextObject": (handle, [handle, c_int]),
    "FPDFText_GetCharIndexFromTextIndex": (c_int, [handle, c_int]),
    "FPDFText_GetCharOrigin": (c_int, [handle, c_int, _DOUBLE, _DOUBLE]),
    "FPDFText_GetLooseCharBox": (c_int, [handle, c_int, POINTER(RectF)]),
    "FPDFText_GetCharAngle": (c_float, [handle, c_int]),
    "FPDFPage_GetAnnotCount": (c_int, [handle]),
    "FPDFPage_GetAnnot": (handle, [handle, c_int]),
    "FPDFPage_CloseAnnot": (None, [handle]),
    "FPDFPage_Flatten": (c_int, [handle, c_int]),
    "FPDFAnnot_GetSubtype": (c_int, [handle]),
    "FPDFAnnot_GetFlags": (c_int, [handle]),
    "FPDFAnnot_SetFlags": (c_int, [handle, c_int]),
    "FPDFAnnot_GetRect": (c_int, [handle, POINTER(RectF)]),
    "FPDFAnnot_HasKey": (c_int, [handle, c_char_p]),
    "FPDFAnnot_GetStringValue": (c_ulong, [handle, c_char_p, handle, c_ulong]),
    "FPDFAnnot_GetNumberValue": (c_int, [handle, c_char_p, _FLOAT]),
    "FPDFAnnot_GetObjectCount": (c_int, [handle]),
    "FPDFAnnot_GetObject": (handle, [handle, c_int]),
    "FPDFAnnot_GetLink": (handle, [handle]),
    "FPDFLink_GetAction": (handle, [handle]),
    "FPDFLink_CountQuadPoints": (c_int, [handle]),
    "FPDFLink_GetQuadPoints": (c_int, [handle, c_int, POINTER(Quad)]),
    "FPDFAction_GetType": (c_ulong, [handle]),
    "FPDFAction_GetURIPath": (c_ulong, [handle, handle, handle, c_ulong]),
    "FPDFAction_GetDest": (handle, [handle, handle]),
    "FPDFDest_GetDestPageIndex": (c_int, [handle, handle]),
    "FPDFBookmark_GetFirstChild": (handle, [handle, handle]),
    "FPDFBookmark_GetNextSibling": (handle, [handle, handle]),
    "FPDFBookmark_GetTitle": (c_ulong, [handle, handle, c_ulong]),
    "FPDFBookmark_GetDest": (handle, [handle, handle]),
    "FPDFBookmark_GetAction": (handle, [handle]),
    "FPDF_GetFormType": (c_int, [handle]),
    "FPDFBitmap_CreateEx": (handle, [c_int, c_int, c_int, handle, c_int]),
    "FPDFBitmap_FillRect": (c_int, [handle, c_int, c_int, c_int, c_int, c_ulong]),
    "FPDFBitmap_GetBuffer": (handle, [handle]),
    "FPDFBitmap_GetWidth": (c_int, [handle]),
    "FPDFBitmap_GetHeight": (c_int, [handle]),
    "FPDFBitmap_GetStride": (c_int, [handle]),
    "FPDFBitmap_GetFormat": (c_int, [handle]),
    "FPDFBitmap_Destroy": (None, [handle]),
    "FPDF_RenderPageBitmap_Start": (c_int, [handle, handle, *[c_int] * 6, POINTER(Pause)]),
    "FPDF_RenderPage_Continue": (c_int, [handle, POINTER(Pause)]),
    "FPDF_RenderPage_Close": (None, [handle]),
}  # fmt: skip


@cache
def library() -> ctypes.CDLL:
    """The loaded and initialised library; ImportError when the wheel is not installed.

    Fonts are looked for in an empty list of folders, so a PDF reads the same before and after the lock, and pdfium
    never opens a file: glyphs of fonts that are not embedded come from pdfium's own substitutes or are not drawn.
    """
    spec = importlib.util.find_spec("pypdfium2_raw")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("pypdfium2_raw")
    loaded = ctypes.CDLL(str(Path(spec.submodule_search_locations[0]) / "libpdfium.so"))
    for name, (result, arguments) in SIGNATURES.items():
        function = getattr(loaded, name)
        function.restype = result
        function.argtypes = arguments
    loaded.FPDF_InitLibraryWithConfig(byref(LibraryConfig(2, ctypes.cast(_NO_FONT_FOLDERS, handle), None, 0)))
    return loaded
