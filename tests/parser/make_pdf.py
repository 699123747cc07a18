"""Writes small PDF 1.4 files by hand, so that tests decide every byte."""

import zlib

HELVETICA = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
# A font that is not embedded: text comes from the character collection (Adobe-Japan1), glyphs from nowhere.
JAPANESE = (
    b"<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /UniJIS-UCS2-H /DescendantFonts ["
    b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /DW 1000"
    b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >>"
    b" /FontDescriptor << /Type /FontDescriptor /FontName /Ryumin-Light /Flags 6 /FontBBox [0 -120 1000 880]"
    b" /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 700 /StemV 80 >> >>] >>"
)
GREY_PIXEL = b"\x80"


class Pdf:
    """Objects in the order they are added; `page` adds one page, `build` returns the file."""

    def __init__(self, *, catalog=b"", info=None):
        self.objects = {}  # number -> body
        self.kids = []
        self.catalog = catalog
        self.info = info
        self.number = 2  # 1 catalog, 2 page tree
        self.fonts = self.add(HELVETICA), self.add(JAPANESE)

    def add(self, body):
        self.number += 1
        self.objects[self.number] = body
        return self.number

    def stream(self, data, extra=b"", *, flate=False):
        if flate:
            data, extra = zlib.compress(data, 9), extra + b" /Filter /FlateDecode"
        return self.add(b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), extra, data))

    def image(self):
        """One grey pixel, to be drawn at any size."""
        return self.stream(
            GREY_PIXEL,
            b"/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8",
        )

    def appearance(self, content, *, box=b"0 0 100 20"):
        """What an annotation draws: a form of its own."""
        return self.stream(
            content,
            b"/Type /XObject /Subtype /Form /BBox [%s] /Resources << /Font << /F1 %d 0 R >> >>" % (box, self.fonts[0]),
        )

    def annotation(self, subtype, rect, entries=b"", *, drawn=None):
        """`drawn` is text that its appearance shows."""
        if drawn is not None:
            entries += b" /AP << /N %d 0 R >>" % self.appearance(b"BT /F1 12 Tf 2 4 Td (%s) Tj ET" % drawn)
        return self.add(b"<< /Type /Annot /Subtype /%s /Rect [%s] %s >>" % (subtype, rect, entries))

    def link(self, rect, url, entries=b""):
        return self.annotation(b"Link", rect, b"/A << /S /URI /URI (%s) >> %s" % (url, entries))

    def page(self, content=b"", *, box=b"0 0 300 200", extra=b"", resources=b"", flate=False, annotations=()):
        extra += b" /Annots [%s]" % b" ".join(b"%d 0 R" % number for number in annotations) if annotations else b""
        fonts = b"/Font << /F1 %d 0 R /F2 %d 0 R >>" % self.fonts
        self.kids.append(
            self.add(
                b"<< /Type /Page /Parent 2 0 R /MediaBox [%s] %s /Contents %d 0 R /Resources << %s %s >> >>"
                % (box, extra, self.stream(content, flate=flate), fonts, resources)
            )
        )
        return self

    def build(self, *, trailer=b""):
        self.objects[1] = b"<< /Type /Catalog /Pages 2 0 R %s >>" % self.catalog
        kids = b" ".join(b"%d 0 R" % kid for kid in self.kids)
        self.objects[2] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(self.kids), kids)
        if self.info is not None:
            trailer += b" /Info %d 0 R" % self.add(self.info)
        return self._file(trailer)

    def _file(self, trailer):
        out, offsets = bytearray(b"%PDF-1.4\n"), []
        for number in sorted(self.objects):
            offsets.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, self.objects[number])
        start, size = len(out), len(offsets) + 1
        out += b"xref\n0 %d\n0000000000 65535 f \n" % size + b"".join(b"%010d 00000 n \n" % at for at in offsets)
        out += b"trailer\n<< /Root 1 0 R /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, start)
        return bytes(out)


def line(text, x=20, y=150, size=12, *, font=b"/F1", before=b"", mode=None):
    """One line of text at a place; `before` are operators that set its state (colour, mode)."""
    shown = (
        b"<" + text.encode("utf-16-be").hex().encode() + b">"
        if font == b"/F2"
        else b"(" + text.encode("latin-1") + b")"
    )
    render = b"" if mode is None else b"%d Tr " % mode
    return b"q %s BT %s%s %g Tf 1 0 0 1 %g %g Tm %s Tj ET Q\n" % (before, render, font, size, x, y, shown)


def type3(glyph, *, mode=0):
    """A page with SECRET in a font whose every letter is drawn by `glyph`."""
    document = Pdf()
    proc = document.stream(glyph)
    to_unicode = document.stream(
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def 1 begincodespacerange <00> <ff>"
        b" endcodespacerange 1 beginbfrange <41> <5a> <0041> endbfrange endcmap end end"
    )
    font = document.add(
        b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 750 750] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 65"
        b" /LastChar 90 /CharProcs << %s >> /Encoding << /Type /Encoding /Differences [65 %s] >> /Widths [%s]"
        b" /ToUnicode %d 0 R /Resources << >> >>"
        % (
            b" ".join(b"/c%d %d 0 R" % (code, proc) for code in range(65, 91)),
            b" ".join(b"/c%d" % code for code in range(65, 91)),
            b"800 " * 26,
            to_unicode,
        )
    )
    document.fonts = document.fonts[0], font
    shown = line("Quarterly report", y=170)
    return document.page(shown + b"BT %d Tr /F2 12 Tf 20 100 Td (SECRET) Tj ET" % mode).build()


def simple(*lines, **options):
    """A file of one page that shows the given content streams."""
    return Pdf().page(b"".join(lines), **options).build()
