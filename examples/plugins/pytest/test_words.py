"""test_words.py -- tests to count: pytest -p pytest_softpmu --softpmu (docs/HOWTO_CI.md)."""
import collections

import pytest

TEXT = [f"word{i * i % 977}" for i in range(5000)]


@pytest.fixture
def text():
    return list(TEXT)


def test_sorted(text):
    assert sorted(text)[0] == "word0"


def test_counted(text):
    assert collections.Counter(text).most_common(1)[0][1] > 1


def test_joined(text):
    assert len(" ".join(text).split()) == 5000


class TestSets:
    @pytest.mark.parametrize("n", [1000, 2000])
    def test_unique(self, text, n):
        assert len({word.upper() for word in text[:n]}) <= 977
