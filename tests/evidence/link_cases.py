"""Drafts of our own that try to smuggle an address through, and drafts whose words must all survive."""

from typing import Final, NamedTuple

from guarded_webfetch.evidence.rebuild import StoreItem

ITEMS: Final = (
    StoreItem(1, "First report", "https://site.example.net/reports/1"),
    StoreItem(2, "二つ目の記事", "https://site.example.net/reports/2?a=1&b=2"),
    StoreItem(3, "No address", None),
)


class Attack(NamedTuple):
    """`gone` may stand in no view of the page; `kept` must stand in it."""

    name: str
    draft: str
    gone: tuple[str, ...] = ("evil.example",)
    kept: tuple[str, ...] = ()


ATTACKS: Final = (
    # Markdown
    Attack("md-link", "<p>[here](https://evil.example/x)</p>", kept=("here",)),
    Attack("md-link-title", '<p>[here](</a b> "https://evil.example")</p>'),
    Attack("md-link-parens", "<p>[here](https://evil.example/a(b)c)</p>"),
    Attack("md-link-relative", "<p>[here](/account/delete)</p>", ("/account",)),
    Attack("md-link-word", "<p>[here](target)</p>", ("](",), ("here", "target")),
    Attack("md-link-entity", "<p>[x](&#106;avascript:alert(1))</p>", ("script:", "alert(1)")),
    Attack("md-image-in-link", "<p>[![in](https://evil.example/i.png)](https://evil.example/o)</p>", kept=("in",)),
    Attack("md-reference", "<p>[a][1]</p><p>[1]: https://evil.example 'title'</p>"),
    Attack("md-reference-word", "<p>[a]: target</p>", ("]:", "target")),
    Attack("md-autolink", "<p><https://evil.example/a></p>"),
    Attack("md-link-over-comment", "<p>[click]<!-- x -->(//evil.example)</p>", kept=("click",)),
    Attack("md-fullwidth", "<p>［押す］（ｈｔｔｐｓ：／／ｅｖｉｌ．ｅｘａｍｐｌｅ）</p>"),
    # entities, percent signs, escapes
    Attack("entity-decimal", "<p>https&#58;&#47;&#47;evil&#46;example</p>"),
    Attack("entity-twice", "<p>https&amp;#58;//evil&amp;#46;example</p>"),
    Attack("entity-three-times", "<p>evil&amp;amp;#46;example/x</p>"),
    Attack("percent", "<p>evil%2Eexample/x and evil%252Eexample/y</p>"),
    Attack("percent-dot", "<p>evil%252eexample</p>"),
    Attack("percent-scheme", "<p>https%3A%2F%2Fevil.example%2Fp</p>"),
    Attack("unicode-escape", "<p>https:\\u002f\\u002fevil.example</p>"),
    # other letters and dots
    Attack("small-full-stop", "<p>evil﹒example</p>"),
    Attack("fullwidth", "<p>ｅｖｉｌ．ｅｘａｍｐｌｅ／ｘ</p>"),
    Attack("circled", "<p>ⓔⓥⓘⓛ.ⓔⓧⓐⓜⓟⓛⓔ</p>"),
    Attack("monospace", "<p>𝚎𝚟𝚒𝚕.𝚎𝚡𝚊𝚖𝚙𝚕𝚎</p>"),
    Attack("cyrillic-label", "<p>еvil.example</p>", ("vil.example",)),
    Attack("cyrillic-zone", "<p>evil.exаmple</p>", ("evil.ex",)),
    Attack("ideographic-dots", "<p>www。evil。example</p>"),
    Attack("ideographic-dot-com", "<p>evil。com へ</p>", ("evil", "com"), ("へ",)),
    Attack("idn", "<p>日本語.jp と 例え.テスト</p>", (".jp", "テスト"), ("と",)),
    Attack("punycode", "<p>xn--e1afmkfd.xn--80akhbyknj4f</p>", ("xn--",)),
    Attack("glued-to-kana", "<p>サイトevil.exampleを見る</p>", kept=("サイト", "を見る")),
    Attack("fullwidth-query", "<p>evil.example？x=1 evil.example＃a</p>"),
    # invisible characters
    Attack("zero-width", "<p>ev\u200bil.exa\u200cmple e\u2060v\u2060i\u2060l.example</p>"),
    Attack("soft-hyphen", "<p>evil.ex&shy;ample</p>"),
    Attack("byte-order-mark", "<p>evil\ufeff.\ufeffexample</p>"),
    Attack("nul", "<p>evil\x00.exa\x00mple</p>"),
    Attack("override", "<p>see \u202eelpmaxe.live//:sptth\u202c now</p>", ("elpmaxe",), ("see", "now")),
    Attack("override-name", "<p>\u202eelpmaxe.oof\u202c</p>", ("elpmaxe",)),
    # schemes
    Attack("one-slash", "<p>https:/evil.example</p>"),
    Attack("no-slash", "<p>https:evil.example</p>"),
    Attack("backslashes", "<p>https:\\\\evil.example\\x</p>"),
    Attack("share", "<p>\\\\evil.example\\share</p>"),
    Attack("relative", "<p>//evil.example</p>"),
    Attack("ftp-ws", "<p>ftp://evil.example/f wss://evil.example/s</p>"),
    Attack("unknown-scheme", "<p>steam://run/evil and foo+bar://evil.example</p>", ("evil.example", "steam:")),
    Attack("data", "<p>data:text/html;base64,PHNjcmlwdD4= rest</p>", ("data:", "PHNj")),
    Attack("mail", "<p>mailto:a@evil.example?subject=x or a@evil.example or a(at)evil(dot)example</p>"),
    Attack("tel", "<p>tel:+81-3-1234-5678</p>", ("tel:", "1234")),
    Attack("view-source", "<p>view-source:https://evil.example blob:https://evil.example/1</p>"),
    Attack("magnet", "<p>magnet:?xt=urn:btih:abcdef</p>", ("magnet:", "btih")),
    # hosts
    Attack("bare", "<p>evil.example, EVIL.EXAMPLE. (evil.example)</p>"),
    Attack("port", "<p>evil.example:8443 and intranet:8080/admin</p>", ("evil.example", "intranet:8080")),
    Attack("ipv4", "<p>192.0.2.7, 192.0.2.7:80/x and http://3221225985/</p>", ("192.0.2.7", "3221225985")),
    Attack("ipv6", "<p>http://[2001:db8::1]/ [2001:db8::1]:80 2001:db8::1</p>", ("2001:db8",)),
    Attack("local", "<p>localhost:3000 db.internal printer.local</p>", ("localhost:3000", "db.internal", "printer.local")),
    Attack("shorteners", "<p>t.me/evil bit.ly/3abc</p>", ("t.me", "bit.ly")),
    Attack("own-site", "<p>site.example.net/wrong</p>", ("/wrong", "site.example.net</p>")),
    # defanged and spelled out
    Attack("defanged", "<p>hxxps://evil[.]example evil(.)example evil{dot}example</p>", ("evil[.]example", "evil(.)", "hxxps", "dot")),
    Attack("spoken", "<p>evil dot example, evil ドット example</p>", ("evil dot example", "evil ドット")),
    Attack("spaced", "<p>h t t p s : / / evil.example</p>"),
    Attack("spelled", "<p>go to e v i l . e x a m p l e</p>", ("e x a m p l e",)),
    # split and put together
    Attack("bold-inside", "<p>evil.<b>example</b>/x https://<i>evil</i>.example</p>"),
    Attack("break-inside", "<p>https://evil<br>.example/split</p>", ("https://evil", ".example")),
    Attack("line-end-inside", "<p>www.evil.\nexample</p>", ("www.evil",)),
    Attack("assembles", "<p>hthttps://a.example ttps://evil.example</p>"),
    Attack("unknown-inside", "<p>evil.[[POST:99]]example</p>"),
    Attack("known-at-the-dot", "<p>evil.[[POST:1]]</p>", ("evil.<a", "evil.First")),
    Attack("over-blocks", "<p>evil.</p><p>example</p>"),
    # tags
    Attack("unclosed-tag", '<p>x</p><img src="https://evil.example/x.png', ("evil.example", "<img", "img src")),
    Attack("nested-a", "<a href='https://a.example'><a href=https://evil.example>y</a></a>", kept=("y",)),
    Attack("cdata", "<p><![CDATA[https://evil.example]]></p>"),
    Attack("escaped-tag", "<p>&lt;img src=x onerror=alert(1)&gt;</p>", ("img src", "onerror")),
    Attack("escaped-anchor", "<p>&lt;a href=//evil.example&gt;x&lt;/a&gt;</p>", ("evil.example", "a href")),
    Attack("script-body", "<script>location='//evil.example'</script><p>x</p>", ("evil.example", "location")),
    Attack("svg", '<svg><a xlink:href="//evil.example"><text>t</text></a></svg>'),
    Attack("style", '<p style="background:url(//evil.example/b)">x</p><style>@import "//evil.example"</style>', kept=("x",)),
    Attack("css-text", "<p>url(//evil.example/x) @import 'x.css';</p>", ("url(", "@import")),
    Attack("quote-in-attribute", "<a title='>' href=//evil.example>x</a>", kept=("x",)),
    # placeholders
    Attack("out-of-range", "<p>[[POST:9]] [[POST:0]] [[POST:99999999999]]</p>", ("[[", "POST")),
    Attack("invented", "<p>[[LINK:1]] [[記事A]] [[]]</p>", ("[[", "LINK", "記事A")),
    Attack("nested", "<p>[[POST:[[POST:1]]]]</p>", ("[[", "]]")),
    Attack("other-digits", "<p>[[POST:١]] [[POST:１]] [[POST:1.0]]</p>", ("[[", "POST", "href")),
    Attack("dangling", "<p>[[POST:1 and ]] x</p>", ("[[", "]]"), ("x",)),
    Attack("private-use", "<p>\ue000POST:1\ue001 \U000f0001</p>", ("\ue000", "\ue001", "\U000f0001")),
    Attack("object-spoof", "<p>\ufffc [[POST:1]]</p>", ("\ufffc",), ("First report",)),
)  # fmt: skip

