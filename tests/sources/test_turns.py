"""Who may start: five at once, one for a host, a pause between two; a host that hangs delays only its own."""

from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.sources.turns import NEVER, Turns


def test_five_at_once_in_order() -> None:
    turns = Turns([f"h{n}" for n in range(7)], 5, 1.0)
    assert [turns.next(0.0) for _ in range(6)] == [0, 1, 2, 3, 4, None]
    assert turns.wait_s(0.0) == NEVER
    turns.ended(2, 1.0)
    assert turns.next(1.0) == 5


def test_one_for_a_host_with_a_pause() -> None:
    turns = Turns(["a", "a", "b"], 5, 1.0)
    assert [turns.next(0.0), turns.next(0.0), turns.next(0.0)] == [0, 2, None]
    turns.ended(0, 3.0)
    assert turns.next(3.9) is None
    assert turns.wait_s(3.25) == 0.75
    assert turns.next(4.0) == 1


def test_a_site_may_ask_for_a_longer_pause_but_not_a_shorter_one() -> None:
    turns = Turns(["a", "a"], 5, 1.0)
    turns.next(0.0)
    turns.ended(0, 0.0, 10.0)
    assert turns.wait_s(0.0) == 10.0
    other = Turns(["a", "a"], 5, 1.0)
    other.next(0.0)
    other.ended(0, 0.0, 0.1)
    assert other.wait_s(0.0) == 1.0


@given(st.lists(st.sampled_from("abc"), max_size=15), st.lists(st.floats(0.01, 5), min_size=15, max_size=15))
def test_all_get_their_turn_and_no_host_is_asked_twice_at_once(hosts: list[str], lasting: list[float]) -> None:
    turns = Turns(hosts, 5, 0.5)
    now, ends, order = 0.0, {}, []
    while not turns.done:
        while (number := turns.next(now)) is not None:
            assert hosts[number] not in [hosts[other] for other in ends]
            ends[number] = now + lasting[number]
            order.append(number)
        assert len(ends) <= 5
        now = min([*ends.values(), now + turns.wait_s(now)])
        for number in [number for number, end in ends.items() if end <= now]:
            del ends[number]
            turns.ended(number, now)
    assert sorted(order) == list(range(len(hosts)))
    for host in set(hosts):
        assert [n for n in order if hosts[n] == host] == [n for n in range(len(hosts)) if hosts[n] == host]
