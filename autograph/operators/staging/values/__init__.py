"""Staged values: what is known of them, how they are joined, and containers of which only a run tells the length."""
