"""Changes to what a model does while it reads, and what they change.

edits.py         heads off or even, edges cut, tokens masked: what they are, and their limits
edited_calls.py  the same carried out on one attention call
changes.py       an edited run beside the untouched one
ablating.py      every head switched off in turn; worth.py is what that says of each
sloping.py       how fast the outcome changes as a head is turned down, by a backward pass

edited_calls, ablating and sloping bring torch; the others need numpy alone.
"""
