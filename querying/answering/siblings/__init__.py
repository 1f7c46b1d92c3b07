"""Evidence about a sibling of what was asked: of another row, item, section or name of the same kind.

`asked_member` finds the one thing that the question names and the evidence does not; `sibling_sets` mines from the
passages what stands side by side in the documents; `same_place` finds what a text has in the place of what was asked.
`nearest_sibling` puts them together.
"""
