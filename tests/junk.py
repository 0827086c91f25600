"""Valid JSON spoiled at random: what parsers must refuse with their own error, or make sense of."""

import copy

from hypothesis import strategies as st

from jo_env.cards import FACE_NAMES

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 20),
    st.integers(),
    st.floats(allow_nan=True),
    st.sampled_from(
        [
            *FACE_NAMES[:6],
            "7S",
            "three",
            "four",
            "set",
            "run",
            "buy",
            "draw",
            "play",
            "over",
            "low",
            "jo",
            "0x1",
            "",
            "XX",
        ]
    ),
    st.just([]),
    st.just({}),
    st.lists(st.sampled_from([None, 0, 1, 5, "7S", True, [], {}, 1.5]), max_size=4),
    st.dictionaries(
        st.sampled_from(["kind", "cards", "event", "seat", "seed"]), st.integers(0, 3), max_size=2
    ),
)


def paths(data, path=()):
    """Every place in JSON data."""
    yield path
    if isinstance(data, dict):
        for key, value in data.items():
            yield from paths(value, (*path, key))
    elif isinstance(data, list):
        for i in {0, len(data) - 1} if data else ():
            yield from paths(data[i], (*path, i))


@st.composite
def mutated(draw, valid):
    """Valid data with one to three places dropped, doubled or replaced with junk."""
    data = copy.deepcopy(draw(st.sampled_from(valid)))
    for _ in range(draw(st.integers(1, 3))):
        places = [path for path in paths(data) if path]
        if not places:
            break
        *path, last = draw(st.sampled_from(places))
        place = data
        for key in path:
            place = place[key]
        change = draw(st.sampled_from(["junk", "junk", "drop", "double"]))
        if change == "junk":
            place[last] = draw(JUNK)
        elif change == "drop":
            del place[last]
        elif isinstance(place, list):
            place.insert(last, copy.deepcopy(place[last]))
    return data
