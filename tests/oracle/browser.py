"""What a person sees, asked of a real browser: a string is visible when making it transparent changes pixels.

Debian's Chromium, driven through playwright, without a network. The tree stays as it is: the string is covered by a highlight
(CSS Custom Highlight API) that takes its colour away, so no selector and no layout can notice. Where highlights do not reach,
text of drawings is emptied, and the element around form text and around text that cuts its background is made invisible. A whole
page that waits for a script to be shown is shown: nobody hides a page from its readers.
"""

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

WINDOW: Final[Any] = {"width": 1280, "height": 800}
MIN_DIFFERENCE: Final = 24  # of a channel
MAX_HEIGHT: Final = 16_000  # of a page drawn at once; what lies below is not judged
OUT_OF_REACH: Final = 1_000_000  # pixels down: nobody scrolls there
MARGIN: Final = 20  # around the string: letters may reach out of their box
MIN_HEIGHT: Final = 4  # pixels: what is lower is no letter
_SCRIPT: Final = re.compile(r"<script\b.*?(?:</script\s*>|\Z)", re.S | re.I)
_PREPARE: Final = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('::highlight(gone){color:transparent !important;-webkit-text-fill-color:transparent !important;' +
    'text-shadow:none !important;-webkit-text-stroke-color:transparent !important;text-decoration-color:transparent !important}' +
    'html,body{opacity:1 !important;visibility:visible !important}');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}"""
_HEIGHT: Final = "() => Math.max(document.documentElement.scrollHeight, document.body?.scrollHeight ?? 0, document.body?.offsetHeight ?? 0)"
_NEXT_FRAME: Final = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
_FIND: Final = """(wanted) => {
  const squeeze = (text) => text.replace(/[ \\t\\n\\r\\f]+/g, ' ');
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  const boxes = [];
  window.found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (['STYLE', 'SCRIPT', 'TITLE'].includes(node.parentElement?.tagName)) continue;
    if (!squeeze(node.data).includes(wanted)) continue;
    window.found.push(node);
    const range = new Range();
    range.selectNodeContents(node);
    boxes.push(...range.getClientRects(), ...(node.parentElement.tagName === 'TEXTAREA' ? node.parentElement.getClientRects() : []));
  }
  const full = boxes.filter((box) => box.width > 0 && box.height > 0);
  const edge = (side, least) => Math[least ? 'min' : 'max'](...full.map((box) => box[side]));
  return full.length ? [edge('left', true), edge('top', true), edge('right', false), edge('bottom', false)] : null;
}"""
_TAKE_AWAY: Final = """() => {
  const gone = new Highlight();
  const undo = [];
  for (const node of window.found) {
    let around = node.parentElement;
    for (let above = around; above; above = above.parentElement)
      if (getComputedStyle(above).backgroundClip.includes('text')) around = above;
    if (around.namespaceURI === 'http://www.w3.org/2000/svg') {
      const data = node.data; node.data = ''; undo.push(() => { node.data = data; });
    } else if (around.tagName === 'TEXTAREA' || around !== node.parentElement || getComputedStyle(around).backgroundClip.includes('text')) {
      const style = around.getAttribute('style'); around.style.setProperty('visibility', 'hidden', 'important');
      undo.push(() => style === null ? around.removeAttribute('style') : around.setAttribute('style', style));
    } else { const range = new Range(); range.selectNodeContents(node); gone.add(range); }
  }
  CSS.highlights.set('gone', gone);
  window.giveBack = () => { CSS.highlights.clear(); undo.forEach((step) => step()); };
}"""
_COMPARE: Final = """async ([before, after, difference]) => {
  const pixels = async (data) => {
    const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + data)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d', { willReadFrequently: true });
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
  const [one, other] = [await pixels(before), await pixels(after)];
  if (one.width !== other.width || one.height !== other.height) return 10000;
  let top = -1, bottom = -1;
  for (let index = 0; index < one.data.length; index += 4) {
    let most = 0;
    for (let channel = 0; channel < 3; channel++)
      most = Math.max(most, Math.abs(one.data[index + channel] - other.data[index + channel]));
    if (most >= difference) { const row = Math.floor(index / 4 / one.width); if (top < 0) top = row; bottom = row; }
  }
  return top < 0 ? 0 : bottom - top + 1;
}"""


def executable() -> str | None:
    """Debian's browser, or the one GUARDED_WEBFETCH_CHROMIUM names; None when there is none."""
    return os.environ.get("GUARDED_WEBFETCH_CHROMIUM") or shutil.which("chromium")


class Browser:
    """One page of a browser that reaches nothing, and a second one that compares pictures."""

    def __init__(self, page: Any, comparer: Any) -> None:
        self._page = page
        self._devtools = page.context.new_cdp_session(page)
        self._comparer = comparer
        self._height = 0

    def visible(self, html: str, strings: Iterable[str]) -> dict[str, bool]:
        """{string: whether a person sees it}; a string that is no text of the page is not seen, one too far down to be
        drawn is left out. Scripts of the page do not run.
        """
        self._page.set_viewport_size(WINDOW)
        self._page.set_content(_SCRIPT.sub("", html), wait_until="load")
        self._page.evaluate(_PREPARE)
        self._height = WINDOW["height"]
        for _ in range(2):  # what is sized by the window grows with it
            height = self._page.evaluate(_HEIGHT)
            if height > self._height:
                self._height = min(MAX_HEIGHT, height)
                self._page.set_viewport_size({**WINDOW, "height": self._height})
        self._page.evaluate(
            "() => document.getAnimations().forEach((animation) => { try { animation.finish() } catch { } })"
        )
        return {string: seen for string in strings if (seen := self._is_seen(string)) is not None}

    def _is_seen(self, string: str) -> bool | None:
        box = self._page.evaluate(_FIND, string)
        if box is None:
            return False
        if self._height <= box[1] < OUT_OF_REACH:
            return None
        left, top = max(0, box[0] - MARGIN), max(0, box[1] - MARGIN)
        width, height = min(WINDOW["width"], box[2] + MARGIN) - left, min(self._height, box[3] + MARGIN) - top
        if width <= 0 or height <= 0:
            return False
        clip = {"x": left, "y": top, "width": width, "height": min(height, 1_500), "scale": 1}
        before = self._picture(clip)
        self._page.evaluate(_TAKE_AWAY)
        after = self._picture(clip)
        if after == before:  # a page that is slow to draw gets time for it
            self._page.evaluate(_NEXT_FRAME)
            after = self._picture(clip)
        self._page.evaluate("() => window.giveBack()")
        return before != after and self._comparer.evaluate(_COMPARE, [before, after, MIN_DIFFERENCE]) >= MIN_HEIGHT

    def _picture(self, clip: dict[str, float]) -> str:
        options = {"format": "png", "optimizeForSpeed": True, "clip": clip}
        picture: str = self._devtools.send("Page.captureScreenshot", options)["data"]
        return picture


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A browser without a network and without a sandbox of its own, since containers run it as root."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND", "--disable-gpu", "--hide-scrollbars"]
        browser = playwright.chromium.launch(executable_path=executable(), headless=True, args=flags)
        try:
            context = browser.new_context(offline=True, viewport=WINDOW, device_scale_factor=1)
            context.route("**/*", lambda route: route.abort())
            yield Browser(context.new_page(), browser.new_context().new_page())
        finally:
            browser.close()
