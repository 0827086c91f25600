"""One error class per kind of mistake."""

from jo_env.cards import UnknownCardError

__all__ = ["IllegalActionError", "SettingsError", "TableError", "UnknownCardError"]


class SettingsError(ValueError):
    """Settings that make no game: seats, packs, rounds, dealer or shoes."""


class TableError(ValueError):
    """A snapshot or view that is not a table of this game."""


class IllegalActionError(ValueError):
    """An action or a move that the rules do not allow here."""
