"""What a final answer means: by its status, and by the header in which a service names its own challenge."""

import pytest

from guarded_webfetch.core.http_status import refusal_code, sends_elsewhere


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (200, None), (201, None), (203, None), (204, "extract_empty"), (205, "extract_empty"), (206, "body_incomplete"),
        (300, "http_error"), (304, "http_error"), (400, "http_error"), (401, "login_required"), (403, "http_forbidden"),
        (404, "http_not_found"), (410, "http_not_found"), (429, "http_error"), (451, "http_forbidden"), (500, "http_error"),
        (503, "http_error"), (999, "http_error"),
    ],
)  # fmt: skip
def test_statuses_are_told_apart(status: int, code: str | None) -> None:
    assert refusal_code(status, {"server": "cloudflare", "cf-ray": "1"}) == code


@pytest.mark.parametrize(
    ("status", "name", "value"),
    [
        (403, "cf-mitigated", "challenge"), (503, "cf-mitigated", " Challenge "), (202, "x-amzn-waf-action", "challenge"),
        (405, "x-amzn-waf-action", "captcha"), (429, "x-vercel-mitigated", "challenge"), (428, "sec-cp-challenge", "true"),
    ],
)  # fmt: skip
def test_a_service_that_says_so_has_sent_a_challenge(status: int, name: str, value: str) -> None:
    assert refusal_code(status, {name: value}) == "bot_challenge"


@pytest.mark.parametrize(
    ("status", "name", "value", "code"),
    [
        (403, "x-vercel-mitigated", "deny", "http_forbidden"),
        (403, "cf-mitigated", "", "http_forbidden"),
        (404, "x-amzn-waf-action", "count", "http_not_found"),
        (200, "cf-mitigated", "challenge", None),  # a page that came is judged as a page
    ],
)
def test_other_values_are_no_challenge(status: int, name: str, value: str, code: str | None) -> None:
    assert refusal_code(status, {name: value}) == code


@pytest.mark.parametrize(
    ("values", "leads_away"),
    [(["0; url=http://127.0.0.1/"], True), (["5;URL='/next'"], True), (["30"], False), ([""], False), ([], False)],
)
def test_refresh(values: list[str], leads_away: bool) -> None:
    assert sends_elsewhere(values) == leads_away
