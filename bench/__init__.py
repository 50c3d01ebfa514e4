"""Benchmarks: each prints its figures; nothing here is a test."""