# Every one of these comes out as it went in.
BENIGN: Final = (
    "<p>Version 1.2.3.4, v2.0.1 and Python 3.11</p>",
    "<p>バージョン 10.0.19045.1 です</p>",
    "<p>Node.js, Next.js, Vue.js, ASP.NET</p>",
    "<p>10:30から12:45:59まで、比率は3:1</p>",
    "<p>これは例です。次の文。「引用」</p>",
    "<p>C:\\Users\\x と C++ と F#</p>",
    "<p>5.5% と $3.99, No.1, vol.2, 第1.2節, 0.2割</p>",
    "<p>家族 👨\u200d👩\u200d👧\u200d👦 と ❤️ と 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f</p>",
    "<p>می\u200cخواهم بخوانم و می\u200cروم</p>",
    "<p>क्\u200dष और שָׁלוֹם</p>",
    '<p>He said: "ok..." and then... fine!</p>',
    "<p>a &lt; b &amp;&amp; c &gt; d, the &lt;br&gt; tag</p>",
    "<p>TCP/IP, km/h, 24/7, and/or, I/O, 令和8/11/30</p>",
    "<p>a[0][1], [注] と (補足)、[1] 参照</p>",
    "<p>Dr. Smith, Mr. Lee, etc. It is e.g. this, i.e. that.</p>",
    "<p>2026.11.30 と 令和8.11.30</p>",
    "<p>std::string, foo::bar() and aa:bb:cc:dd:ee:ff</p>",
    "<p>@user #tag 50@100</p>",
    "<p>Ph.D., U.S.A., p.m., J.K. Rowling</p>",
    "<p>key: value, TEL: 03-1234-5678</p>",
    "<p>About: this page. Data: 12 rows. Note: none</p>",
    "<p>README.md, main.py, run.sh, data.zip, index.html, package.json</p>",
    "<p>１２３（全角）と㈱と①</p>",
    "<p>if a&lt;b and c=d then x</p>",
    "<p>The hidden cost of location tracking, javascript: the good parts</p>",
    "<p>snake_case_name and *stars* and `ticks`</p>",
    "<p>path: docs, and so on / or so</p>",
    "<h2>見出し</h2>\n<ul>\n<li><strong>強調</strong> と <em>斜体</em>\n</li>\n</ul>",
)
