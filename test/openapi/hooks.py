"""What schemathesis cannot know: what the document names by `format`, and the one name that no object may have."""

import ast
import threading
import zoneinfo

import schemathesis
from hypothesis import strategies as st

# Python 3.11 counts the depth of all threads' trees in one place, and fails where two make one at a time (gh-106905).
one_tree = threading.Lock()
parse = ast.parse


def parse_alone(*args, **options):
    with one_tree:
        return parse(*args, **options)


ast.parse = parse_alone

numbers = st.integers(1, 12).map(str)
schemathesis.openapi.format("iana-time-zone", st.sampled_from(sorted(zoneinfo.available_timezones() - {"localtime", "Factory", "posixrules"})))
schemathesis.openapi.format("cron", st.tuples(numbers, numbers, numbers, numbers, st.just("*")).map(" ".join))


@schemathesis.serializer("application/offset+octet-stream")
def part_of_a_file(_context, value):
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def filter_body(_context, body):
    return not has_proto(body)


def has_proto(value) -> bool:
    if isinstance(value, dict):
        return any(name == "__proto__" or has_proto(member) for name, member in value.items())
    return isinstance(value, list) and any(has_proto(member) for member in value)
