"""Tests of Rummy Bo: a package, so that its files may have the names that those of Jo have."""
